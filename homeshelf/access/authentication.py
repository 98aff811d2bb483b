"""Authentication of callers: `accounts` supplies it, and `identity` may replace it."""

from dataclasses import dataclass
from typing import Any, Protocol

from fastapi import Request

from homeshelf.errors import Unauthenticated
from homeshelf.table import Key
from homeshelf.web.services import Services
from homeshelf.web.shell import Account


class Session(Protocol):
    @property
    def session_id(self) -> str: ...
    def acts_in(self, family_id: str) -> bool:
        """Tell whether it may act in a family; a session from a link may only in its own."""


class Membership(Protocol):
    @property
    def family_id(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def is_active(self) -> bool: ...
    @property
    def picture(self) -> str | None: ...


@dataclass(frozen=True)
class Token:
    """The caller and the family they chose, as a token names them."""

    member_id: str
    keys: tuple[Key[Any], Key[Any]]
    """The keys of the account, and of the record that proves whose it is."""
    family_id: str | None = None
    in_cookie: bool = False
    """A browser keeps its cookie for long: it is renewed, and its family may be outdated."""


class Authenticator:
    """Finds the callers; where no slice provides one, nobody can sign in."""

    async def borne(self, _token: str) -> Token:
        """Read the token of a program."""
        raise Unauthenticated

    def in_cookie(self, _request: Request) -> Token:
        raise Unauthenticated

    async def admitted(self, _token: Any, _account: Any, _proof: Any) -> tuple[Account, Session]:
        """Return whom a token admits, given the records at its keys."""
        raise Unauthenticated

    async def renew(
        self, _request: Request, _account: Any, _session: Any, _family_id: str | None
    ) -> None:
        """Prolong the cookie of a browser that is in use."""


def authenticator_of(services: Services) -> Authenticator:
    return services.of(Authenticator, _NOBODYS)


_NOBODYS = Authenticator()
