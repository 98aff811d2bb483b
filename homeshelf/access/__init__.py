"""The caller and the caller's permissions, as types in signatures.

    async def rename(admin: Admin, ...)        an admin of the family of the request
    async def members(member: Member, ...)     any active member of it
    async def suggest(kid: Suggester, ...)     a suggester of it
    async def tick(ticker: Ticker, ...)        an admin, or a suggester who may tick the list
    async def me(person: Person, ...)          any signed-in caller

A handler with none of these is public. A token names only the caller and the chosen family; both
are checked against the table on every request.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from homeshelf import security_log
from homeshelf.access.authentication import Membership, Session, Token, authenticator_of
from homeshelf.access.families import families_of
from homeshelf.errors import (
    ChooseFamily,
    Forbidden,
    Invalid,
    NoFamily,
    NotFound,
    TooLarge,
    Unauthenticated,
)
from homeshelf.languages import LANGUAGES, set_reader_language
from homeshelf.sentences import _
from homeshelf.web.body_limits import limits_of
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.ids import is_id
from homeshelf.web.requests import SAFE, body_size, is_for_programs, require_same_origin
from homeshelf.web.services import Services, services_of
from homeshelf.web.shell import Account

FAMILY_HEADER = "homeshelf-family"
MEMBER_HEADER = "homeshelf-member"


Account_co = TypeVar("Account_co", bound=Account, covariant=True)
Session_co = TypeVar("Session_co", bound=Session, covariant=True)
Membership_co = TypeVar("Membership_co", bound=Membership | None, covariant=True)


@dataclass(frozen=True)
class Caller(Generic[Account_co, Session_co, Membership_co]):
    """A signed-in caller, with the records of the slices that supply accounts and families."""

    account: Account_co
    session: Session_co
    request: IdempotentRequest
    membership: Membership_co

    @property
    def member_id(self) -> str:
        return self.account.member_id

    @property
    def family_id(self: "InFamily") -> str:
        return self.membership.family_id

    @property
    def role(self: "InFamily") -> str:
        return self.membership.role

    @property
    def caller(self) -> str:
        """Return the text that binds paging tokens to this caller and family."""
        if self.membership is None:
            return self.member_id
        return f"{self.member_id} in {self.membership.family_id}"

    @property
    def may_tick(self: "InFamily") -> bool:
        return as_ticker.admits(self.membership)

    def require_admin(self: "InFamily") -> None:
        _require_role(as_admin, self.membership)


SignedIn = Caller[Account, Session, Membership | None]
InFamily = Caller[Account, Session, Membership]


async def signed_in(request: Request) -> Caller[Any, Any, None]:
    account, session, _ = await _admit(request, await _read_token(request), None)
    asked = await idempotent_request(request, account.member_id)
    return Caller(account, session, asked, None)


async def in_family(request: Request) -> Caller[Any, Any, Any]:
    return await _in_family(request, None)


@dataclass(frozen=True)
class InRole:
    """The dependency that admits one role of a family."""

    role: str
    refusal: str

    async def __call__(self, request: Request) -> Caller[Any, Any, Any]:
        return await _in_family(request, self)

    def admits(self, membership: Membership) -> bool:
        return membership.role == self.role


@dataclass(frozen=True)
class InRoleOrTicking(InRole):
    """Also admits a suggester whom an admin allows to tick."""

    def admits(self, membership: Membership) -> bool:
        return super().admits(membership) or bool(membership.may_tick)


as_admin = InRole("admin", Forbidden.sentence)
as_suggester = InRole("suggester", _("Only a child can do this."))
as_ticker = InRoleOrTicking("admin", _("Ask an adult to let you tick the list."))


Person = Annotated[SignedIn, Depends(signed_in)]
Member = Annotated[InFamily, Depends(in_family)]
Admin = Annotated[InFamily, Depends(as_admin)]
Suggester = Annotated[InFamily, Depends(as_suggester)]
Ticker = Annotated[InFamily, Depends(as_ticker)]


async def require_somebody(request: Request) -> None:
    """Require a signed-in caller for a long body: 401 if signing in would help, 413 otherwise."""
    try:
        await _read_records(request, await _read_token(request), None)
    except Unauthenticated:
        route = request.scope.get("route")
        if isinstance(route, APIRoute) and required_caller(route.dependant):
            raise
        raise TooLarge from None


def bearer_of(request: Request) -> str | None:
    """Return the bearer token of a request; a malformed one is empty.

    Other schemes are ignored, because a proxy with its own password passes that header on.
    """
    for line in request.headers.getlist("authorization"):
        scheme, _, token = line.strip().partition(" ")
        if scheme.lower().startswith("bearer"):
            return token.strip() if scheme.lower() == "bearer" else ""
    return None


async def member_id_of_caller(request: Request) -> str | None:
    """Return the memberId of the caller, or None for an anonymous one."""
    try:
        account, _, _ = await _read_records(request, await _read_token(request), None)
    except Unauthenticated:
        return None
    return account.member_id


def required_caller(dependant: Dependant) -> Literal["person", "member"] | None:
    """Return the kind of caller that a handler requires, or None if it is public."""
    if dependant.call is signed_in:
        return "person"
    if dependant.call is in_family or isinstance(dependant.call, InRole):
        return "member"
    return next(filter(None, map(required_caller, dependant.dependencies)), None)


async def _in_family(request: Request, required: InRole | None) -> InFamily:
    """Check the role before reading a stored response, which a former admin must not get."""
    token = await _read_token(request)
    named = request.headers.get(FAMILY_HEADER)
    chosen = named or token.family_id
    services = services_of(request)
    likely = services.only_families.pop(token.member_id, None) if chosen is None else None
    account, session, membership = await _admit(request, token, chosen or likely)
    if named and not is_id(named):
        raise Invalid([("Homeshelf-Family", _("Invalid family ID format"))])
    if likely is not None and account.families != (likely,):
        membership = None
    if membership is None and (chosen is None or (token.in_cookie and named is None)):
        membership = await _only_membership(services, account)
    if membership is not None and chosen is None:
        services.only_families[token.member_id] = membership.family_id
    if membership is None or membership.family_id not in account.families:
        raise NotFound
    if not session.acts_in(membership.family_id):
        raise NotFound
    if required is not None:
        _require_role(required, membership)
    asked = await idempotent_request(request, account.member_id, membership.family_id)
    return Caller(account, session, asked, membership)


async def _read_token(request: Request) -> Token:
    """Return the token of the request; a cookie counts only from our own pages."""
    authenticator = authenticator_of(services_of(request))
    bearer = bearer_of(request)
    if bearer is not None:
        return await authenticator.read_bearer_token(bearer)
    token = authenticator.read_cookie(request)
    require_same_origin(request)
    return token


async def _admit(
    request: Request, token: Token, chosen: str | None
) -> tuple[Account, Session, Membership | None]:
    account, session, membership = await _read_records(request, token, chosen)
    security_log.set_caller(account.member_id)
    _require_same_member(request, account)
    if not is_for_programs(request.scope) and account.language in LANGUAGES:
        set_reader_language(LANGUAGES[account.language])
    if request.method not in SAFE:
        await _count_write(request, account.member_id)
    if token.in_cookie:
        await authenticator_of(services_of(request)).renew(
            request, account, session, token.family_id
        )
    return account, session, membership


async def _read_records(
    request: Request, token: Token, chosen: str | None
) -> tuple[Account, Session, Membership | None]:
    """Read the account, the session and, if a family was chosen, the membership in one batch."""
    services = services_of(request)
    authenticator = authenticator_of(services)
    families = families_of(services)
    family_id = chosen.lower() if chosen is not None and is_id(chosen) else None
    keys = families.membership_keys(token.member_id, family_id) if family_id else ()
    account, proof, *membership = await services.db.get_many([*token.keys, *keys])
    person, session = await authenticator.admit(token, account, proof)
    if family_id and person.member_id != token.member_id:  # a linked identity
        keys = families.membership_keys(person.member_id, family_id)
        membership = await services.db.get_many(keys)
    found: Membership | None = membership[0] if membership else None
    return person, session, found if found is not None and found.is_active else None


async def _count_write(request: Request, member_id: str) -> None:
    limits = services_of(request).limits
    limits.writes.take(member_id)
    if limits_of(request.scope).counted:
        limits.writes_size.take(member_id, await body_size(request))


def _require_same_member(request: Request, account: Account) -> None:
    """Refuse a change that another person queued in the same browser."""
    if any(each.lower() != account.member_id for each in request.headers.getlist(MEMBER_HEADER)):
        raise Unauthenticated(_("Someone else is signed in now."))


async def _only_membership(services: Services, account: Account) -> Membership:
    if not account.families:
        raise NoFamily
    if len(account.families) > 1:
        raise ChooseFamily
    keys = families_of(services).membership_keys(account.member_id, account.families[0])
    membership: Membership | None = await services.db.get(keys[0]) if keys else None
    if membership is None or not membership.is_active:
        raise NoFamily
    return membership


def _require_role(required: InRole, membership: Membership) -> None:
    if not required.admits(membership):
        raise Forbidden(required.refusal)
