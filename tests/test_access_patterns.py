"""Every access pattern is one operation, none scans, and each finds what it asks for alone."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from homeshelf.books import store as books
from homeshelf.families import store as families
from homeshelf.inventory import store as inventory
from homeshelf.notices import store as notices
from homeshelf.places import store as places
from homeshelf.shares import store as shares
from homeshelf.shares.pool import free_slots
from homeshelf.shopping import store as shopping
from homeshelf.shopping.order import places_in, places_of
from homeshelf.shopping.usual import purchases_of
from homeshelf.suggestions import store as suggestions
from homeshelf.table import Database, Query, Record
from homeshelf.table.sqlite.engine import Sqlite
from homeshelf.taps import store as taps
from tests.counting import counting
from tests.databases import ENGINES, tables
from tests.two_families import OURS, THEIRS, day, everything

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
    "get inventory item": (lambda db: inventory.item(db, OURS, "i1"), "ITEM#i1"),
    "get member": (lambda db: families.member(db, OURS, "m1"), "MEMBER#m1"),
    "get family": (lambda db: families.family(db, OURS), f"FAMILY#{OURS}"),
    "get invitation": (lambda db: families.invitation(db, OURS, "v1"), "INVITATION#v1"),
    "get location": (lambda db: places.location(db, OURS, "l1"), "LOCATION#l1"),
    "get store": (lambda db: places.shop(db, OURS, "s1"), "STORE#s1"),
    "get notification": (lambda db: db.get(notices.key_of(OURS, "n1")), "NOTIFICATION#n1"),
    "get book by ID": (lambda db: books.book(db, OURS, "b1"), "BOOK#b1"),
    "get a reader's settings": (lambda db: books.settings(db, OURS), "METADATA"),
    "get shareable": (lambda db: shares.shareable(db, "ABC DEF 12345"), "01#"),
}


@pytest.mark.parametrize("name", SINGLE)
async def test_a_record_is_one_get(full: Database, name: str) -> None:
    ask, sort = SINGLE[name]
    with counting(full) as spent:
        record = await ask(full)
    assert spent == GET
    assert (is_ours(record), record.own_key().sort) == (True, sort)


URL1, URL2, URL3 = (f"URL#url{number}of{OURS}" for number in (1, 2, 3))
EVENTS = [f"EVENT#b1#{day(number)}#r{number}" for number in (1, 2, 3)]
HISTORY = [f"HISTORY#i1#{day(number)}#h{number}" for number in (2, 1)]

LISTED: dict[str, tuple[Query[Any], Sequence[str]]] = {
    "shopping items": (shopping.whole_list(OURS), ["e1", "e2", "e3", "e4", "e5"]),
    "shopping items by store": (shopping.at_store(OURS, "s1"), ["e1", "e2"]),
    "unassigned shopping items": (shopping.at_store(OURS, None), ["e4", "e5"]),
    "pending by store": (shopping.pending_at(OURS, "s1"), ["e1"]),
    "pending and unassigned": (shopping.pending_at(OURS, None), ["e4"]),
    "purchases, latest first": (
        purchases_of(OURS),
        [f"PURCHASE#{day(3)}#e1", f"PURCHASE#{day(1)}#e2"],
    ),
    "places in a store": (
        places_in(OURS, "s1"),
        ["STORE#s1#NAME#n1", "STORE#s1#NAME#n10"],
    ),
    "places of what is bought anywhere": (places_in(OURS, None), ["STORE#UNASSIGNED#NAME#n1"]),
    "places in all stores": (
        places_of(OURS),
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
    "items by the table": (inventory.every_item(OURS), ["i1", "i10", "i2", "i3"]),
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
    "unresolved notices": (notices.unresolved(OURS), ["n2", "n1", "n3"]),
    "resolved notices": (notices.notices_by_status(OURS, "resolved"), ["n4"]),
    "URLs for item": (taps.tags_of_item(OURS, "i1"), [f"ITEM#i1#{URL1}", f"ITEM#i1#{URL3}"]),
    "URLs for family, newest first": (
        taps.tags_of_family(OURS),
        [f"ITEM#i1#{URL3}", f"ITEM#i10#{URL2}", f"ITEM#i1#{URL1}"],
    ),
    "books for user": (books.shelf(OURS), ["b1", "b10", "b2", "b3"]),
    "books of one status, by when touched": (books.with_status(OURS, "READ"), ["b3", "b1"]),
    "books of one status, until": (books.touched_until(OURS, "READ", day(5)), ["b3"]),
    "books of one status, from": (books.touched_from(OURS, "READ", day(6)), ["b1"]),
    "notes for book": (books.notes_of(OURS, "b1"), ["NOTE#b1#n1", "NOTE#b1#n2"]),
    "events for book, oldest first": (books.timeline(OURS, "b1"), EVENTS),
    "events for book, newest first": (books.timeline(OURS, "b1").newest_first(), EVENTS[::-1]),
    "events from": (books.timeline_between(OURS, "b1", day(2), None), EVENTS[1:]),
    "events until": (books.timeline_between(OURS, "b1", None, day(2)), EVENTS[:2]),
    "events between": (books.timeline_between(OURS, "b1", day(2), day(2)), EVENTS[1:2]),
    "items of a list": (shares.items_of("abc-def-12345"), ["01#c1#", "01#c2#"]),
}


PASSED_OVER = {"items by the table": 3, "removed members": 3, "invitations taken back": 2}
"""How many records a question looks at that are not what it asks for; all others none."""
EXPIRED = {"shopping items": 1, "shopping items by store": 1, "purchases, latest first": 1}
"""How many it looks at beyond that where a server keeps for a while what has expired."""


@pytest.mark.parametrize("name", LISTED)
async def test_a_list_is_one_query(full: Database, name: str) -> None:
    query, ids = LISTED[name]
    before = full.engine.rows
    with counting(full) as spent:
        records = await full.all(query)
    assert spent == QUERY
    expired = 0 if isinstance(full.engine, Sqlite) else EXPIRED.get(name, 0)
    assert full.engine.rows - before == len(ids) + PASSED_OVER.get(name, 0) + expired
    assert all(map(is_ours, records))
    assert [short(record) for record in records] == ids


@pytest.mark.parametrize("name", LISTED)
async def test_a_page_and_a_count_of_a_list_are_one_query_each(full: Database, name: str) -> None:
    query, ids = LISTED[name]
    with counting(full) as spent:
        page = await full.query(query.page(100))
    assert (len(page.items), page.next, spent) == (len(ids), None, QUERY)
    with counting(full) as spent:
        counted = await full.count(query)
    assert (counted, spent) == (len(ids), QUERY)


async def test_shopping_items_by_status_are_one_query_over_all_stores(full: Database) -> None:
    with counting(full) as spent:
        pending = await full.all(shopping.with_status(OURS, "pending"))
    assert spent == QUERY
    assert sorted(map(short, pending)) == ["e1", "e3", "e4"]
    assert sorted(map(short, await full.all(shopping.with_status(OURS, "purchased")))) == [
        "e2",
        "e5",
    ]


async def test_a_tag_is_found_by_its_address_in_one_query(full: Database) -> None:
    with counting(full) as spent:
        tag = await taps.for_tag(full, f"url1of{OURS}")
    assert spent == QUERY
    assert tag is not None
    assert (tag.family_id, tag.item_id) == (OURS, "i1")
    assert await taps.for_tag(full, "url1of") is None


async def test_a_person_finds_all_their_families_in_one_query(full: Database) -> None:
    with counting(full) as spent:
        mine = await families.families_of(full, "m1")
    assert spent == QUERY
    assert [(member.family_id, member.member_id) for member in mine] == [
        (OURS, "m1"),
        (THEIRS, "m1"),
    ]


async def test_an_address_finds_its_invitations_in_one_query(full: Database) -> None:
    with counting(full) as spent:
        found = await families.invitations_for(full, "ADA@home.local")
    assert spent == QUERY
    assert sorted(invitation.family_id for invitation in found) == [OURS, THEIRS]
    assert {invitation.invitation_id for invitation in found} == {"v1"}


async def test_a_bucket_of_the_pool_gives_its_rows_in_one_query(full: Database) -> None:
    with counting(full) as spent:
        slots = await full.all(free_slots(99))
    assert spent == QUERY
    assert [(slot.bucket, slot.slot) for slot in slots] == [(99, 7), (99, 12)]
    assert await full.all(free_slots(98)) == []


def is_ours(record: Record) -> bool:
    owners = [getattr(record, name, None) for name in ("family_id", "user_id", "short_id")]
    return OURS in owners or "abc-def-12345" in owners


def short(record: Record) -> str:
    """The id of a record that has a simple key, the sort key of another."""
    sort = str(record.own_key().sort)
    return sort if sort.count("#") != 1 else sort.partition("#")[2]
