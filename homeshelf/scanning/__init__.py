"""The slice that reads barcodes for browsers that cannot, if the decoder is installed."""

from importlib.util import find_spec

from homeshelf.scanning import pages
from homeshelf.web.services import Slice

SLICE = Slice(
    name="scanning",
    pages=[pages.router],
    barcode_reader=pages.PATH if find_spec("zxingcpp") else "",
)
