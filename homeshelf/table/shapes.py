"""Records as clients see them, read straight from where they are stored.

A list is read to be shown: nothing is asked of its records. So what is stored becomes a struct with
the fields of the record under the same names, and that becomes JSON, which takes a quarter of the
time that records take. What is not stored as we write it, such as a number in a text, has no such
shape: it becomes a record, which knows more forms.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from numbers import Number
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

from homeshelf.table.operations import Query, Shape
from homeshelf.table.record import Record

R = TypeVar("R", bound=Record)


def as_shown(query: Query[R]) -> Query[Any]:
    """The same query, of what clients see; of what has another shape it finds the record."""
    shape = shape_of(query.kind)
    return query if shape is None else replace(query, shape=shape, load=shape.load)


@cache
def shape_of(kind: type[Record]) -> Shape | None:
    """None for a kind with fields that are stored in the key alone."""
    if kind.in_key:
        return None
    struct = _struct_of(kind)
    decode_one = msgspec.json.Decoder(struct, float_hook=Decimal, dec_hook=_number).decode

    def decode(texts: Sequence[str]) -> list[Any]:
        return _finished(kind, [decode_one(text) for text in texts])

    def load(item: Any) -> Any:
        if type(item) is struct:
            return item
        try:
            return _finished(kind, [msgspec.convert(item, struct, dec_hook=_number)])[0]
        except msgspec.ValidationError:
            return kind.load(item)

    return Shape(struct, decode, load, kind.of_kind)


def _struct_of(kind: type[Record]) -> type[Any]:
    fields: list[tuple[str, Any, Any]] = []
    for name, field in kind.model_fields.items():
        type_ = _exact(field.annotation)
        if name in kind.private:
            type_ = type_ | msgspec.UnsetType
        # A query asks what kind it is: one that does not say so is none of it.
        is_required = field.is_required() or name == "entity_type"
        fields.append((name, type_, msgspec.NODEFAULT if is_required else field.default))
    fields += [(name, Any, None) for name in kind.worked_out.values()]
    return msgspec.defstruct(
        kind.__name__,
        fields,
        kw_only=True,
        gc=False,  # nothing in it can lead back to it
        rename={**kind.aliases, **{name: alias for alias, name in kind.worked_out.items()}},
    )


def _finished(kind: type[Record], read: list[Any]) -> list[Any]:
    """With what clients see beyond the attributes, and without what they do not see: of all one
    after the other, because a `__post_init__` of each takes three times as long."""
    for name in kind.worked_out.values():
        work_out = getattr(kind, name).fget
        for each in read:
            setattr(each, name, work_out(each))
    for name in kind.private:
        for each in read:
            setattr(each, name, msgspec.UNSET)
    return read


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
