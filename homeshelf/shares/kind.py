"""The interface of a kind of shared list, which each kind implements in its own folder."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from homeshelf.coordination.todos import Handler
from homeshelf.shares.model import ChildRecord, NewChild, Shareable
from homeshelf.table import Query

if TYPE_CHECKING:
    from homeshelf.access.view import Visitor
    from homeshelf.shares.bodies import NewShareable
    from homeshelf.shares.dependencies import AccessibleList


@dataclass(frozen=True)
class ShareableKind:
    entity: str
    records: Mapping[type[ChildRecord], Callable[[str], Query[Any]]]
    """The child records of a list, with the query that finds them by its short id."""
    body: "type[NewShareable]"
    """The body of POST /shareables; its `content` has an item for each new child."""
    new_children: Callable[[Shareable, Sequence[Any]], Sequence[ChildRecord]]
    sort_children: Callable[[Sequence[Any]], tuple[Any, ...]]
    copy_children: Callable[[Sequence[Any]], tuple[NewChild, ...]]
    render_children: Callable[[Sequence[Any]], Mapping[str, Any]]
    children_schema: Mapping[str, Any]
    show_page: "Callable[[Visitor, AccessibleList, str], Awaitable[Response]]"
    messages: Mapping[str, str] = field(default_factory=dict)
    """The messages of its page, by the `said` parameter of the URL."""
    is_printed: bool = False
    api: Sequence[APIRouter] = ()
    pages: Sequence[APIRouter] = ()
    todos: Mapping[str, Handler] = field(default_factory=dict)


_kinds: dict[str, ShareableKind] = {}


def register(*kinds: ShareableKind) -> None:
    """Register kinds of lists; the first is the default."""
    _kinds.update((kind.entity, kind) for kind in kinds)


def all_kinds() -> Sequence[ShareableKind]:
    return tuple(_kinds.values())


def kind_of(entity: str = "") -> ShareableKind:
    """Return the kind of an entity, or the default kind if it is unknown."""
    return _kinds.get(entity) or next(iter(_kinds.values()))
