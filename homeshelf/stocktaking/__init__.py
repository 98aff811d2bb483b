"""Taking stock: what is in a cupboard, written down name by name, pasted, ticked or scanned."""

from homeshelf.stocktaking import pages
from homeshelf.web.services import Slice

SLICE = Slice(name="stocktaking", pages=[pages.router, pages.scan_router])
