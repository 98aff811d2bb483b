"""Records in the form that clients see, decoded directly from storage.

Decoding a struct takes a quarter of the time of a record. An item that does not fit, such as one
with a number in a text, becomes a record instead. Both forms are cached by their stored text,
because most of a list stays the same between two reads.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from numbers import Number
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

from homeshelf.table.operations import Query, Shape
from homeshelf.table.record import Record

R = TypeVar("R", bound=Record)


CACHED_SHOWN = 4096
"""The cached structs per type: two stocks of 2,000 items, at two kilobytes each."""
CACHED_JSON = 2000
"""The cached JSON texts per type: the lists of some households, at up to two kilobytes each."""

_encode = msgspec.json.Encoder(decimal_format="number").encode


def as_shown(query: Query[R]) -> Query[Any]:
    """Return the query for structs, for code that reads some of their fields."""
    return _shaped(query, shape_of(query.kind))


def as_json(query: Query[R]) -> Query[Any]:
    return _shaped(query, json_of(query.kind))


def _shaped(query: Query[R], shape: Shape | None) -> Query[Any]:
    return query if shape is None else replace(query, shape=shape, load=shape.load)


@cache
def shape_of(kind: type[Record]) -> Shape | None:
    """Return the shape, or None for a record with fields that only its key stores."""
    if kind.in_key:
        return None
    struct = _struct_of(kind)

    def load(item: Any) -> Any:
        if type(item) is struct:
            return item
        try:
            return msgspec.convert(item, struct, dec_hook=_number)
        except msgspec.ValidationError:
            return kind.load(item)

    return Shape(_cached(_decoder_of(kind), CACHED_SHOWN), load, kind.kind_filter)


@cache
def json_of(kind: type[Record]) -> Shape | None:
    shape = shape_of(kind)
    if shape is None:
        return None
    decode = _decoder_of(kind)

    def decode_one(text: str) -> msgspec.Raw:
        return msgspec.Raw(_encode(decode(text)))

    def load(item: Any) -> Any:
        return item if isinstance(item, msgspec.Raw) else shape.load(item)

    return Shape(_cached(decode_one, CACHED_JSON), load, shape.implies)


def _cached(decode: Callable[[str], Any], most: int) -> Callable[[Sequence[str]], list[Any]]:
    decode_one = lru_cache(most)(decode)
    return lambda texts: [*map(decode_one, texts)]


def _decoder_of(kind: type[Record]) -> Callable[[str], Any]:
    return msgspec.json.Decoder(_struct_of(kind), float_hook=Decimal, dec_hook=_number).decode


@cache
def _struct_of(kind: type[Record]) -> type[Any]:
    fields = [_field_of(kind, name) for name in kind.model_fields]
    fields += [(name, Any, None) for name in kind.computed.values()]
    return msgspec.defstruct(
        kind.__name__,
        fields,
        namespace=_finisher(kind),
        kw_only=True,
        gc=False,  # a value has no reference cycles
        rename={**kind.aliases, **{name: alias for alias, name in kind.computed.items()}},
    )


def _field_of(kind: type[Record], name: str) -> tuple[str, Any, Any]:
    field = kind.model_fields[name]
    type_ = _exact_type(field.annotation)
    if name in kind.private:
        type_ = type_ | msgspec.UnsetType
    # Queries filter by the entity type, so an item without one has another shape.
    is_required = field.is_required() or name == "entity_type"
    return name, type_, msgspec.NODEFAULT if is_required else field.default


def _finisher(kind: type[Record]) -> dict[str, Any]:
    """Return the functions that add computed values and remove private ones."""
    if not kind.computed and not kind.private:
        return {}
    computed = [(name, getattr(kind, name).fget) for name in kind.computed.values()]
    private = tuple(kind.private)

    def finish(self: Any) -> None:
        for name, work_out in computed:
            setattr(self, name, work_out(self))
        for name in private:
            setattr(self, name, msgspec.UNSET)

    return {"__post_init__": finish}


def _exact_type(annotation: Any) -> Any:
    """Replace decimals by numbers, because msgspec would read a text as a decimal."""
    if annotation is Decimal:
        return Number
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(_exact_type, get_args(annotation)))]  # noqa: UP007  # made of a tuple
    return annotation


def _number(_: type, value: Any) -> Any:
    if type(value) in (int, Decimal):
        return value
    raise ValueError("this is no number")
