"""Stocktaking: items are typed, pasted, ticked or scanned, one after the other or many at once."""

from homeshelf.stocktaking import pages
from homeshelf.web.services import Slice

SLICE = Slice(name="stocktaking", pages=[pages.router, pages.scan_router])
