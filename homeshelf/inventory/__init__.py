"""The inventory of a household: items, their quantities, barcodes and low-stock notices."""

from functools import partial

from homeshelf.coordination.belongings import RECREATED, UNDER_WAY, of_family
from homeshelf.inventory import api, batches, pages
from homeshelf.inventory.barcodes import BarcodeClaim
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.inventory.moving import adopt, move_in
from homeshelf.inventory.notice_texts import NOTIFICATION_KINDS, notice_rows
from homeshelf.inventory.notices import EVALUATE_TODO, evaluate_when_due
from homeshelf.inventory.orphan_barcodes import release_orphans
from homeshelf.inventory.store import clean_up_item, count_place_references
from homeshelf.notices.model import NoticeRows
from homeshelf.outbox.notifications import NotificationKinds
from homeshelf.places.store import PlaceReferences
from homeshelf.sentences import _
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import Badge, Shortcut, Tab

SLICE = Slice(
    name="inventory",
    api=[api.router],
    pages=[pages.router],
    tab=Tab("/stock", _("Stock"), "package", [Badge("unresolvedNotifications", "Notification")]),
    offline=OfflineRules(prefetched=("stock",)),
    shortcuts=[Shortcut("/stock", _("Stock"))],
    todos=lambda services: {
        "item_removed": partial(clean_up_item, services.all(ItemObserver)),
        batches.MAKE_ITEMS: batches.make_items,
        EVALUATE_TODO: evaluate_when_due,
    },
    provides=[
        NotificationKinds(NOTIFICATION_KINDS),
        NoticeRows(notice_rows),
        PlaceReferences(count_place_references),
    ],
    goes_with_family=[BarcodeClaim.where, batches.PromisedItems.where],
    belongings=[of_family(InventoryItem), of_family(QuantityChange)],
    left_out={BarcodeClaim: RECREATED, batches.PromisedItems: UNDER_WAY},
    moves_in=move_in,
    adopts=adopt,
    mend=release_orphans,
)
