"""The parts of the running application, and the contributions of each slice."""

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
from homeshelf.table import Database, Query, Record
from homeshelf.web.limits import BoundedDict, Limits
from homeshelf.web.offline_rules import OfflineRules, join_rules
from homeshelf.web.shell import AddButton, MenuEntry, ShareTarget, Shortcut, Tab

T = TypeVar("T")


async def _nothing(*_: Any) -> None:
    pass


@dataclass(frozen=True)
class OwnCount:
    """A count beside a tab that only members of one role see, each their own."""

    role: str
    count: Callable[[Database, str, str], Awaitable[int]]
    """Counts for a family and a member."""


@dataclass(frozen=True)
class Slice:
    name: str
    api: Sequence[APIRouter] = ()
    pages: Sequence[APIRouter] = ()
    plain_routes: Sequence[BaseRoute] = ()
    """ASGI endpoints without a FastAPI signature."""
    first: Callable[[Settings], Sequence[APIRouter]] = lambda _: ()
    """Routes to add before those of other slices, depending on the settings."""
    tab: Tab | None = None
    menu: Sequence[MenuEntry] = ()
    add_button: AddButton | None = None
    """The button on pages without one of their own."""
    shortcuts: Sequence[Shortcut] = ()
    share_target: ShareTarget | None = None
    """Only one slice may have one."""
    credentials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """OpenAPI security schemes besides those of signed-in callers."""
    offline: OfflineRules = field(default_factory=OfflineRules)
    remedies: Mapping[type[HomeshelfError], str] = field(default_factory=dict)
    """The page on which a person can resolve an error."""
    barcode_reader: str = ""
    """The path that reads barcodes for browsers that cannot."""
    todos: Callable[["Services"], Mapping[str, Handler]] = lambda _: {}
    provides: Sequence[object] = ()
    """Extensions of other slices, such as an `ItemObserver`; `Services.all` finds them by class."""
    counts: Mapping[str, Callable[[str], Query[Any]]] = field(default_factory=dict)
    """Queries to count in a family, by the name of the count in the API."""
    own_counts: Mapping[str, OwnCount] = field(default_factory=dict)
    goes_with_family: Sequence[Callable[..., Query[Any]]] = ()
    """Queries by `family_id` for records outside of the family's partition."""
    belongings: Sequence[Belonging] = ()
    """The records that are exported with a family or a person."""
    left_out: Mapping[type[Record], str] = field(default_factory=dict)
    """The records that are not exported, with the reason."""
    moves_in: MovesIn | None = None
    """Converts exported records to those of another installation."""
    adopts: Adopts | None = None
    """Plans the records to add beside those of another program."""
    adopted_by: Mapping[type[Record], str] = field(default_factory=dict)
    """The attribute that adoption adds last to a record; without it a record is not yet adopted."""
    person_gone: Callable[[Database, str], Awaitable[None]] = _nothing
    """Cleans up after a deleted account; repeated until it succeeds."""
    mend: Callable[[Database], Awaitable[tuple[str, str] | None]] = _nothing
    """Repairs records for `homeshelf doctor`, and returns a topic and a sentence."""
    examine: Callable[[Settings], Awaitable[tuple[str, bool] | None]] = _nothing
    """Checks outside services, and returns a sentence and whether they work."""
    start: Callable[["Services", AsyncExitStack], Awaitable[None]] = _nothing
    """Starts parts that live as long as the application."""


@dataclass(frozen=True)
class Services:
    settings: Settings
    db: Database
    signer: Signer
    limits: Limits
    slices: tuple[Slice, ...] = ()
    only_families: BoundedDict[str] = field(default_factory=BoundedDict)
    """The family of each member with only one, as a hint for reading it with the account."""
    _provided: dict[type, list[Any]] = field(default_factory=dict)
    _parts: dict[type, Any] = field(default_factory=dict)

    @cached_property
    def offline_rules(self) -> OfflineRules:
        return join_rules(each.offline for each in self.slices)

    @cached_property
    def remedies(self) -> Mapping[type[HomeshelfError], str]:
        return {error: path for each in self.slices for error, path in each.remedies.items()}

    @cached_property
    def barcode_reader(self) -> str:
        return next(filter(None, (each.barcode_reader for each in self.slices)), "")

    def all(self, kind: type[T]) -> list[T]:
        """Return the extensions of a class that the slices provide."""
        if kind not in self._provided:
            provided = [value for each in self.slices for value in each.provides]
            self._provided[kind] = [value for value in provided if isinstance(value, kind)]
        return self._provided[kind]

    def provide(self, kind: type[T], part: T) -> None:
        """Set a part of the application or of a slice, by its class."""
        self._parts[kind] = part

    def of(self, kind: type[T], default: T | None = None) -> T:
        """Return the part of a class: `services.of(Habits)`."""
        part: T = self._parts[kind] if default is None else self._parts.get(kind, default)
        return part


async def open_services(
    settings: Settings, db: Database, slices: tuple[Slice, ...] = ()
) -> Services:
    db = db.under(settings)
    signer = Signer(await keys_of(settings, db))
    return Services(settings, db, signer, Limits(settings, db), slices)


def set_services(app: FastAPI, services: Services) -> None:
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
    """Return the public URL, or else the URL of the request."""
    here = f"{request.url.scheme}://{request.url.netloc}"
    return services_of(request).settings.public_url or here


async def _base_url(request: Request) -> str:
    return base_url(request)


BaseUrl = Annotated[str, Depends(_base_url)]
