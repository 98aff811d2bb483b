"""JSON that is shaped from stored items equals the JSON of their records, byte for byte."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from structlog.testing import capture_logs

from homeshelf.books.model import Book
from homeshelf.inventory.model import InventoryItem
from homeshelf.moving.record_kinds import every_kind
from homeshelf.places.model import Store
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database, Query, Record, as_json, as_shown, attr
from homeshelf.table.expressions import Item, holds
from homeshelf.table.operations import Put
from homeshelf.table.shapes import shape_of
from homeshelf.table.sqlite import items as stored_as
from homeshelf.table.values import measure_item
from homeshelf.web.json import decode, encode, shown
from tests.records import fill_record, make_record
from tests.table.faulty_engines import damage_records

KINDS = [kind for kind in every_kind() if shape_of(kind)]

texts = st.sampled_from(
    ["", "1", "1.5", "NaN", "true", 'a "b"\\\n', "é", "\U0001f345", "\x7f\u2028"]
)
names = st.sampled_from(["a", "é b"])
numbers = st.sampled_from([0, 1, -7, 2**63, 10**37 + 1, Decimal("1.5"), Decimal("-1E-9")])
simple = st.one_of(st.none(), st.booleans(), texts, numbers)
anything = st.one_of(simple, simple, st.lists(simple, max_size=2), st.dictionaries(names, simple))
fitting_by_type: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.sampled_from([0, 1, -7, 2**63, 10**37 + 1]),
    Decimal: numbers,
    bool: st.booleans(),
    NoneType: st.none(),
    Any: anything,
}


def values_for_type(annotation: Any) -> st.SearchStrategy[Any]:
    """Return the stored values of a field of this type."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (Union, UnionType):
        return st.one_of(*map(values_for_type, parts))
    if origin is tuple:
        return st.lists(values_for_type(parts[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(names, values_for_type(parts[1]), max_size=2)
    return fitting_by_type[annotation]


@st.composite
def stored_items(draw: st.DrawFn, kind: type[Record]) -> Item:
    """Draw an item; some items lack attributes, and some have invalid values."""
    item = {
        kind.aliases[name]: draw(values_for_type(field.annotation))
        for name, field in kind.model_fields.items()
        if field.is_required() or draw(st.integers(0, 5))
    }
    item |= {"PK": "some partition", "SK": "some key", "somethingNew": draw(anything)}
    for alias in draw(st.lists(st.sampled_from([*item, *kind.computed]), max_size=2)):
        if draw(st.booleans()):
            item[alias] = draw(anything)
        else:
            item.pop(alias, None)
    return measure_item(item)[0]


@settings(max_examples=400)
@given(st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind), stored_items(kind))))
def test_shaped_value_equals_the_shown_record(stored: tuple[type[Record], Item]) -> None:
    kind, item = stored
    shape = shape_of(kind)
    assert shape
    try:
        record: Record | None = kind.load(item)
    except ValidationError:
        record = None
    try:
        (straight,) = shape.decode([stored_as.encode(item).decode()])
    except msgspec.DecodeError:
        straight = None
    if straight is not None:
        assert record is not None
        assert holds(shape.implies, item)
        assert encode(straight) == encode(shown(record))
        assert encode(shape.load(straight)) == encode(straight)
    if record is None:
        with pytest.raises(ValidationError):
            shape.load(item)
    elif holds(shape.implies, item):
        assert encode(shape.load(item)) == encode(shown(record))


@pytest.mark.parametrize("kind", KINDS)
def test_items_we_write_fit_their_shape(kind: type[Record]) -> None:
    shape = shape_of(kind)
    assert shape
    for record in (make_record(kind), fill_record(kind)):
        item = measure_item(record.item())[0]
        read = [*shape.decode([stored_as.encode(item).decode()]), shape.load(item)]
        assert not any(isinstance(each, Record) for each in read)
        assert [encode(each) for each in read] == [encode(shown(record))] * 2


def entries(number: int, **given: Any) -> list[ShoppingListItem]:
    return [
        make_record(ShoppingListItem, family_id="f", shopping_item_id=f"{each:03}", **given)
        for each in range(number)
    ]


async def pages_of(db: Database, query: Query[Any], limit: int) -> tuple[list[bytes], list[Any]]:
    """Return the JSON of each page, and the cursor after it."""
    seen, ends, start = [], [], None
    while True:
        page = await db.query(query.page(limit, start))
        seen.append(encode(page.items))
        ends.append(start := page.next)
        if start is None:
            return seen, ends


async def compared_pages(db: Database, query: Query[Any], limits: Sequence[int]) -> list[bytes]:
    """Return the pages of the last limit; both ways must give the same pages for each limit."""
    straight: tuple[list[bytes], list[Any]] = [], []
    for limit in limits:
        with capture_logs() as logs:
            straight = await pages_of(db, as_shown(query), limit)
            for _ in range(2):  # first without the cache, then from the cache
                assert straight == await pages_of(db, as_shown(query), limit)
                assert straight == await pages_of(db, as_json(query), limit)
        logs = logs[: len(logs) // 5]
        with capture_logs() as logs_of_records:
            assert straight == await pages_of(db, query, limit)
        assert logs == logs_of_records
    return straight[0]


async def test_shaped_pages_end_like_pages_of_records(database: Database) -> None:
    await database.batch([entry.put() for entry in entries(9, store_id="s", quantity=3)])
    others = ShoppingListItem.where("GSI2", family_id="f")
    for query in (ShoppingListItem.where(family_id="f").up_to_date(), others):
        for asked in (query, query.newest_first()):
            assert b'"quantity":3' in (await compared_pages(database, asked, [1, 2, 8, 9, 10]))[0]


async def test_item_of_another_shape_is_shown_or_skipped_like_a_record(database: Database) -> None:
    written = entries(14)
    items = [dict(entry.item()) for entry in written]
    del items[1]["status"], items[1]["version"]
    items[2]["quantity"] = "7"
    items[3]["name"] = {"none": "of ours"}
    items[4]["entityType"] = "Something"
    del items[5]["entityType"]
    items[6]["comesLater"] = [1, {"two": None}]
    items[7]["quantity"] = True
    items[8]["ttl"] = 1
    await database.batch([Put(ShoppingListItem.table, item) for item in items])
    await damage_records(database.engine, [written[0].own_key(), written[10].own_key()])
    query = ShoppingListItem.where(family_id="f").up_to_date()
    seen = msgspec.json.decode((await compared_pages(database, query, [1, 2, 3, 7, 20]))[0])
    assert [each["shoppingItemId"] for each in seen] == [
        f"{n:03}" for n in (1, 2, 6, 7, 9, 11, 12, 13)
    ]
    assert [each["quantity"] for each in seen[:4]] == [None, 7, None, 1]


async def test_filters_and_predicates_use_stored_values(database: Database) -> None:
    bought = [entry.changed(status="purchased", quantity=n) for n, entry in enumerate(entries(8))]
    waiting = [
        make_record(ShoppingListItem, family_id="f", shopping_item_id=f"1{n}", quantity=n)
        for n in range(8)
    ]
    await database.batch([entry.put() for entry in (*bought, *waiting)])
    query = ShoppingListItem.where(family_id="f").up_to_date()
    few = query.only(attr("status") == "purchased")
    odd = query.matching(lambda item: item["quantity"] % 2 == 1)  # type: ignore[operator]  # a number
    for asked, count in ((few, 8), (odd, 8), (few.matching(odd.predicate), 4)):  # type: ignore[arg-type]  # it has one
        (seen,) = await compared_pages(database, asked, [1, 3, 4, 8, 20])
        assert seen.count(b'"shoppingItemId"') == count
    assert b"pending" not in (await compared_pages(database, few, [20]))[0]


async def test_shaped_query_reads_more_than_one_internal_page(database: Database) -> None:
    """The page ends between the part read in the event loop and the part read in a thread."""
    await database.batch([entry.put() for entry in entries(300, status="pending")])
    query = ShoppingListItem.where(family_id="f").up_to_date()
    for limit in (100, 255, 256, 257, 300):
        seen = b"".join(await compared_pages(database, query, [limit]))
        assert seen.count(b'"shoppingItemId"') == 300
    last = query.matching(lambda item: item["SK"] in ("SHOPPING#000", "SHOPPING#299"))
    await compared_pages(database, last, [1, 2])


async def test_private_fields_are_hidden_and_computed_values_are_shown(database: Database) -> None:
    store = make_record(Store, family_id="f", closed_at="then")
    item = make_record(InventoryItem, family_id="f", quantity=1, threshold=2)
    wish = fill_record(Suggestion).changed(family_id="f").item() | {"madeItemId": "i"}
    await database.batch([store.put(), item.put(), Put(Suggestion.table, wish)])
    (seen,) = await compared_pages(database, Store.where(family_id="f"), [5])
    assert b"closedAt" not in seen
    (seen,) = await compared_pages(database, InventoryItem.where(family_id="f"), [5])
    assert b'"isLowStock":true' in seen
    (seen,) = await compared_pages(database, Suggestion.where(family_id="f"), [5])
    assert b"madeItemId" not in seen


@pytest.mark.parametrize("read_as", [as_shown, as_json])
async def test_change_is_seen_at_once_after_a_cached_read(
    database: Database, read_as: Callable[[Query[Any]], Query[Any]]
) -> None:
    milk = make_record(InventoryItem, family_id="f", name="Milk", quantity=1)
    changes: list[dict[str, Any]] = [{}, {"name": "Oat milk"}, {"quantity": 7}]
    for each in changes:
        milk = milk.changed(**each)
        await database.put(milk)
        (seen,) = await database.all(read_as(InventoryItem.where(family_id="f").up_to_date()))
        assert encode(seen) == encode(shown(milk))


async def test_numbers_stay_exact(database: Database) -> None:
    prices = [Decimal("0.1"), Decimal(3), Decimal("12345678901234567890.123456789012345678")]
    books = [
        make_record(Book, user_id="u", id=f"{n}", price=price) for n, price in enumerate(prices)
    ]
    await database.batch([book.put() for book in books])
    (seen,) = await compared_pages(database, Book.where(user_id="u"), [5])
    for price in prices:
        assert f'"price":{price},'.encode() in seen


async def test_text_is_converted_to_a_number_only_if_records_do_so(database: Database) -> None:
    books = [make_record(Book, user_id="u", id=f"{n}").item() for n in range(4)]
    for book, price in zip(books, ("NaN", "1.5", "Infinity", "none"), strict=True):
        book["price"] = price
    await database.batch([Put(Book.table, book) for book in books])
    (seen,) = await compared_pages(database, Book.where(user_id="u"), [5])
    assert [each["price"] for each in decode(seen)] == [Decimal("1.5")]
