"""How accounts find out who is asking: by a session that a token names."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request

from homeshelf.access.authentication import Token
from homeshelf.accounts.cookies import cookie_name, renew
from homeshelf.accounts.model import Account, Session
from homeshelf.accounts.terms import SessionTerms
from homeshelf.errors import Unauthenticated
from homeshelf.web.services import Services


class SessionAuthenticator:
    def __init__(self, services: Services) -> None:
        self._signer = services.signer
        self._terms = SessionTerms.of(services.settings)

    async def borne(self, token: str) -> Token:
        return _token(self._signer.read("access", token))

    def in_cookie(self, request: Request) -> Token:
        said = self._signer.read("web", request.cookies.get(cookie_name(request), ""))
        return _token(said, in_cookie=True)

    async def admitted(
        self, _token: Token, account: Account | None, session: Session | None
    ) -> tuple[Account, Session]:
        if account is None or session is None or not self._terms.admit(session, account):
            raise Unauthenticated
        return account, self._terms.bounded(session, account)

    async def renew(
        self, request: Request, account: Account, session: Session, family_id: str | None
    ) -> None:
        await renew(request, account, session, family_id)


def _token(said: Mapping[str, Any] | None, *, in_cookie: bool = False) -> Token:
    if said is None:
        raise Unauthenticated
    member_id, session_id = said["sub"], said["sid"]
    keys = Account.key(member_id=member_id), Session.key(member_id=member_id, session_id=session_id)
    return Token(member_id, keys, said.get("fam"), in_cookie)
