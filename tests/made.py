"""Records for tests, with whatever a test does not care about made up."""

from collections.abc import Callable
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from homeshelf.table import Record

R = TypeVar("R", bound=Record)

_VALUES: dict[type, Callable[[str], object]] = {
    str: lambda name: f"some {name}",
    int: lambda _: 1,
    dict: lambda _: {},
}


def made(model: type[R], **given: Any) -> R:
    """A new record with these values; those it needs besides are made up."""
    needed = {
        name: _some(field.annotation, name)
        for name, field in model.model_fields.items()
        if field.is_required() and name not in given
    }
    return model(**needed, **given)


def filled(model: type[R]) -> R:
    """A new record with a value for everything that it can hold."""
    fields = model.model_fields.items()
    return model(**{name: _some(field.annotation, name) for name, field in fields})


def _some(annotation: Any, name: str) -> object:
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if get_origin(annotation) in (UnionType, Union, tuple):
        value = _some(get_args(annotation)[0], name)
        return (value,) if get_origin(annotation) is tuple else value
    kind = get_origin(annotation) or annotation
    make = _VALUES.get(kind)
    return make(name) if make else kind(1)
