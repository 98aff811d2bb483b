"""Children without an e-mail: added by name, signed in by links, and given an address later.

A link is worth what its maker is worth, as an invitation is. A removed child's brings it back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from fastapi import Request

from homeshelf import clock, security_log
from homeshelf.accounts import store as accounts
from homeshelf.accounts import tokens
from homeshelf.accounts.addresses import KEPT_SECONDS, TAKEN, PendingAddress
from homeshelf.accounts.model import Account, EmailClaim, Session, digest_of_email
from homeshelf.accounts.signing_in import noting_refusal
from homeshelf.coordination.changes import announced
from homeshelf.coordination.changing import Outcome, added, carry_out, existing, replaced
from homeshelf.errors import Duplicate, InUse, NotFound, or_not_found
from homeshelf.families import store
from homeshelf.families.links import (
    LinkToken,
    SignInLink,
    link_token,
    read_link_token,
    secret_of_link,
)
from homeshelf.families.model import Family, Member
from homeshelf.outbox.model import letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.signing import digest
from homeshelf.table import Database, Write, absent
from homeshelf.web.services import Services, base_url

OLD_LINK = _("This link was used, was replaced, or is too old. Ask a parent for a new one.")


@dataclass(frozen=True)
class Child:
    member: Member
    link: SignInLink


@dataclass(frozen=True)
class Expected:
    """Whom a link that is good lets in."""

    link: SignInLink
    account: Account
    member: Member
    family: Family
    maker: Member


async def add_child(
    db: Database, services: Services, admin: Member, name: str, picture: str | None
) -> Child:
    at, member_id, family_id = clock.timestamp(), clock.new_id(), admin.family_id
    account = Account(
        member_id=member_id,
        email="",
        name=name,
        origin="child",
        families=(family_id,),
        created_at=at,
        updated_at=at,
    )
    member = store.new_member(account, family_id, "suggester", at).changed(picture=picture)
    child = Child(member, _made(services, admin, member_id, 1))

    async def decide() -> "Outcome[Child]":
        return child, (
            *added(member),
            account.put(absent),
            child.link.put(absent),
            store.vouched(admin),
        )

    added_child = await carry_out(db, account.own_key(), decide)
    _note("sign_in_link_made", added_child.link)
    return added_child


async def new_link(
    db: Database, services: Services, admin: Member, member_id: str, *, end_others: bool
) -> SignInLink:
    """The one before is dead; with `end_others` the devices are signed out that others signed in.

    Who was removed is in the family again once it is used, as with an invitation.
    """

    async def decide() -> "Outcome[SignInLink]":
        member, account = await _found(db, admin.family_id, member_id)
        _require_child(member, account)
        old = await db.get(SignInLink.key(member_id=member_id))
        new = _made(services, admin, member_id, old.number + 1 if old else 1)
        still: list[Write] = [account.check(account.unchanged)]
        if end_others:
            ended = account.revised(clock.timestamp(), era=account.era + 1)
            still = [ended.replacing(account), *accounts.told_to_streams(account)]
        return new, (
            new.put(old.unchanged if old else absent),
            store.vouched(admin),
            *still,
            *announced(member),
        )

    link = await carry_out(db, Account.key(member_id=member_id), decide)
    _note("sign_in_link_made", link)
    return link


def _note(event: Literal["sign_in_link_made", "sign_in_link_used"], link: SignInLink) -> None:
    security_log.note(event, family_id=link.family_id, member_id=link.member_id)


async def link_of(db: Database, family_id: str, member_id: str) -> SignInLink | None:
    """The last one, which may be over."""
    found = await db.get(SignInLink.key(member_id=member_id))
    return found if found is not None and found.family_id == family_id else None


def url_of(request: Request, link: SignInLink) -> str:
    token = link_token(request.app.state.services.signer, link)
    return f"{base_url(request)}/sign-in-link/{token}"


async def holder(services: Services, token: str) -> Expected:
    """For who opens a link, which does nothing yet."""
    return await _expected(services.db, read_link_token(token))


async def sign_in(services: Services, address: str, token: str, device: str) -> Session:
    """A link does this once: of two devices at the same moment one is refused."""
    services.limits.links.take(address)
    db, read = services.db, read_link_token(token)

    async def decide() -> "Outcome[tuple[Session, SignInLink]]":
        found = await _expected(db, read)
        account, link = found.account, found.link
        session = accounts.new_session(account, device, link.family_id)
        return (session, link), (
            link.ended().put(link.unchanged),
            found.maker.check(found.maker.still_admin),
            *await accounts.starting(db, account, session),
            *_returning(found),
        )

    with noting_refusal("sign-in"):
        key = Account.key(member_id=or_not_found(read, OLD_LINK).member_id)
        session, link = await carry_out(db, key, decide)
    _note("sign_in_link_used", link)
    return session


async def children_among(db: Database, members: Sequence[Member]) -> frozenset[str]:
    """Those who have neither a password nor a provider, by their ids."""
    asked = [each for each in members if each.role == "suggester" and each.email is None]
    found = await db.those(Account.key(member_id=each.member_id) for each in asked)
    return frozenset(account.member_id for account in found if account.is_child)


async def devices(db: Database, family_id: str, member_id: str) -> Sequence[Session]:
    """Where a child of the family is signed in, the latest first."""
    _member, account = await _found_child(db, family_id, member_id)
    return await db.all(accounts.sessions_of(member_id, account.era))


async def sign_out(db: Database, family_id: str, member_id: str, session_id: str) -> None:
    member, account = await _found_child(db, family_id, member_id)
    await accounts.end_session(db, account, session_id, *announced(member))


async def give_email(
    db: Database, services: Services, account: Account, admin: Member, member_id: str, email: str
) -> PendingAddress:
    """An address that is the child's own once its link is used, which sets the password.

    It is mailed as an invitation is: not for an admin whose own address nobody has verified.
    """
    if services.settings.oidc_issuer is not None:
        raise NotFound
    mails = can_mail(services.settings) and account.email_verified
    new = PendingAddress(
        member_id=member_id,
        family_id=admin.family_id,
        email=email,
        link_id=clock.new_id(),
        made_by=admin.member_id,
        term=admin.term,
        ttl=clock.seconds() + KEPT_SECONDS,
    )
    mailed = letter(
        "child_address",
        by=admin.member_id,
        familyId=new.family_id,
        memberId=member_id,
        link=new.link_id,
    )

    async def decide() -> "Outcome[PendingAddress]":
        member, child = await _found(db, admin.family_id, member_id)
        if not member.is_active:
            raise NotFound
        _require_child(member, child)
        if await db.get(EmailClaim.key(email_digest=digest_of_email(email))):
            raise Duplicate(detail=TAKEN)
        return new, (
            new.put(),
            child.check(child.unchanged),
            store.vouched(admin),
            *([mailed.put(absent)] if mails else []),
        )

    return await carry_out(db, Account.key(member_id=member_id), decide)


async def pending_address(db: Database, family_id: str, member_id: str) -> PendingAddress | None:
    found = await db.get(PendingAddress.key(member_id=member_id))
    return found if found is not None and found.family_id == family_id else None


def password_url(request: Request, pending: PendingAddress) -> str:
    token = tokens.address_token(request.app.state.services.signer, pending, mailed=False)
    return f"{base_url(request)}/reset/{token}"


def _made(services: Services, admin: Member, member_id: str, number: int) -> SignInLink:
    lasts = timedelta(minutes=services.settings.sign_in_link_minutes)
    return SignInLink(
        member_id=member_id,
        family_id=admin.family_id,
        number=number,
        secret_hash=digest(secret_of_link(services.signer, member_id, number)),
        made_by=admin.member_id,
        term=admin.term,
        expires_at=clock.timestamp(clock.now() + lasts),
    )


async def _found(db: Database, family_id: str, member_id: str) -> tuple[Member, Account]:
    member = await existing(db, Member.key(family_id=family_id, member_id=member_id))
    return member, await existing(db, Account.key(member_id=member_id))


async def _found_child(db: Database, family_id: str, member_id: str) -> tuple[Member, Account]:
    member, account = await _found(db, family_id, member_id)
    if not account.is_child:
        raise NotFound
    return member, account


def _require_child(member: Member, account: Account) -> None:
    elsewhere = any(family_id != member.family_id for family_id in account.families)
    if not account.is_child or member.role != "suggester" or elsewhere:
        raise InUse(detail=_("Links are for children who have neither a password nor a provider."))


async def _expected(db: Database, token: LinkToken | None) -> Expected:
    """Whatever is wrong, the same is said."""
    gone = NotFound(OLD_LINK)
    if token is None:
        raise gone
    link = await db.get(SignInLink.key(member_id=token.member_id))
    if link is None or not link.admits(token.secret, clock.timestamp()):
        raise gone
    family_id = link.family_id
    account = await accounts.account(db, token.member_id)
    family = await store.family(db, family_id)
    member = await store.member(db, family_id, token.member_id)
    maker = await store.member(db, family_id, link.made_by)
    if account is None or not account.is_child or family is None or member is None:
        raise gone
    if account.is_disabled:
        raise gone
    if maker is None or not maker.vouches(link.made_by, link.term):
        raise gone
    return Expected(link, account, member, family, maker)


def _returning(found: Expected) -> list[Write]:
    """Who was not away has a device more, which parents see."""
    before, account = found.member, found.account
    if before.is_active:
        return [*announced(before)]
    at = clock.timestamp()
    after = before.returned("suggester", account.name, None, at)
    return [
        *replaced(before, after),
        store.joining(account, before.family_id, at),
    ]
