"""From an item to a record, and what happens where it is none."""

from typing import TypeVar

from pydantic import ValidationError

from homeshelf.table.engine import Unreadable
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Key, Query, item_key

R = TypeVar("R")


def loaded(asked: Key[R] | Query[R], item: Item) -> R:
    """The record; `Unreadable` where the item is of another shape."""
    try:
        return asked.load(item)
    except ValueError as error:
        table = asked.table
        key = item_key(table, item[table.partition], item[table.sort])
        raise Unreadable(key, _why(error)) from None


def minding_predicate(query: Query[R]) -> Query[R]:
    """A query whose predicate lets unreadable records through, so that loading reports them."""
    predicate = query.predicate
    if predicate is None:
        return query

    def minding(item: Item) -> bool:
        try:
            return predicate(item)
        except Exception:
            try:
                query.load(item)
            except ValueError:
                return True
            raise

    return query.matching(minding)


def _why(error: ValueError) -> str:
    """Which attributes are wrong and how, and nothing of what is in them."""
    if not isinstance(error, ValidationError):
        return "its key is of another form"
    wrong = error.errors(include_url=False, include_context=False, include_input=False)
    return ", ".join(sorted({f"{each['loc'][0]} ({each['type']})" for each in wrong}))
