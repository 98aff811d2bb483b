"""Where things are kept, and where they are bought."""

from homeshelf.places import api, pages
from homeshelf.places.model import PlaceName
from homeshelf.places.store import reopen_forgotten
from homeshelf.web.services import Slice

SLICE = Slice(
    name="places",
    api=[api.router],
    pages=[pages.router],
    todos=lambda _: {"reopen_place": reopen_forgotten},
    goes_with_family=[PlaceName.where],
)
