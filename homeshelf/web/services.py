"""What the whole application shares while it runs, and what each slice brings to it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.routing import BaseRoute

from homeshelf.config import Settings
from homeshelf.coordination.signing_keys import keys_of
from homeshelf.coordination.todos import Handler
from homeshelf.errors import HomeshelfError
from homeshelf.signing import Signer
from homeshelf.table import (
    Database,
    Query,
    Record,
)
from homeshelf.web.adopting import Adopts
from homeshelf.web.belongings import Belonging, MovesIn
from homeshelf.web.limits import Limits
from homeshelf.web.offline_rules import OfflineRules, join_rules
from homeshelf.web.shell import AddButton, MenuEntry, Tab

T = TypeVar("T")


async def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True)
class Slice:
    name: str
    api: Sequence[APIRouter] = ()
    pages: Sequence[APIRouter] = ()
    plain_routes: Sequence[BaseRoute] = ()
    """ASGI endpoints that need no signature."""
    first: Callable[[Settings], Sequence[APIRouter]] = lambda _: ()
    """What hides pages of other slices, where the settings want it."""
    tab: Tab | None = None
    menu: Sequence[MenuEntry] = ()
    add_button: AddButton | None = None
    """For people who have nothing to add where they are."""
    credentials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """OpenAPI's security schemes beyond being signed in."""
    offline: OfflineRules = field(default_factory=OfflineRules)
    remedies: Mapping[type[HomeshelfError], str] = field(default_factory=dict)
    """The page where a person mends what an error is about."""
    todos: Callable[["Services"], Mapping[str, Handler]] = lambda _: {}
    provides: Sequence[object] = ()
    """Values of classes that others define, which `Services.all` finds: `ItemFollower`, `Topic`."""
    counts: Mapping[str, Callable[[str], Query[Any]]] = field(default_factory=dict)
    """What waits in a family, by what the API calls its number."""
    goes_with_family: Sequence[Callable[..., Query[Any]]] = ()
    """By `family_id`, what does not stand among the family's own records."""
    belongings: Sequence[Belonging] = ()
    """What goes with a family or a person into a file."""
    left_out: Mapping[type[Record], str] = field(default_factory=dict)
    """What does not, and why."""
    moves_in: MovesIn | None = None
    """What comes of its belongings elsewhere; without it they come in as they are."""
    adopts: Adopts | None = None
    """What it needs beside records that another program wrote."""
    adopted_by: Mapping[type[Record], str] = field(default_factory=dict)
    """The attribute that adopting adds last to records of a kind: one without it waits for that."""
    person_gone: Callable[[Database, str], Awaitable[None]] = _nothing
    """After an account is gone: done again where it was not finished."""
    mend: Callable[[Database], Awaitable[tuple[str, str] | None]] = _nothing
    """For `homeshelf doctor`: what was looked after, and a sentence about it."""
    examine: Callable[[Settings], Awaitable[tuple[str, bool] | None]] = _nothing
    """A sentence about what it needs outside of the database, and whether all is well with it."""
    start: Callable[["Services", AsyncExitStack], Awaitable[None]] = _nothing
    """Provides what lives as long as the application does."""


REMEMBERED = 1000


class Likely(dict[str, str]):
    """What was found lately, where to look first: it may have changed since."""

    def keep(self, name: str, found: str) -> None:
        if len(self) >= REMEMBERED:
            self.clear()
        self[name] = found


@dataclass(frozen=True)
class Services:
    settings: Settings
    db: Database
    signer: Signer
    limits: Limits
    slices: tuple[Slice, ...] = ()
    only_families: Likely = field(default_factory=Likely)
    """The family of who is in no other, by their memberId: read together with their account."""
    _provided: dict[type, list[Any]] = field(default_factory=dict)
    _parts: dict[type, Any] = field(default_factory=dict)

    @cached_property
    def offline_rules(self) -> OfflineRules:
        return join_rules(each.offline for each in self.slices)

    @cached_property
    def remedies(self) -> Mapping[type[HomeshelfError], str]:
        return {error: path for each in self.slices for error, path in each.remedies.items()}

    def all(self, kind: type[T]) -> list[T]:
        """Return what the slices provide of a kind."""
        if kind not in self._provided:
            provided = [value for each in self.slices for value in each.provides]
            self._provided[kind] = [value for value in provided if isinstance(value, kind)]
        return self._provided[kind]

    def provide(self, kind: type[T], part: T) -> None:
        """Hold a part of a slice, or of the application, in place of an earlier one."""
        self._parts[kind] = part

    def of(self, kind: type[T], default: T | None = None) -> T:
        """Return the part of this kind: `services.of(Habits)`."""
        part: T = self._parts[kind] if default is None else self._parts.get(kind, default)
        return part


async def open_services(
    settings: Settings, db: Database, slices: tuple[Slice, ...] = ()
) -> Services:
    db = db.under(settings)
    signer = Signer(await keys_of(settings, db))
    return Services(settings, db, signer, Limits(settings, db), slices)


def hold_services(app: FastAPI, services: Services) -> None:
    app.state.services = services


def services_of(source: Request | FastAPI) -> Services:
    app: FastAPI = source.app if isinstance(source, Request) else source
    services: Services = app.state.services
    return services


async def _services(request: Request) -> Services:
    return services_of(request)


async def _db(request: Request) -> Database:
    return services_of(request).db


TheServices = Annotated[Services, Depends(_services)]
Db = Annotated[Database, Depends(_db)]


def base_url(request: Request) -> str:
    """The house's public address, or else the one that the request came by."""
    here = f"{request.url.scheme}://{request.url.netloc}"
    return services_of(request).settings.public_url or here


async def _base_url(request: Request) -> str:
    return base_url(request)


BaseUrl = Annotated[str, Depends(_base_url)]
