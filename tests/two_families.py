"""Two families, two readers and two lists that have everything and share every id they can.

What is asked of one of them must not bring up the other's, nor another kind of record, nor one
whose id or status begins with what is asked for (`b1` and `b10`, `READ` and `READING`).
"""

from collections.abc import Iterator

from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices.model import Notification
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shares.model import ChecklistItem, PoolSlot, Shareable
from homeshelf.shopping.model import Purchase, ShoppingListItem, StorePlace
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Record
from homeshelf.taps.model import NFCUrl
from tests.made import made

OURS, THEIRS = "f1", "f10"
LONG_AGO, IN_A_WEEK = 1_000_000_000, 9_000_000_000
NEVER = "2254-01-01T00:00:00.000Z"


def everything() -> list[Record]:
    return [
        record
        for who in (OURS, THEIRS)
        for group in (_family, _inventory, _shopping, _asked_and_told, _books, _shares)
        for record in group(who)
    ]


def day(number: int) -> str:
    return f"2025-01-{number:02}T10:00:00.000Z"


def _family(family: str) -> Iterator[Record]:
    yield made(Family, family_id=family)
    for member in ("m1", "m10", f"m-of-{family}"):
        yield made(Member, family_id=family, member_id=member)
    for invitation, email in (("v1", "ada@home.local"), ("v10", f"eve@{family}.local")):
        yield made(Invitation, family_id=family, invitation_id=invitation, email=email)


def _inventory(family: str) -> Iterator[Record]:
    for item, quantity, status in (
        ("i1", 5, "active"),
        ("i10", 1, "active"),
        ("i2", 30, "active"),
        ("i3", 0, "archived"),
    ):
        yield made(InventoryItem, family_id=family, item_id=item, quantity=quantity, status=status)
        for number in (1, 2):
            at, id_ = day(number), f"h{number}"
            yield made(QuantityChange, family_id=family, item_id=item, at=at, id=id_, ttl=IN_A_WEEK)
    for number, item in ((1, "i1"), (2, "i10"), (3, "i1")):
        url_id = f"url{number}of{family}"
        yield made(NFCUrl, family_id=family, item_id=item, url_id=url_id, created_at=day(number))
    for place in ("l1", "l10"):
        yield made(StorageLocation, family_id=family, location_id=place)
    for shop in ("s1", "s10"):
        yield made(Store, family_id=family, store_id=shop)


def _shopping(family: str) -> Iterator[Record]:
    for entry, store, status, ttl in (
        ("e1", "s1", "pending", None),
        ("e2", "s1", "purchased", IN_A_WEEK),
        ("e3", "s10", "pending", None),
        ("e4", None, "pending", None),
        ("e5", None, "purchased", IN_A_WEEK),
        ("e6", "s1", "purchased", LONG_AGO),
    ):
        yield made(
            ShoppingListItem,
            family_id=family,
            shopping_item_id=entry,
            store_id=store,
            status=status,
            ttl=ttl,
        )
    for entry, added, ttl in (("e1", 3, IN_A_WEEK), ("e2", 1, IN_A_WEEK), ("e3", 2, LONG_AGO)):
        known = {"shopping_item_id": entry, "added_at": day(added), "ttl": ttl}
        yield made(Purchase, family_id=family, **known)
    for store, name in (("s1", "n1"), ("s1", "n10"), ("s10", "n1"), (None, "n1")):
        known = {"store_id": store, "name_digest": name, "ttl": IN_A_WEEK}
        yield made(StorePlace, family_id=family, **known)


def _asked_and_told(family: str) -> Iterator[Record]:
    for number, (asked, told) in enumerate(
        [
            ("pending", "active"),
            ("approved", "acknowledged"),
            ("pending", "active"),
            ("rejected", "resolved"),
        ],
        1,
    ):
        at = day(number)
        yield made(
            Suggestion, family_id=family, suggestion_id=f"w{number}", status=asked, created_at=at
        )
        yield made(
            Notification, family_id=family, notification_id=f"n{number}", status=told, created_at=at
        )


def _books(user: str) -> Iterator[Record]:
    yield made(ReaderSettings, user_id=user)
    for number, (book, status) in enumerate(
        [("b1", "READ"), ("b10", "READING"), ("b2", "SHELF"), ("b3", "READ")], 1
    ):
        yield made(Book, user_id=user, id=book, status=status, updated_at=day(9 - number))
        for note in ("n1", "n2"):
            yield made(Note, user_id=user, book_id=book, id=note)
        for page in (1, 2, 3):
            yield made(
                ReadingEvent, user_id=user, book_id=book, id=f"r{page}", occurred_at=day(page)
            )


def _shares(family: str) -> Iterator[Record]:
    short_id = "abc-def-12345" if family == OURS else "abc-def-12346"
    yield made(Shareable, short_id=short_id, expires_at=NEVER, ttl=IN_A_WEEK)
    for item in ("c1", "c2"):
        yield made(ChecklistItem, short_id=short_id, checklist_item_id=item, ttl=IN_A_WEEK)
    for slot in (7, 12):
        yield made(PoolSlot, bucket=99 if family == OURS else 9, slot=slot, id="AAA-AAA-00000")
