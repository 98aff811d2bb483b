from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from homeshelf import clock, security_log
from homeshelf.accounts.model import (
    SESSION_SECONDS,
    Account,
    EmailClaim,
    IdentityClaim,
    Session,
    SessionPolicy,
    digest_of_email,
)
from homeshelf.coordination.changes import session_end_writes
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound, Unauthenticated, or_not_found
from homeshelf.outbox.channel import PersonalAddress
from homeshelf.sentences import _
from homeshelf.table import Database, Delete, Item, Key, Query, Write, absent, attr

MAX_SESSIONS_ENDED = 40
TAKEN = _("There’s already an account with this e-mail.")


async def get_account(db: Database, member_id: str) -> Account | None:
    return await db.get(Account.key(member_id=member_id))


async def require_account(db: Database, key: Key[Account]) -> Account:
    account = await db.get(key)
    if account is None:
        raise Unauthenticated
    return account


async def get_account_by_email(db: Database, email: str) -> Account | None:
    """Return the account; an unknown address takes two reads too, so timing reveals nothing."""
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(email)))
    return await get_account(db, claim.holder if claim else "nobody")


async def identity_claim_of(db: Database, account: Account) -> IdentityClaim | None:
    if account.issuer is None or account.subject is None:
        return None
    claim = await db.get(IdentityClaim.key_of(account.issuer, account.subject))
    return claim if claim is not None and claim.holder == account.member_id else None


def sessions_of(member_id: str, era: int) -> Query[Session]:
    return Session.where(member_id=member_id).newest_first().up_to_date().only(attr("era") == era)


async def require_session(
    db: Database, member_id: str, session: Key[Session]
) -> tuple[Account, Session]:
    keys: list[Key[Any]] = [Account.key(member_id=member_id), session]
    holder, found = await db.get_many(keys)
    if holder is None or found is None or not found.is_valid_for(holder):
        raise Unauthenticated
    return holder, found


async def create_account(db: Database, new: Account, *writes: Write) -> None:
    await db.transact(new.put(absent), claim_address(new), *writes)


def claim_address(account: Account) -> Write:
    """Claim the account's address; raise Duplicate if another account has it."""

    async def refuse(stored: Item | None) -> None:
        if stored is None or EmailClaim.load(stored).holder != account.member_id:
            raise Duplicate(detail=TAKEN)

    claim = EmailClaim(email_digest=digest_of_email(account.email), holder=account.member_id)
    return claim.take().with_refusal(refuse)


@transaction
async def start_session(
    tx: Transaction,
    account: Account,
    device: str,
    *,
    provider: SessionPolicy | None = None,
    writes: Sequence[Write] = (),
) -> Session:
    session = new_session(account, device)
    if provider:
        session = provider.limit_lifetime(session.changed(issuer=provider.issuer), account)
        session = session.changed(ttl=clock.seconds() + session.seconds_left)
    await add_session(tx, account, session)
    tx.write(*writes)
    about = {"member_id": account.member_id, "way": "provider" if provider else "password"}
    tx.after_commit(partial(security_log.note, "signed_in", **about, device=device))
    return session


def new_session(account: Account, device: str, family_id: str | None = None) -> Session:
    """Copy the account's era, so that a concurrent password change ends the session."""
    at = clock.timestamp()
    return Session(
        session_id=clock.ordered_id(),
        member_id=account.member_id,
        era=account.era,
        device=device,
        family_id=family_id,
        created_at=at,
        last_used_at=at,
        ttl=clock.seconds() + SESSION_SECONDS,
    )


async def add_session(tx: Transaction, account: Account, session: Session) -> None:
    """Add a session, and end the least recently used ones if there are too many."""
    most = tx.db.settings.limit_sessions
    oldest = Session.where(member_id=account.member_id).up_to_date()
    found = await tx.db.all(oldest.page(most + MAX_SESSIONS_ENDED))
    own = [each for each in found if each.era <= account.era]
    own.sort(key=lambda each: (each.era, each.last_used_at))
    ended = own[: max(0, len(found) + 1 - most)][:MAX_SESSIONS_ENDED]
    tx.write(session.put(absent), *(each.delete() for each in ended))
    if ended:
        tx.write(*stream_end_writes(account))


@transaction
async def use_refresh_token(
    tx: Transaction,
    key: Key[Session],
    member_id: str,
    policy: SessionPolicy,
    turn: int,
    family_id: str | None,
) -> tuple[Account, Session] | None:
    """Renew a session, or end it and return None if the token was stolen."""
    holder, old = await require_session(tx.db, member_id, key)
    if not policy.allows(old, holder):
        raise Unauthenticated
    if policy.issuer is not None and old.family_id is None:  # the provider has its own tokens
        raise NotFound
    now = clock.now()
    if turn != old.turn:
        if turn > old.turn or old.was_used_recently(turn, now):
            raise Unauthenticated
        tx.write(old.delete(old.unchanged), *stream_end_writes(holder))
        about = {"member_id": member_id, "why": "its refresh token was used twice"}
        tx.after_commit(partial(security_log.note, "session_ended", **about))
        return None
    if family_id is not None:
        require_family_access(holder, old, family_id)
    new = policy.limit_lifetime(old, holder).next_turn(now)
    tx.write(new.replacing(old))
    return holder, new


def require_family_access(account: Account, session: Session, family_id: str) -> None:
    if family_id not in account.families or not session.acts_in(family_id):
        raise NotFound


async def end_session(db: Database, account: Account, session_id: str, *writes: Write) -> None:
    session = await db.get(Session.key(member_id=account.member_id, session_id=session_id))
    if session is None or not session.is_valid_for(account):
        raise NotFound
    await db.transact(session.delete(), *stream_end_writes(account), *writes)


def stream_end_writes(account: Account, families: int = 50) -> list[Write]:
    """Return the writes that end a person's event streams."""
    return [*session_end_writes(account.member_id, account.families[:families])]


@transaction
async def set_preferences(
    tx: Transaction, key: Key[Account], preferences: dict[str, Any]
) -> Account:
    old = await require_account(tx.db, key)
    new = old.new_version(**preferences)
    tx.replace(old, new)
    return new


@transaction
async def set_address(tx: Transaction, key: Key[Account], address: PersonalAddress) -> None:
    account = await require_account(tx.db, key)
    tx.write(account.check(), address.put())


@transaction
async def remove_address(tx: Transaction, key: Key[Account], kind: type[PersonalAddress]) -> None:
    account = await require_account(tx.db, key)
    tx.write(Delete(kind.key(member_id=account.member_id)))


@transaction
async def verify_email(tx: Transaction, key: Key[Account], email_digest: str) -> None:
    """Mark the address as verified, once per link."""
    old = or_not_found(await tx.db.get(key))
    if old.email_verified or digest_of_email(old.email) != email_digest:
        raise NotFound
    tx.replace(old, old.revised(clock.timestamp(), email_verified=True))


@transaction
async def reset_password(
    tx: Transaction, key: Key[Account], era: int, password_hash: str, *writes: Write, verified: bool
) -> None:
    """Set the password once per link, and verify the address if the link was mailed."""
    old = await tx.get(key)
    if old.era != era:
        raise NotFound
    new = old.revised(clock.timestamp(), email_verified=old.email_verified or verified)
    tx.replace(old, new.with_password(password_hash))
    tx.write(*stream_end_writes(old), *writes)


async def disable(db: Database, key: Key[Account]) -> Account:
    return await end_all_sessions(db, key, lambda old: old.disable(clock.timestamp()))


@transaction
async def enable(tx: Transaction, key: Key[Account]) -> Account:
    old = await tx.get(key)
    enabled = old.enable(clock.timestamp())
    tx.replace(old, enabled)
    return enabled


async def sign_out_everywhere(db: Database, key: Key[Account]) -> Account:
    return await end_all_sessions(db, key, lambda old: old.end_sessions(clock.timestamp()))


@transaction
async def end_all_sessions(
    tx: Transaction, key: Key[Account], rule: Callable[[Account], Account], *writes: Write
) -> Account:
    """Apply a rule that ends all sessions, with more writes if it changes the account."""
    old = await tx.get(key)
    new = rule(old)
    if new != old:
        tx.replace(old, new)
        tx.write(*stream_end_writes(new), *writes)
    return new
