"""Taking stock: what is in a cupboard, written down name by name, pasted, or ticked."""

from homeshelf.stocktaking import pages
from homeshelf.web.services import Slice

SLICE = Slice(name="stocktaking", pages=[pages.router])
