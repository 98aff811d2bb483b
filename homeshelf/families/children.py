"""Children without an e-mail address: sign-in links, devices, and an address later."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from fastapi import Request

from homeshelf import clock, security_log
from homeshelf.accounts import store as accounts
from homeshelf.accounts import tokens
from homeshelf.accounts.addresses import PENDING_SECONDS, PendingAddress
from homeshelf.accounts.limits import AccountLimits
from homeshelf.accounts.model import Account, EmailClaim, Session, digest_of_email
from homeshelf.accounts.signing_in import log_link_refusal
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.transaction import Transaction, existing, transaction
from homeshelf.errors import Duplicate, InUse, NotFound, or_not_found
from homeshelf.families import store
from homeshelf.families.links import (
    LinkToken,
    SignInLink,
    read_sign_in_link_token,
    sign_in_link_token,
)
from homeshelf.families.model import Family, Member, link_secret
from homeshelf.outbox.model import letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.signing import digest
from homeshelf.table import Database, Key, absent
from homeshelf.web.services import Services, base_url, services_of

OLD_LINK = _("This link has been used, replaced, or is too old. Ask an adult for a new one.")


@dataclass(frozen=True)
class Child:
    member: Member
    link: SignInLink


@dataclass(frozen=True)
class LinkTarget:
    link: SignInLink
    account: Account
    member: Member
    family: Family
    maker: Member


@transaction
async def add_child(
    tx: Transaction, admin: Member, services: Services, name: str, picture: str | None
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
    child = Child(member, _make_link(services, admin, member_id, 1))
    tx.add(child.member)
    tx.write(account.put(absent), child.link.put(absent), store.require_still_admin(admin))
    _log_event(tx, "sign_in_link_made", child.link)
    return child


@transaction
async def replace_link(
    tx: Transaction, key: Key[Account], services: Services, admin: Member, *, end_others: bool
) -> SignInLink:
    """Replace the link, which brings a removed child back; `end_others` ends other sessions."""
    account = await tx.get(key)
    member_id = account.member_id
    member = await tx.get(store.member_key(admin.family_id, member_id))
    _require_child(member, account)
    old = await tx.db.get(SignInLink.key(member_id=member_id))
    new = _make_link(services, admin, member_id, old.number + 1 if old else 1)
    tx.write(
        new.put(old.unchanged if old else absent),
        store.require_still_admin(admin),
        *change_writes(member),
    )
    if end_others:
        ended = account.revised(clock.timestamp(), era=account.era + 1)
        tx.write(ended.replacing(account), *accounts.stream_end_writes(account))
    else:
        tx.write(account.check(account.unchanged))
    _log_event(tx, "sign_in_link_made", new)
    return new


def _log_event(tx: Transaction, event: security_log.Change, link: SignInLink) -> None:
    about = {"family_id": link.family_id, "member_id": link.member_id}
    tx.after_commit(partial(security_log.note, event, **about))


async def get_link(db: Database, family_id: str, member_id: str) -> SignInLink | None:
    found = await db.get(SignInLink.key(member_id=member_id))
    return found if found is not None and found.family_id == family_id else None


def sign_in_link_url(request: Request, link: SignInLink) -> str:
    token = sign_in_link_token(services_of(request).signer, link)
    return f"{base_url(request)}/sign-in-link/{token}"


async def link_target(services: Services, token: str) -> LinkTarget:
    return await _require_target(services.db, read_sign_in_link_token(token))


async def sign_in(services: Services, address: str, token: str, device: str) -> Session:
    services.limits.of(AccountLimits).links.take(address)
    with log_link_refusal("sign-in"):
        read = or_not_found(read_sign_in_link_token(token), OLD_LINK)
        return await _sign_in(services.db, Account.key(member_id=read.member_id), read, device)


@transaction
async def _sign_in(tx: Transaction, _key: Key[Account], token: LinkToken, device: str) -> Session:
    found = await _require_target(tx.db, token)
    account, link = found.account, found.link
    session = accounts.new_session(account, device, link.family_id)
    tx.write(link.end().put(link.unchanged), found.maker.check(found.maker.still_admin_condition))
    await accounts.add_session(tx, account, session)
    _reactivate_or_announce(tx, found)
    _log_event(tx, "sign_in_link_used", link)
    return session


async def child_ids_among(db: Database, members: Sequence[Member]) -> frozenset[str]:
    asked = [each for each in members if each.role == "suggester" and each.email is None]
    found = await db.get_existing(Account.key(member_id=each.member_id) for each in asked)
    return frozenset(account.member_id for account in found if account.is_child)


async def child_devices(db: Database, family_id: str, member_id: str) -> Sequence[Session]:
    _member, account = await _child_account(db, family_id, member_id)
    return await db.all(accounts.sessions_of(member_id, account.era))


async def end_child_session(db: Database, family_id: str, member_id: str, session_id: str) -> None:
    member, account = await _child_account(db, family_id, member_id)
    await accounts.end_session(db, account, session_id, *change_writes(member))


@transaction
async def give_email(
    tx: Transaction, key: Key[Account], account: Account, admin: Member, email: str
) -> PendingAddress:
    """Make a link that gives the child this address, and mail it if the admin is verified."""
    if tx.db.settings.oidc_issuer is not None:
        raise NotFound
    child = await tx.get(key)
    member = await tx.get(store.member_key(admin.family_id, child.member_id))
    if not member.is_active:
        raise NotFound
    _require_child(member, child)
    if await tx.db.get(EmailClaim.key(email_digest=digest_of_email(email))):
        raise Duplicate(detail=accounts.TAKEN)
    new = PendingAddress(
        member_id=child.member_id,
        family_id=admin.family_id,
        email=email,
        link_id=clock.new_id(),
        made_by=admin.member_id,
        term=admin.term,
        ttl=clock.seconds() + PENDING_SECONDS,
    )
    tx.write(new.put(), child.check(child.unchanged), store.require_still_admin(admin))
    if can_mail(tx.db.settings) and account.email_verified:
        new_letter = letter(
            "child_address",
            by=admin.member_id,
            familyId=new.family_id,
            memberId=new.member_id,
            link=new.link_id,
        )
        tx.write(new_letter.put(absent))
    return new


async def get_pending_email(db: Database, family_id: str, member_id: str) -> PendingAddress | None:
    found = await db.get(PendingAddress.key(member_id=member_id))
    return found if found is not None and found.family_id == family_id else None


def password_url(request: Request, pending: PendingAddress) -> str:
    token = tokens.address_token(services_of(request).signer, pending, mailed=False)
    return f"{base_url(request)}/reset/{token}"


def _make_link(services: Services, admin: Member, member_id: str, number: int) -> SignInLink:
    lasts = timedelta(minutes=services.settings.sign_in_link_minutes)
    return SignInLink(
        member_id=member_id,
        family_id=admin.family_id,
        number=number,
        secret_hash=digest(link_secret(services.signer, "sign-in-link", member_id, number)),
        made_by=admin.member_id,
        term=admin.term,
        expires_at=clock.timestamp(clock.now() + lasts),
    )


async def _child_account(db: Database, family_id: str, member_id: str) -> tuple[Member, Account]:
    member = await existing(db, store.member_key(family_id, member_id))
    account = await existing(db, Account.key(member_id=member_id))
    if not account.is_child:
        raise NotFound
    return member, account


def _require_child(member: Member, account: Account) -> None:
    elsewhere = any(family_id != member.family_id for family_id in account.families)
    if not account.is_child or member.role != "suggester" or elsewhere:
        raise InUse(
            detail=_("Links are only for children without a password or a sign-in provider.")
        )


async def _require_target(db: Database, token: LinkToken | None) -> LinkTarget:
    """Check a link; every failure has the same message."""
    gone = NotFound(OLD_LINK)
    if token is None:
        raise gone
    link = await db.get(SignInLink.key(member_id=token.member_id))
    if link is None or not link.accepts(token.secret, clock.timestamp()):
        raise gone
    family_id = link.family_id
    account = await accounts.get_account(db, token.member_id)
    family = await store.get_family(db, family_id)
    member = await store.get_member(db, family_id, token.member_id)
    maker = await store.get_member(db, family_id, link.made_by)
    if account is None or not account.is_child or account.is_disabled:
        raise gone
    if family is None or member is None:
        raise gone
    if maker is None or not maker.is_same_admin(link.made_by, link.term):
        raise gone
    return LinkTarget(link, account, member, family, maker)


def _reactivate_or_announce(tx: Transaction, found: LinkTarget) -> None:
    """Bring a removed child back, or show the new device to admins."""
    before, account = found.member, found.account
    if before.is_active:
        tx.write(*change_writes(before))
        return
    at = clock.timestamp()
    tx.replace(before, before.reactivate("suggester", account.name, None, at))
    tx.write(store.join_family_write(account, before.family_id, at))
