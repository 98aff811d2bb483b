"""A slice as one value: what it brings, and what it does when something of another slice goes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from homeshelf.config import Settings
from homeshelf.coordination.todos import Handler
from homeshelf.table import Database, Query
from homeshelf.web.forwarding import Forwarding, Hosts
from homeshelf.web.wording import Tab

if TYPE_CHECKING:
    from homeshelf.web.application import Application
    from homeshelf.web.health import Observe
    from homeshelf.web.services import Services


@dataclass(frozen=True)
class Surroundings:
    """What is around all routes, for an endpoint that goes past it."""

    forwarding: Forwarding
    hosts: Hosts
    observe: "Observe | None"


async def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True)
class Slice:
    """What has the type Any is what the slice that asks for it says it is."""

    name: str
    api: Sequence[APIRouter] = ()
    pages: Sequence[APIRouter] = ()
    first: Callable[[Settings], Sequence[APIRouter]] = lambda _: ()
    """What hides pages of other slices, where the settings want it."""
    tab: Tab | None = None
    todos: Callable[["Services"], Mapping[str, Handler]] = lambda _: {}
    letters: Mapping[str, Any] = field(default_factory=dict)
    """Who writes a letter of a kind."""
    topics: Mapping[str, Any] = field(default_factory=dict)
    """What is said about a kind of matter, and to whom."""
    counts: Mapping[str, Callable[[str], Query[Any]]] = field(default_factory=dict)
    """What waits in a family, by what the API calls its number."""
    families: Any = None
    """Who is in which family: `access.families.Families`."""
    follows_item: Any = None
    """`inventory.following.ItemFollower`"""
    items: Any = None
    """Reads items by their ids, for `notices`."""
    names_place: Callable[[Database, Any], Awaitable[Mapping[str, int] | None]] = _nothing
    """How many of what name a place, up to date."""
    goes_with_family: Sequence[Callable[..., Query[Any]]] = ()
    """By `family_id`, what does not stand among the family's own records."""
    person_gone: Callable[[Database, str], Awaitable[None]] = _nothing
    """After an account is gone: done again where it was not finished."""
    mend: Callable[[Database], Awaitable[tuple[str, str] | None]] = _nothing
    """For `homeshelf doctor`: what was looked after, and a sentence about it."""
    examine: Callable[[Settings], Awaitable[tuple[str, bool] | None]] = _nothing
    """A sentence about what it needs outside of the database, and whether all is well with it."""
    install: Callable[["Application", Surroundings], None] = lambda *_: None
    """For what is no route like all others."""
    start: Callable[["Application", "Services", AsyncExitStack], Awaitable[None]] = _nothing
    """What lives as long as the application does."""
