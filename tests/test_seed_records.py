"""Test that stored records equal the examples of the source documents on every engine."""

import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from homeshelf.books.model import Book, Note, ReadingEvent
from homeshelf.shares import store as shares
from homeshelf.shares.checklist.model import ChecklistItem
from homeshelf.shares.checklist.store import items_of
from homeshelf.shares.model import PoolSlot, Shareable
from homeshelf.shares.pool import free_slots
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions import store as suggestions
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import ConditionFailed, Database, Query, Record
from homeshelf.table.expressions import Item, same
from homeshelf.table.operations import Put, item_key
from homeshelf.taps import store as taps
from homeshelf.taps.model import NFCUrl
from tests.moment import Moment

SEEDS = Path(__file__).parent / "seeds"
MODELS: dict[str, type[Record]] = {
    "shopping": ShoppingListItem,
    "suggestions": Suggestion,
    "tags": NFCUrl,
    "shareables: a free short id": PoolSlot,
    "shareables: list": Shareable,
    "shareables: list item": ChecklistItem,
    "books: book": Book,
    "books: note": Note,
    "books: event": ReadingEvent,
}
ADDED: dict[type[Record], dict[str, Any]] = {Shareable: {"version": 1}}
"""The attributes that a new record has beyond the example."""


def read(*documents: str) -> list[Any]:
    found = []
    for document in documents:
        for name, example in json.loads((SEEDS / f"{document}.json").read_text()).items():
            title = f"{document}: {name}"
            model = MODELS.get(document) or MODELS[title]
            found.append(pytest.param(model, example, id=title))
    return found


EXAMPLES = read("shopping", "suggestions", "tags", "shareables")


@pytest.mark.parametrize(("model", "example"), EXAMPLES)
async def test_stored_example_is_read_back_equal(
    database: Database, moment: Moment, model: type[Record], example: dict[str, Any]
) -> None:
    assert moment.at.year == 2024, "the example that expires is a year early"
    await database.put(model.load(example))
    stored = await database.engine.get(key(model, example))
    assert same(dict(stored or {}), example), stored


@pytest.mark.parametrize(("model", "example"), EXAMPLES)
def test_new_record_with_the_values_of_an_example_equals_it(
    model: type[Record], example: dict[str, Any]
) -> None:
    read = model.load(example)
    new = model(**{name: getattr(read, name) for name in model.model_fields})
    assert new.stored is None
    assert same(new.item(), example | ADDED.get(model, {}))


@pytest.mark.usefixtures("moment")
@pytest.mark.parametrize(("model", "example"), EXAMPLES)
async def test_example_is_found_by_each_access_pattern(
    database: Database, model: type[Record], example: dict[str, Any]
) -> None:
    await database.engine.write(Put(model.table, example))
    record = model.load(example)
    for question in questions(database, record):
        if isinstance(question, Query):
            assert await database.all(question) == [record], question
        else:
            assert await question == record


@pytest.mark.parametrize(("model", "example"), read("books"))
async def test_a_book_note_and_event_have_the_keys_of_the_document(
    database: Database, model: type[Record], example: dict[str, Any]
) -> None:
    values = {"title": "x", "content": "x", "page": 1, "createdAt": "x", "updatedAt": "x"}
    record = model(**{**values, **example["attributes"]})
    await database.put(record)
    stored = await database.engine.get(key(model, example["keys"]))
    assert stored == record.item()
    assert stored["entityType"] == model.__name__.removeprefix("Reading").upper()


async def test_suggestion_without_version_is_read_unchanged(
    database: Database,
) -> None:
    old = without_version()
    await database.put(Suggestion.load(old))
    assert await database.engine.get(key(Suggestion, old)) == old
    found = await suggestions.suggestion(database, old["familyId"], old["suggestionId"])
    assert found is not None
    assert (found.version, found.suggested_by_name, found.rejection_notes) == (1, None, None)


async def test_suggestion_without_version_is_reviewed_once(
    database: Database,
) -> None:
    old = Suggestion.load(without_version())
    await database.put(old)
    approved = old.revised("2025-12-10T15:00:00.000Z", status="approved")
    await database.write(approved.replacing(old))
    with pytest.raises(ConditionFailed) as refused:
        await database.write(old.revised("later", status="rejected").replacing(old))
    assert refused.value.current is not None
    assert (refused.value.current["status"], refused.value.current["version"]) == ("approved", 2)


def questions(db: Database, record: Record) -> list[Query[Any] | Awaitable[Any]]:
    match record:
        case ShoppingListItem(family_id=family, store_id=store, status=status):
            return [
                shopping.entry(db, family, record.shopping_item_id),
                shopping.whole_list(family),
                shopping.entries_with_status(family, status),
                shopping.entries_at_store(family, store),
                *([shopping.pending_at_store(family, store)] if status == "pending" else []),
            ]
        case Suggestion(family_id=family, status=status):
            return [
                suggestions.suggestion(db, family, record.suggestion_id),
                suggestions.suggestions_of(family),
                suggestions.with_status(family, status),
            ]
        case NFCUrl(family_id=family):
            return [
                taps.find_by_url_id(db, record.url_id),
                taps.tags_of_item(family, record.item_id),
                taps.tags_of_family(family),
            ]
        case Shareable(short_id=short_id):
            return [shares.find_shareable(db, short_id), shares.find_shareable(db, "ABC DEF 12345")]
        case ChecklistItem(short_id=short_id):
            return [items_of(short_id)]
        case PoolSlot(bucket=bucket):
            return [free_slots(bucket)]
    raise TypeError(record)


def key(model: type[Record], item: Item) -> Any:
    return item_key(model.table, item[model.table.partition], item[model.table.sort])


def without_version() -> dict[str, Any]:
    later = ("version", "suggestedByName", "itemNameSnapshot", "rejectionNotes")
    example = next(iter(json.loads((SEEDS / "suggestions.json").read_text()).values()))
    return {name: value for name, value in example.items() if name not in later}
