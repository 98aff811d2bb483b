"""Records in outline: a few fields of many, and the rest of those that are shown.

Who puts a house of things in order needs their names, and shows a hundred of them.

    page = await db.query(in_outline(query, "name").page(2000))
    first = islice(db.whole(InventoryItem, sorted(page.items, key=by_name)), 100)
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec

from homeshelf.table.expressions import Item
from homeshelf.table.operations import Query, Shape
from homeshelf.table.record import Record
from homeshelf.table.shapes import field_of, number, shape_of

R = TypeVar("R", bound=Record)

REMEMBERED = 4096
"""Of each kind: two houses of as many things as a page looks through, at a kilobyte for each."""

_decode = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode


class Outline(msgspec.Struct, frozen=True, gc=False):
    fields: Any
    stored: Any
    """What the rest is read from: a text or an item, or the record where it was read already."""


def in_outline(query: Query[R], *names: str) -> Query[Outline]:
    """The same query, of these fields. What is wrong with another field shows when it is read."""
    shape = outline_of(query.kind, names)
    return replace(query, shape=shape, load=shape.load)  # type: ignore[return-value]  # of outlines


@cache
def outline_of(kind: type[Record], names: tuple[str, ...]) -> Shape:
    asked = (*names, "entity_type") if kind.of_kind else names
    fields = [field_of(kind, name) for name in asked]
    struct = msgspec.defstruct(
        kind.__name__, fields, kw_only=True, gc=False, rename={**kind.aliases}
    )
    fields_in = msgspec.json.Decoder(struct, float_hook=Decimal, dec_hook=number).decode

    @lru_cache(REMEMBERED)
    def outline(text: str) -> Outline:
        """Remembered by the text, which is read every time."""
        return Outline(fields_in(text), text)

    def decode(texts: Sequence[str]) -> list[Outline]:
        return [*map(outline, texts)]

    def load(item: Any) -> Outline:
        if type(item) is Outline:
            return item
        try:
            return Outline(msgspec.convert(item, struct, dec_hook=number), item)
        except msgspec.ValidationError:
            record = kind.load(item)
            return Outline(record, record)

    return Shape(decode, load, kind.of_kind)


def whole(kind: type[Record], outline: Outline) -> Any:
    """As clients see it; a `ValueError` where nobody can read it."""
    shape, stored = shape_of(kind), outline.stored
    if isinstance(stored, kind):
        return stored
    if shape and isinstance(stored, str):
        with suppress(msgspec.DecodeError):  # it has another shape
            return shape.decode([stored])[0]
    return (shape or kind).load(item_of(outline))


def item_of(outline: Outline) -> Item:
    stored = outline.stored
    item: Item = _decode(stored) if isinstance(stored, str) else stored
    return item
