"""Tags that count an item down when a phone taps them."""

from homeshelf.coordination.belongings import of_family
from homeshelf.sentences import _
from homeshelf.taps import api, pages
from homeshelf.taps.endpoint import TAP_PAGE, start_counting
from homeshelf.taps.item_observer import RENAME_TAGS, TagItemObserver, rename_tags, repair_tags
from homeshelf.taps.model import NFCUrl, WeekOfTaps
from homeshelf.taps.moving import move_in
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry, for_admins

SLICE = Slice(
    name="taps",
    api=[api.router],
    pages=[pages.router],
    menu=[MenuEntry("/tags", _("Tags"), "nfc", 50, for_admins)],
    offline=OfflineRules(secret=("t", "tags", "stock/[^/]+/tags")),
    plain_routes=[TAP_PAGE],
    todos=lambda _: {RENAME_TAGS: rename_tags},
    provides=[TagItemObserver()],
    goes_with_family=[WeekOfTaps.where],
    belongings=[of_family(NFCUrl), of_family(WeekOfTaps)],
    moves_in=move_in,
    mend=repair_tags,
    start=start_counting,
)
