"""The records of shared lists of all kinds, and their rules."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field

from homeshelf import clock
from homeshelf.coordination.claims import Claim
from homeshelf.signing import digest
from homeshelf.table import HELPER, SHAREABLES, SHORT_ID_POOL, InKey, Keys, Record, Sparse

Role = Literal["view", "admin"]
ROLES: tuple[Role, Role] = ("view", "admin")

BUCKETS = 1000
SLOTS = 99
DEFAULT_DAYS = 30
"""The default lifetime of a list."""
RETENTION = timedelta(days=365)
"""The time from a list's expiry to its deletion."""


def normalize_short_id(typed: str) -> str | None:
    """Return `abc-def-12345` for any case and dashes, with 0 as O for a letter and the reverse."""
    bare = re.sub(r"[\s-]", "", typed).lower()
    letters, digits = bare[:6].replace("0", "o"), bare[6:].translate(_DIGITS)
    if not _SHORT_ID.fullmatch(letters + digits):
        return None
    return f"{letters[:3]}-{letters[3:]}-{digits}"


_SHORT_ID = re.compile(r"[a-z]{6}[0-9]{5}")
_DIGITS = str.maketrans("oil", "011")


@dataclass(frozen=True)
class Passcodes:
    """The passcodes of a list, as typed or as hashes; None where it has none."""

    view: str | None = field(default=None, repr=False)
    admin: str | None = field(default=None, repr=False)

    @property
    def by_role(self) -> dict[str, str]:
        return {role: text for role in ROLES if (text := getattr(self, role)) is not None}


class NewChild(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def note(self) -> str | None: ...


@dataclass(frozen=True)
class ListContent:
    name: str
    note: str | None = None
    items: tuple[NewChild, ...] = ()
    entity: str = ""
    """The kind; empty for the default."""
    days: int = DEFAULT_DAYS


def bare_short_id(short_id: str) -> str:
    return short_id.replace("-", "").lower()


class PoolSlot(Record):
    """A free short id."""

    table = SHORT_ID_POOL
    keys = Keys(pk="{bucket}", sk="available#{slot:02}")

    bucket: InKey[int]
    slot: InKey[int]
    id: str


class ShortIdClaim(Claim):
    """The claim of a generated short id, which is never generated again."""

    keys = Keys(PK="SHORTID#{shortId:bare}", SK="SHORTID")
    short_id: str


class Shareable(Record):
    table = SHAREABLES
    keys = Keys(pk="shareable#{shortId:bare}", sk="01#")
    private = frozenset({"view_passcode", "admin_passcode", "hidden", "ordering", "ttl"})
    notify = "bare_id", "short_id"

    entity: str
    short_id: str
    name: str
    note: Sparse[str] = None
    view_passcode: Annotated[Sparse[str], Field(repr=False)] = None
    """The hash of the passcode for viewing."""
    admin_passcode: Annotated[Sparse[str], Field(repr=False)] = None
    expires_at: str
    version: int = 1
    """Raised by every change except ticks."""
    hidden: Sparse[bool] = None
    ordering: Sparse[str] = None
    """The id of the to-do that is reordering the items."""
    ttl: Sparse[int] = None

    @property
    def bare_id(self) -> str:
        return bare_short_id(self.short_id)

    @property
    def entity_type(self) -> str:
        return self.entity

    def is_expired(self, now: datetime | None = None) -> bool:
        return datetime.fromisoformat(self.expires_at) <= (now or clock.now())

    def is_purged(self) -> bool:
        """Check whether the retention of the list is over, even if its record has no `ttl`."""
        return datetime.fromisoformat(self.expires_at) + RETENTION <= clock.now()

    @property
    def purge_time(self) -> int:
        return ceil((datetime.fromisoformat(self.expires_at) + RETENTION).timestamp())

    def passcode(self, role: Role) -> str | None:
        return self.view_passcode if role == "view" else self.admin_passcode

    def passcode_version(self, role: Role) -> str | None:
        """Return a version that changes with each new passcode; None without a passcode."""
        stored = self.passcode(role)
        return None if stored is None else digest(stored)[:16]

    @property
    def manager_role(self) -> Role | None:
        """The role whose passcode is needed to manage the list; None if none is."""
        if self.admin_passcode is not None:
            return "admin"
        return "view" if self.view_passcode is not None else None

    def with_lifetime(self, days: int, now: datetime) -> "Shareable":
        renewed = self.changed(expires_at=clock.timestamp(now + timedelta(days=days)))
        return renewed.changed(ttl=renewed.purge_time)

    def with_next_version(self, **changes: object) -> "Shareable":
        return self.changed(version=self.version + 1, **changes)


class ChildRecord(Record):
    table = SHAREABLES
    short_id: str
    if TYPE_CHECKING:
        ttl: int | None  # each kind has it as its last field

    @property
    def bare_id(self) -> str:
        return bare_short_id(self.short_id)


class KeptList(Record):
    """A list that a person created or saved under "my lists"."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="SHARE#{shortId:bare}")

    member_id: str
    short_id: str
    made: bool = False
    """Set when the list is created, and never later."""
    listed: bool = True
    """True if the list is under "my lists"; a maker may remove it from there."""
    role: Sparse[Role] = None
    passcode: Sparse[str] = None
    """The version of the passcode that the person used."""
