"""Test that every access pattern is one operation, scans nothing and finds only its records."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest

from homeshelf.books import store as books
from homeshelf.books.model import Book, Note, ReaderSettings, ReadingEvent
from homeshelf.families import store as families
from homeshelf.families.model import Family, Invitation, Member
from homeshelf.inventory import store as inventory
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.notices import store as notices
from homeshelf.notices.model import Notification
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation, Store
from homeshelf.shares import store as shares
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.model import PoolSlot, Shareable
from homeshelf.shares.pool import free_slots
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import Purchase, ShoppingListItem, StorePlace
from homeshelf.shopping.purchases import purchases_of
from homeshelf.shopping.shelf_order import positions_of_family, positions_of_store
from homeshelf.suggestions import store as suggestions
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database, Query, Record
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps import store as taps
from homeshelf.taps.model import NFCUrl
from tests.costs import count_operations
from tests.databases import ENGINES, tables
from tests.records import make_record

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
    yield make_record(Family, family_id=family)
    for member in ("m1", "m10", f"m-of-{family}"):
        yield make_record(Member, family_id=family, member_id=member)
    for invitation, email in (("v1", "ada@home.local"), ("v10", f"eve@{family}.local")):
        yield make_record(Invitation, family_id=family, invitation_id=invitation, email=email)


def _inventory(family: str) -> Iterator[Record]:
    for item, quantity, status in (
        ("i1", 5, "active"),
        ("i10", 1, "active"),
        ("i2", 30, "active"),
        ("i3", 0, "archived"),
    ):
        yield make_record(
            InventoryItem, family_id=family, item_id=item, quantity=quantity, status=status
        )
        for number in (1, 2):
            at, id_ = day(number), f"h{number}"
            yield make_record(
                QuantityChange, family_id=family, item_id=item, at=at, id=id_, ttl=IN_A_WEEK
            )
    for number, item in ((1, "i1"), (2, "i10"), (3, "i1")):
        url_id = f"url{number}of{family}"
        yield make_record(
            NFCUrl, family_id=family, item_id=item, url_id=url_id, created_at=day(number)
        )
    for place in ("l1", "l10"):
        yield make_record(StorageLocation, family_id=family, location_id=place)
    for shop in ("s1", "s10"):
        yield make_record(Store, family_id=family, store_id=shop)


def _shopping(family: str) -> Iterator[Record]:
    for entry, store, status, ttl in (
        ("e1", "s1", "pending", None),
        ("e2", "s1", "purchased", IN_A_WEEK),
        ("e3", "s10", "pending", None),
        ("e4", None, "pending", None),
        ("e5", None, "purchased", IN_A_WEEK),
        ("e6", "s1", "purchased", LONG_AGO),
    ):
        yield make_record(
            ShoppingListItem,
            family_id=family,
            shopping_item_id=entry,
            store_id=store,
            status=status,
            ttl=ttl,
        )
    for entry, added, ttl in (("e1", 3, IN_A_WEEK), ("e2", 1, IN_A_WEEK), ("e3", 2, LONG_AGO)):
        known = {"shopping_item_id": entry, "added_at": day(added), "ttl": ttl}
        yield make_record(Purchase, family_id=family, **known)
    for store, name in (("s1", "n1"), ("s1", "n10"), ("s10", "n1"), (None, "n1")):
        known = {"store_id": store, "name_digest": name, "ttl": IN_A_WEEK}
        yield make_record(StorePlace, family_id=family, **known)


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
        yield make_record(
            Suggestion, family_id=family, suggestion_id=f"w{number}", status=asked, created_at=at
        )
        yield make_record(
            Notification, family_id=family, notification_id=f"n{number}", status=told, created_at=at
        )


def _books(user: str) -> Iterator[Record]:
    yield make_record(ReaderSettings, user_id=user)
    for number, (book, status) in enumerate(
        [("b1", "READ"), ("b10", "READING"), ("b2", "SHELF"), ("b3", "READ")], 1
    ):
        yield make_record(Book, user_id=user, id=book, status=status, updated_at=day(9 - number))
        for note in ("n1", "n2"):
            yield make_record(Note, user_id=user, book_id=book, id=note)
        for page in (1, 2, 3):
            yield make_record(
                ReadingEvent, user_id=user, book_id=book, id=f"r{page}", occurred_at=day(page)
            )


def _shares(family: str) -> Iterator[Record]:
    short_id = "abc-def-12345" if family == OURS else "abc-def-12346"
    yield make_record(Shareable, short_id=short_id, expires_at=NEVER, ttl=IN_A_WEEK)
    for item in ("c1", "c2"):
        yield make_record(ChecklistItem, short_id=short_id, checklist_item_id=item, ttl=IN_A_WEEK)
    for slot in (7, 12):
        yield make_record(
            PoolSlot, bucket=99 if family == OURS else 9, slot=slot, id="AAA-AAA-00000"
        )


GET, QUERY = {"get": 1}, {"query": 1}
Ask = Callable[[Database], Awaitable[Any]]


@pytest.fixture(scope="module", params=ENGINES)
async def full(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Database]:
    async with tables(request, tmp_path_factory.mktemp("full")) as open_another:
        database = open_another()
        await database.batch([record.put() for record in everything()])
        yield database


SINGLE: dict[str, tuple[Ask, str]] = {
    "get shopping item by ID": (lambda db: shopping.entry(db, OURS, "e1"), "SHOPPING#e1"),
    "get suggestion by ID": (lambda db: suggestions.suggestion(db, OURS, "w1"), "SUGGESTION#w1"),
    "get inventory item": (lambda db: inventory.get_item(db, OURS, "i1"), "ITEM#i1"),
    "get member": (lambda db: families.get_member(db, OURS, "m1"), "MEMBER#m1"),
    "get family": (lambda db: families.get_family(db, OURS), f"FAMILY#{OURS}"),
    "get invitation": (lambda db: families.get_invitation(db, OURS, "v1"), "INVITATION#v1"),
    "get location": (lambda db: places.get_location(db, OURS, "l1"), "LOCATION#l1"),
    "get store": (lambda db: places.get_store(db, OURS, "s1"), "STORE#s1"),
    "get notification": (lambda db: db.get(notices.key_of(OURS, "n1")), "NOTIFICATION#n1"),
    "get book by ID": (lambda db: books.book(db, OURS, "b1"), "BOOK#b1"),
    "get a reader's settings": (lambda db: books.settings(db, OURS), "METADATA"),
    "get shareable": (lambda db: shares.find_shareable(db, "ABC DEF 12345"), "01#"),
}


@pytest.mark.parametrize("name", SINGLE)
async def test_record_costs_one_get(full: Database, name: str) -> None:
    ask, sort = SINGLE[name]
    with count_operations(full) as spent:
        record = await ask(full)
    assert spent == GET
    assert (is_ours(record), record.own_key().sort) == (True, sort)


URL1, URL2, URL3 = (f"URL#url{number}of{OURS}" for number in (1, 2, 3))
EVENTS = [f"EVENT#b1#{day(number)}#r{number}" for number in (1, 2, 3)]
HISTORY = [f"HISTORY#i1#{day(number)}#h{number}" for number in (2, 1)]

LISTED: dict[str, tuple[Query[Any], Sequence[str]]] = {
    "shopping items": (shopping.whole_list(OURS), ["e1", "e2", "e3", "e4", "e5"]),
    "shopping items by store": (shopping.entries_at_store(OURS, "s1"), ["e1", "e2"]),
    "unassigned shopping items": (shopping.entries_at_store(OURS, None), ["e4", "e5"]),
    "pending by store": (shopping.pending_at_store(OURS, "s1"), ["e1"]),
    "pending and unassigned": (shopping.pending_at_store(OURS, None), ["e4"]),
    "purchases, latest first": (
        purchases_of(OURS),
        [f"PURCHASE#{day(3)}#e1", f"PURCHASE#{day(1)}#e2"],
    ),
    "places in a store": (
        positions_of_store(OURS, "s1"),
        ["STORE#s1#NAME#n1", "STORE#s1#NAME#n10"],
    ),
    "places of what is bought anywhere": (
        positions_of_store(OURS, None),
        ["STORE#UNASSIGNED#NAME#n1"],
    ),
    "places in all stores": (
        positions_of_family(OURS),
        [
            "STORE#UNASSIGNED#NAME#n1",
            "STORE#s1#NAME#n1",
            "STORE#s1#NAME#n10",
            "STORE#s10#NAME#n1",
        ],
    ),
    "suggestions by family": (suggestions.suggestions_of(OURS), ["w1", "w2", "w3", "w4"]),
    "pending suggestions, newest first": (suggestions.with_status(OURS, "pending"), ["w3", "w1"]),
    "approved suggestions": (suggestions.with_status(OURS, "approved"), ["w2"]),
    "rejected suggestions": (suggestions.with_status(OURS, "rejected"), ["w4"]),
    "active items, lowest first": (
        inventory.items_by_quantity(OURS, "active"),
        ["i10", "i1", "i2"],
    ),
    "archived items": (inventory.items_by_quantity(OURS, "archived"), ["i3"]),
    "items by the table": (inventory.all_items(OURS), ["i1", "i10", "i2", "i3"]),
    "an item's history, newest first": (inventory.history_of(OURS, "i1"), HISTORY),
    "members": (families.members_of(OURS), [f"m-of-{OURS}", "m1", "m10"]),
    "active members": (
        families.members_with_status(OURS, "active"),
        [f"m-of-{OURS}", "m1", "m10"],
    ),
    "removed members": (families.members_with_status(OURS, "removed"), []),
    "invitations": (families.invitations_of(OURS), ["v1", "v10"]),
    "invitations that wait": (
        families.invitations_with_status(OURS, "pending", "s"),
        ["v1", "v10"],
    ),
    "invitations too late": (families.invitations_with_status(OURS, "expired", "t"), ["v1", "v10"]),
    "invitations taken back": (families.invitations_with_status(OURS, "revoked", "s"), []),
    "invitations to an address": (families.invitations_open_to(f"eve@{OURS}.local", "s"), ["v10"]),
    "locations": (places.locations_of(OURS), ["l1", "l10"]),
    "stores": (places.stores_of(OURS), ["s1", "s10"]),
    "active notices, newest first": (notices.notices_by_status(OURS, "active"), ["n3", "n1"]),
    "unresolved notices": (notices.unresolved_notices(OURS), ["n2", "n1", "n3"]),
    "resolved notices": (notices.notices_by_status(OURS, "resolved"), ["n4"]),
    "URLs for item": (taps.tags_of_item(OURS, "i1"), [f"ITEM#i1#{URL1}", f"ITEM#i1#{URL3}"]),
    "URLs for family, newest first": (
        taps.tags_of_family(OURS),
        [f"ITEM#i1#{URL3}", f"ITEM#i10#{URL2}", f"ITEM#i1#{URL1}"],
    ),
    "books for user": (books.shelf(OURS), ["b1", "b10", "b2", "b3"]),
    "books of one status, by when touched": (books.books_with_status(OURS, "READ"), ["b3", "b1"]),
    "books of one status, until": (books.books_changed_until(OURS, "READ", day(5)), ["b3"]),
    "books of one status, from": (books.books_changed_since(OURS, "READ", day(6)), ["b1"]),
    "notes for book": (books.notes_of(OURS, "b1"), ["NOTE#b1#n1", "NOTE#b1#n2"]),
    "events for book, oldest first": (books.timeline(OURS, "b1"), EVENTS),
    "events for book, newest first": (books.timeline(OURS, "b1").newest_first(), EVENTS[::-1]),
    "events from": (books.timeline_between(OURS, "b1", day(2), None), EVENTS[1:]),
    "events until": (books.timeline_between(OURS, "b1", None, day(2)), EVENTS[:2]),
    "events between": (books.timeline_between(OURS, "b1", day(2), day(2)), EVENTS[1:2]),
    "items of a list": (items_of("abc-def-12345"), ["01#c1#", "01#c2#"]),
}


PASSED_OVER = {"items by the table": 3, "removed members": 3, "invitations taken back": 2}
"""The number of records that a query reads without returning them; otherwise none."""
EXPIRED = {"shopping items": 1, "shopping items by store": 1, "purchases, latest first": 1}
"""The additional records that it reads on servers that keep expired records for a while."""


@pytest.mark.parametrize("name", LISTED)
async def test_list_costs_one_query(full: Database, name: str) -> None:
    query, ids = LISTED[name]
    before = full.engine.rows
    with count_operations(full) as spent:
        records = await full.all(query)
    assert spent == QUERY
    expired = 0 if isinstance(full.engine, Sqlite) else EXPIRED.get(name, 0)
    assert full.engine.rows - before == len(ids) + PASSED_OVER.get(name, 0) + expired
    assert all(map(is_ours, records))
    assert [short(record) for record in records] == ids


@pytest.mark.parametrize("name", LISTED)
async def test_page_and_count_cost_one_query_each(full: Database, name: str) -> None:
    query, ids = LISTED[name]
    with count_operations(full) as spent:
        page = await full.query(query.page(100))
    assert (len(page.items), page.next, spent) == (len(ids), None, QUERY)
    with count_operations(full) as spent:
        counted = await full.count(query)
    assert (counted, spent) == (len(ids), QUERY)


async def test_shopping_items_by_status_cost_one_query_over_all_stores(full: Database) -> None:
    with count_operations(full) as spent:
        pending = await full.all(shopping.entries_with_status(OURS, "pending"))
    assert spent == QUERY
    assert sorted(map(short, pending)) == ["e1", "e3", "e4"]
    assert sorted(map(short, await full.all(shopping.entries_with_status(OURS, "purchased")))) == [
        "e2",
        "e5",
    ]


async def test_tag_lookup_by_address_costs_one_query(full: Database) -> None:
    with count_operations(full) as spent:
        tag = await taps.find_by_url_id(full, f"url1of{OURS}")
    assert spent == QUERY
    assert tag is not None
    assert (tag.family_id, tag.item_id) == (OURS, "i1")
    assert await taps.find_by_url_id(full, "url1of") is None


async def test_families_of_account_cost_one_query(full: Database) -> None:
    with count_operations(full) as spent:
        mine = await families.indexed_memberships(full, "m1")
    assert spent == QUERY
    assert [(member.family_id, member.member_id) for member in mine] == [
        (OURS, "m1"),
        (THEIRS, "m1"),
    ]


async def test_invitations_of_email_cost_one_query(full: Database) -> None:
    with count_operations(full) as spent:
        found = await families.indexed_invitations(full, "ADA@home.local")
    assert spent == QUERY
    assert sorted(invitation.family_id for invitation in found) == [OURS, THEIRS]
    assert {invitation.invitation_id for invitation in found} == {"v1"}


async def test_free_slots_of_bucket_cost_one_query(full: Database) -> None:
    with count_operations(full) as spent:
        slots = await full.all(free_slots(99))
    assert spent == QUERY
    assert [(slot.bucket, slot.slot) for slot in slots] == [(99, 7), (99, 12)]
    assert await full.all(free_slots(98)) == []


def is_ours(record: Record) -> bool:
    owners = [getattr(record, name, None) for name in ("family_id", "user_id", "short_id")]
    return OURS in owners or "abc-def-12345" in owners


def short(record: Record) -> str:
    """Return the sort key of a record, which identifies it."""
    sort = str(record.own_key().sort)
    return sort if sort.count("#") != 1 else sort.partition("#")[2]
