"""Stocktaking: items are typed, pasted, ticked or scanned, one after the other or many at once."""

from homeshelf.inventory.item_observer import StockTool
from homeshelf.sentences import _
from homeshelf.stocktaking import pages
from homeshelf.web.services import Slice
from homeshelf.web.shell import Shortcut

SLICE = Slice(
    name="stocktaking",
    pages=[pages.router, pages.scan_router],
    shortcuts=[Shortcut("/stock/scan", _("Scan barcode"))],
    provides=[
        StockTool("/stock/take", _("Take stock"), "clipboard-list"),
        StockTool("/stock/scan", _("Scan"), "scan-barcode"),
    ],
)
