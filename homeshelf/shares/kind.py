"""A kind of thing that can be shared, as one value that its own folder supplies.

Short ids, passcodes, access, expiry, limits, the live stream and "My lists" know no kind. They ask
`kind_of` for what is different, and `kinds.py` names all kinds.
"""

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
    from homeshelf.shares.opening import AtList


@dataclass(frozen=True)
class ShareableKind:
    entity: str
    records: Mapping[type[ChildRecord], Callable[[str], Query[Any]]]
    """The records beside the `Shareable`, with the query that finds them by its short id. They
    expire, move into files and are deleted with it."""
    body: "type[NewShareable]"
    """What POST /shareables accepts; its `content` has an item for each new child."""
    new_children: Callable[[Shareable, Sequence[Any]], Sequence[ChildRecord]]
    """Make the records of a new list from the items of its content."""
    in_order: Callable[[Sequence[Any]], tuple[Any, ...]]
    copied: Callable[[Sequence[Any]], tuple[NewChild, ...]]
    """Return what a clone has of the children."""
    show: Callable[[Sequence[Any]], Mapping[str, Any]]
    """Return the children as the API shows them, by the names of their attributes."""
    shape: Mapping[str, Any]
    """The same for the document of the API."""
    page: "Callable[[Visitor, AtList, str], Awaitable[Response]]"
    """Answer with the page of a list, and with a sentence on it."""
    said: Mapping[str, str] = field(default_factory=dict)
    """The sentences of its page, by what stands in its address."""
    is_printed: bool = False
    """Whether one of its pages is `/s/{shortId}/print`."""
    api: Sequence[APIRouter] = ()
    pages: Sequence[APIRouter] = ()
    todos: Mapping[str, Handler] = field(default_factory=dict)


_kinds: dict[str, ShareableKind] = {}


def register(*kinds: ShareableKind) -> None:
    """Let lists be of these kinds; the first is the default."""
    _kinds.update((kind.entity, kind) for kind in kinds)


def all_kinds() -> Sequence[ShareableKind]:
    return tuple(_kinds.values())


def kind_of(entity: str = "") -> ShareableKind:
    """Return the kind of an entity, or the default kind for one that is not registered."""
    return _kinds.get(entity) or next(iter(_kinds.values()))
