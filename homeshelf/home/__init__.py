"""The first page: what matters now."""

from homeshelf.home import pages
from homeshelf.sentences import _
from homeshelf.web.services import Slice
from homeshelf.web.wording import Tab

SLICE = Slice(
    name="home",
    pages=[pages.router],
    tab=Tab("/", _("Home"), "house", "pendingSuggestions"),
)
