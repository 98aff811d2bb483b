"""The interface for authenticating callers, which `accounts` or `identity` implements."""

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
        """Return whether the session is valid in a family; one from a link is bound to its own."""


class Membership(Protocol):
    @property
    def family_id(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def is_active(self) -> bool: ...
    @property
    def picture(self) -> str | None: ...
    @property
    def may_tick(self) -> bool | None: ...


@dataclass(frozen=True)
class Token:
    """The caller and the chosen family that a token names."""

    member_id: str
    keys: tuple[Key[Any], Key[Any]]
    """The keys of the account, and of the session or identity that proves it."""
    family_id: str | None = None
    in_cookie: bool = False
    """True if the token is in a cookie, which is renewed and may name an old family."""


class Authenticator:
    """The default authenticator, which refuses every caller."""

    async def read_bearer_token(self, _token: str) -> Token:
        raise Unauthenticated

    def read_cookie(self, _request: Request) -> Token:
        raise Unauthenticated

    async def admit(self, _token: Any, _account: Any, _proof: Any) -> tuple[Account, Session]:
        """Return the account and session of a token, given the records at its keys."""
        raise Unauthenticated

    async def renew(
        self, _request: Request, _account: Any, _session: Any, _family_id: str | None
    ) -> None:
        """Prolong the session cookie of an active browser."""


def authenticator_of(services: Services) -> Authenticator:
    return services.of(Authenticator, _NO_AUTHENTICATOR)


_NO_AUTHENTICATOR = Authenticator()
