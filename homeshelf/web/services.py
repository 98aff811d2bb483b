"""The parts of the running application, and what each slice contributes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.routing import BaseRoute

from homeshelf.config import Settings
from homeshelf.coordination.adopting import Adopts
from homeshelf.coordination.belongings import Belonging, MovesIn
from homeshelf.coordination.signing_keys import keys_of
from homeshelf.coordination.todos import Handler
from homeshelf.errors import HomeshelfError
from homeshelf.signing import Signer
from homeshelf.table import (
    Database,
    Query,
    Record,
)
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
    """Routes before those of other slices, depending on the settings."""
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
    """Values of classes that others define, which `Services.all` finds, such as `ItemFollower`."""
    counts: Mapping[str, Callable[[str], Query[Any]]] = field(default_factory=dict)
    """What is counted in a family, by the name of its count in the API."""
    goes_with_family: Sequence[Callable[..., Query[Any]]] = ()
    """Queries by `family_id` for records outside of the family's partition."""
    belongings: Sequence[Belonging] = ()
    """The records that are exported with a family or a person."""
    left_out: Mapping[type[Record], str] = field(default_factory=dict)
    """The records that are not, with the reason."""
    moves_in: MovesIn | None = None
    """Turns exported records into those of another house."""
    adopts: Adopts | None = None
    """Plans the records that are needed beside those of another program."""
    adopted_by: Mapping[type[Record], str] = field(default_factory=dict)
    """The attribute that adopting adds last to a kind: records without it are not yet adopted."""
    person_gone: Callable[[Database, str], Awaitable[None]] = _nothing
    """Called after an account is deleted, until it succeeds."""
    mend: Callable[[Database], Awaitable[tuple[str, str] | None]] = _nothing
    """Repairs for `homeshelf doctor`: their subject, and a sentence about them."""
    examine: Callable[[Settings], Awaitable[tuple[str, bool] | None]] = _nothing
    """A sentence about outside services, and whether they work."""
    start: Callable[["Services", AsyncExitStack], Awaitable[None]] = _nothing
    """Provides what lives as long as the application does."""


REMEMBERED = 1000


class Likely(dict[str, str]):
    """A cache of hints, which may be outdated."""

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
    """The family of members with only one, by memberId, to read it with the account."""
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
    """Return the public URL, or else the one of the request."""
    here = f"{request.url.scheme}://{request.url.netloc}"
    return services_of(request).settings.public_url or here


async def _base_url(request: Request) -> str:
    return base_url(request)


BaseUrl = Annotated[str, Depends(_base_url)]
