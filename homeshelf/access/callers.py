"""Who is asking, and whether they may.

What a token says is only who is asking and which family they chose; whether that still holds is
read from the table on every request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from homeshelf.accounts.cookies import cookie_name, renew
from homeshelf.accounts.model import NO_SESSION, Account, Session
from homeshelf.errors import ChooseFamily, Forbidden, NoFamily, NotFound, TooLarge, Unauthenticated
from homeshelf.families import model as families
from homeshelf.identity.model import Claims
from homeshelf.identity.store import account_of, session_of
from homeshelf.table import Key
from homeshelf.web.csrf import SAFE, require_same_origin
from homeshelf.web.idempotency import Once, once_by
from homeshelf.web.ids import is_id
from homeshelf.web.security import admits, who_asks
from homeshelf.web.services import Services

FAMILY_HEADER = "homeshelf-family"

Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True)
class SignedIn:
    account: Account
    session: Session
    once: Once

    @property
    def member_id(self) -> str:
        return self.account.member_id

    @property
    def caller(self) -> str:
        """Whose pages of lists these are."""
        return self.member_id


@dataclass(frozen=True)
class InFamily(SignedIn):
    membership: families.Member

    @property
    def family_id(self) -> str:
        return self.membership.family_id

    @property
    def role(self) -> families.Role:
        return self.membership.role

    @property
    def caller(self) -> str:
        """A page of one family leads nowhere in another."""
        return f"{self.member_id} in {self.family_id}"

    def require(self, role: families.Role) -> None:
        _require(role, self.membership)


@admits("person")
async def signed_in(request: Request) -> SignedIn:
    account, session, _ = await _records(request, await _token(request), None)
    return SignedIn(account, session, await once_by(request, account.member_id))


@admits("member")
async def in_family(request: Request) -> InFamily:
    return await _in_family(request, None)


@admits("role")
async def _admin(request: Request) -> InFamily:
    return await _in_family(request, "admin")


@admits("role")
async def _suggester(request: Request) -> InFamily:
    return await _in_family(request, "suggester")


Person = Annotated[SignedIn, Depends(signed_in)]
Member = Annotated[InFamily, Depends(in_family)]
Admin = Annotated[InFamily, Depends(_admin)]
Suggester = Annotated[InFamily, Depends(_suggester)]


async def require_somebody(request: Request) -> None:
    """Before a long body is read. Nobody is told to sign in where that would help, and that it
    is too long where it would not."""
    try:
        await _read(request, await _token(request), None)
    except Unauthenticated:
        if who_asks(getattr(request.scope.get("route"), "dependant", None)):
            raise
        raise TooLarge from None


def bearer_of(request: Request) -> str | None:
    """The token of a program, which is empty where it is malformed.

    Another scheme is not for us: a proxy that asks for a password of its own passes it on.
    """
    for line in request.headers.getlist("authorization"):
        scheme, _, token = line.strip().partition(" ")
        if scheme.lower().startswith("bearer"):
            return token.strip() if scheme.lower() == "bearer" else ""
    return None


async def member_asking(request: Request) -> str | None:
    """Who is asking where anybody may: the memberId, or None for nobody."""
    try:
        account, _, _ = await _read(request, await _token(request), None)
    except Unauthenticated:
        return None
    return account.member_id


def refusing(sentence: str) -> Callable[[Handler], Handler]:
    """For a handler that has its own words for those whose role it is not for."""

    def mark(handler: Handler) -> Handler:
        handler.refusal = sentence  # type: ignore[attr-defined]  # functions take any
        return handler

    return mark


async def _in_family(request: Request, role: families.Role | None) -> InFamily:
    """The role is looked at before an earlier answer is: who lost it is not given that again."""
    token = await _token(request)
    named = request.headers.get(FAMILY_HEADER)
    chosen = named or token.family_id
    account, session, membership = await _records(request, token, chosen)
    if membership is None and (chosen is None or (token.in_cookie and named is None)):
        membership = await _only_membership(request.app.state.services, account)
    if membership is None or membership.family_id not in account.families:
        raise NotFound
    if role is not None:
        _require(role, membership, getattr(request.scope.get("endpoint"), "refusal", None))
    once = await once_by(request, account.member_id, membership.family_id)
    return InFamily(account, session, once, membership)


@dataclass(frozen=True)
class _Token:
    member_id: str
    session_id: str
    family_id: str | None
    in_cookie: bool
    """A browser keeps it for long: what it chose may be over, and it is renewed while in use."""
    vouched: tuple[Claims, str] | None = None
    """What the identity provider says and in which token, instead of a session of ours."""

    def keys(self, chosen: str | None) -> list[Key[Any]]:
        """The account, what shows that it is theirs and, where one was chosen, the membership."""
        account = Account.key(member_id=self.member_id)
        proof: Key[Any] = (
            self.vouched[0].claim_key
            if self.vouched is not None
            else Session.key(member_id=self.member_id, session_id=self.session_id)
        )
        return [account, proof, *_membership_keys(self.member_id, chosen)]


async def _token(request: Request) -> _Token:
    """What the request's token says; the cookie counts only where the page itself is asking."""
    services: Services = request.app.state.services
    token = bearer_of(request)
    if token is not None and services.identity is not None:
        said = await services.identity.bearer(token)
        return _Token(said.member_id, NO_SESSION, None, in_cookie=False, vouched=(said, token))
    if token is not None:
        claims = services.signer.read("access", token)
    else:
        claims = services.signer.read("web", request.cookies.get(cookie_name(request), ""))
        if claims is not None:
            require_same_origin(request)
    if claims is None:
        raise Unauthenticated
    return _Token(claims["sub"], claims["sid"], claims.get("fam"), in_cookie=token is None)


async def _records(
    request: Request, token: _Token, chosen: str | None
) -> tuple[Account, Session, families.Member | None]:
    """What the token stands for, of somebody who uses it just now."""
    account, session, membership = await _read(request, token, chosen)
    services: Services = request.app.state.services
    if request.method not in SAFE:
        services.limits.writes.take(account.member_id)
    if token.in_cookie:
        await renew(request, account, session, token.family_id)
    return account, session, membership


async def _read(
    request: Request, token: _Token, chosen: str | None
) -> tuple[Account, Session, families.Member | None]:
    """The account, the session and, where a family was chosen, the membership: in one read."""
    services: Services = request.app.state.services
    account, session, *membership = await services.db.get_many(token.keys(chosen))
    if token.vouched is not None:
        said, text = token.vouched
        account = await account_of(services, said, text, account, claim=session)
        session = session_of(said, account)
        if account.member_id != token.member_id:  # linked to another account than its own
            membership = await services.db.get_many(_membership_keys(account.member_id, chosen))
    if account is None or session is None or not services.terms.admit(session, account):
        raise Unauthenticated
    session = services.terms.bounded(session, account)
    found: families.Member | None = membership[0] if membership else None
    return account, session, found if found is not None and found.status == "active" else None


def _membership_keys(member_id: str, chosen: str | None) -> list[Key[Any]]:
    if chosen is None or not is_id(chosen):
        return []
    return [families.Member.key(family_id=chosen.lower(), member_id=member_id)]


async def _only_membership(services: Services, account: Account) -> families.Member:
    if not account.families:
        raise NoFamily
    if len(account.families) > 1:
        raise ChooseFamily
    key = families.Member.key(family_id=account.families[0], member_id=account.member_id)
    membership = await services.db.get(key)
    if membership is None or membership.status != "active":
        raise NoFamily
    return membership


def _require(role: families.Role, membership: families.Member, sentence: str | None = None) -> None:
    if membership.role != role:
        raise Forbidden(sentence or _REFUSED[role])


_REFUSED: dict[families.Role, str] = {
    "admin": "Only an admin of the family may do this.",
    "suggester": "Only a suggester of the family may do this.",
}
