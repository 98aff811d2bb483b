"""Notices of a family, one open for each item and kind."""

from homeshelf.coordination.belongings import RECREATED, of_family
from homeshelf.notices import api, pages
from homeshelf.notices.model import Notification, OpenNotice, OpenNoticeOfType
from homeshelf.notices.moving import adopt, move_in
from homeshelf.notices.store import unresolved_notices
from homeshelf.sentences import _
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry, for_members

SLICE = Slice(
    name="notices",
    api=[api.router],
    pages=[pages.router],
    menu=[MenuEntry("/notices", _("Alerts"), "bell", 30, for_members)],
    counts={"unresolvedNotifications": unresolved_notices},
    goes_with_family=[OpenNotice.where],
    belongings=[of_family(Notification)],
    left_out={OpenNotice: RECREATED, OpenNoticeOfType: RECREATED},
    moves_in=move_in,
    adopts=adopt,
)
