"""The slice of places: storage locations and stores."""

from homeshelf.coordination.belongings import RECREATED, of_family
from homeshelf.places import api, pages
from homeshelf.places.model import PlaceName, StorageLocation, Store
from homeshelf.places.moving import adopt, move_in
from homeshelf.places.store import reopen_place
from homeshelf.sentences import _
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry, for_members

SLICE = Slice(
    name="places",
    api=[api.router],
    pages=[pages.router],
    menu=[MenuEntry("/places", _("Places"), "map-pin", 40, for_members)],
    todos=lambda _: {"reopen_place": reopen_place},
    goes_with_family=[PlaceName.where],
    belongings=[of_family(kind, closed_at=None) for kind in (StorageLocation, Store)],
    left_out={PlaceName: RECREATED},
    moves_in=move_in,
    adopts=adopt,
)
