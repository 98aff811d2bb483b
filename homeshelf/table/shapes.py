"""Records as clients see them, read straight from where they are stored.

A list is read to be shown: nothing is asked of its records. So what is stored becomes a struct with
the fields of the record under the same names, and that becomes JSON, which takes a quarter of the
time that records take. What is not stored as we write it, such as a number in a text, has no such
shape: it becomes a record, which knows more forms.

    as_shown(query)     structs, for pages and other code that reads some of their fields
    as_json(query)      JSON, for a response

Both are cached by the text that the embedded engine stores: between two reads of a list most of it
stays the same.
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
"""Of each kind: two stocks of the 2,000 items that a page sorts, at two kilobytes each."""
CACHED_JSON = 2000
"""Of each kind: some households' lists, at a kilobyte or two for each record."""

_encode = msgspec.json.Encoder(decimal_format="number").encode


def as_shown(query: Query[R]) -> Query[Any]:
    """The same query, of what clients see; of what has another shape it finds the record."""
    return _shaped(query, shape_of(query.kind))


def as_json(query: Query[R]) -> Query[Any]:
    """The same as part of an answer, which goes into JSON as it is."""
    return _shaped(query, json_of(query.kind))


def _shaped(query: Query[R], shape: Shape | None) -> Query[Any]:
    return query if shape is None else replace(query, shape=shape, load=shape.load)


@cache
def shape_of(kind: type[Record]) -> Shape | None:
    """None for a kind with fields that are stored in the key alone."""
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

    return Shape(_cached(_decoder_of(kind), CACHED_SHOWN), load, kind.of_kind)


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
    fields += [(name, Any, None) for name in kind.worked_out.values()]
    return msgspec.defstruct(
        kind.__name__,
        fields,
        namespace=_finishing(kind),
        kw_only=True,
        gc=False,  # nothing in it can lead back to it
        rename={**kind.aliases, **{name: alias for alias, name in kind.worked_out.items()}},
    )


def _field_of(kind: type[Record], name: str) -> tuple[str, Any, Any]:
    """Return a field for a struct: its name, type and default."""
    field = kind.model_fields[name]
    type_ = _exact(field.annotation)
    if name in kind.private:
        type_ = type_ | msgspec.UnsetType
    # A query asks what kind it is: one that does not say so is none of it.
    is_required = field.is_required() or name == "entity_type"
    return name, type_, msgspec.NODEFAULT if is_required else field.default


def _finishing(kind: type[Record]) -> dict[str, Any]:
    """Works out what clients see beyond the attributes, and drops what they do not see."""
    if not kind.worked_out and not kind.private:
        return {}
    worked_out = [(name, getattr(kind, name).fget) for name in kind.worked_out.values()]
    private = tuple(kind.private)

    def finish(self: Any) -> None:
        for name, work_out in worked_out:
            setattr(self, name, work_out(self))
        for name in private:
            setattr(self, name, msgspec.UNSET)

    return {"__post_init__": finish}


def _exact(annotation: Any) -> Any:
    """The type with numbers instead of decimals: msgspec would take a text for a decimal too."""
    if annotation is Decimal:
        return Number
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(_exact, get_args(annotation)))]  # noqa: UP007  # made of a tuple
    return annotation


def _number(_: type, value: Any) -> Any:
    if type(value) in (int, Decimal):
        return value
    raise ValueError("this is no number")
