"""How it is found out who is asking: `accounts` supplies it, and `identity` may take its place."""

from dataclasses import dataclass
from typing import Any, Protocol

from fastapi import Request

from homeshelf.table import Key
from homeshelf.web.pages import Account


class Session(Protocol):
    @property
    def session_id(self) -> str: ...
    def acts_in(self, family_id: str) -> bool:
        """Whether it may act in a family of its person: one that a link made only in its own."""


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
    """What a token says: who is asking, and which family they chose."""

    member_id: str
    keys: tuple[Key[Any], Key[Any]]
    """Of the account, and of what shows that it is theirs."""
    family_id: str | None = None
    in_cookie: bool = False
    """A browser keeps it for long: what it chose may be over, and it is renewed while in use."""


class Authenticator(Protocol):
    async def borne(self, token: str) -> Token:
        """The token of a program. Raises Unauthenticated, as the next two do."""

    def in_cookie(self, request: Request) -> Token: ...

    async def admitted(self, token: Token, account: Any, proof: Any) -> tuple[Account, Session]:
        """Whom a token lets in, by what was found at its keys."""

    async def renew(
        self, request: Request, account: Any, session: Any, family_id: str | None
    ) -> None:
        """Somebody is here again: their cookie may hold for longer."""
