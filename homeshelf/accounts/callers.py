"""The signed-in caller of a request, read from its token or cookie."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from homeshelf import clock
from homeshelf.access import Caller, signed_in
from homeshelf.access.authentication import Authenticator, Membership, Token
from homeshelf.access.view import View, for_person
from homeshelf.accounts.browsers import cookie_name, set_session_cookie
from homeshelf.accounts.model import Account, Session, SessionPolicy
from homeshelf.errors import Unauthenticated
from homeshelf.table import TableError
from homeshelf.web.request_context import context_of
from homeshelf.web.services import Services

AccountHolder = Caller[Account, Session, Membership | None]
Person = Annotated[AccountHolder, Depends(signed_in)]
PersonView = Annotated[View[AccountHolder], Depends(for_person)]


class SessionAuthenticator(Authenticator):
    def __init__(self, services: Services) -> None:
        self._services = services
        self._policy = SessionPolicy.from_settings(services.settings)

    async def read_bearer_token(self, token: str) -> Token:
        return _token(self._services.signer.read("access", token))

    def read_cookie(self, request: Request) -> Token:
        claims = self._services.signer.read("web", request.cookies.get(cookie_name(request), ""))
        return _token(claims, in_cookie=True)

    async def admit(
        self, _token: Token, account: Account | None, session: Session | None
    ) -> tuple[Account, Session]:
        if account is None or session is None or not self._policy.allows(session, account):
            raise Unauthenticated
        return account, self._policy.limit_lifetime(session, account)

    async def renew(
        self, request: Request, account: Account, session: Session, family_id: str | None
    ) -> None:
        """Prolong a session once a day, and send its cookie with the response."""
        now = clock.now()
        if session.mark_used(now) is session:
            return
        with suppress(TableError):  # the next request tries again
            await self._services.db.change(
                session.own_key(),
                lambda found: self._policy.limit_lifetime(found, account).mark_used(now),
            )
            response = Response()
            set_session_cookie(request, response, session, family_id)
            context_of(request.scope).cookie = response.headers["set-cookie"]


def _token(claims: Mapping[str, Any] | None, *, in_cookie: bool = False) -> Token:
    if claims is None:
        raise Unauthenticated
    member_id, session_id = claims["sub"], claims["sid"]
    keys = Account.key(member_id=member_id), Session.key(member_id=member_id, session_id=session_id)
    return Token(member_id, keys, claims.get("fam"), in_cookie)
