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
    SessionTerms,
    digest_of_email,
)
from homeshelf.coordination.changes import note_ended_sessions
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound, Unauthenticated
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Key, Query, Write, absent, attr

ENDED_AT_ONCE = 40


async def account(db: Database, member_id: str) -> Account | None:
    return await db.get(Account.key(member_id=member_id))


async def account_of(db: Database, member_id: str) -> Account:
    return await account_at(db, Account.key(member_id=member_id))


async def account_at(db: Database, key: Key[Account]) -> Account:
    account = await db.get(key)
    if account is None:
        raise Unauthenticated
    return account


async def account_with_email(db: Database, email: str) -> Account | None:
    """Read twice even without a claim: the time must not tell."""
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(email)))
    return await account(db, claim.holder if claim else "nobody")


async def identity_claim_of(db: Database, account: Account) -> IdentityClaim | None:
    if account.issuer is None or account.subject is None:
        return None
    claim = await db.get(IdentityClaim.key_of(account.issuer, account.subject))
    return claim if claim is not None and claim.holder == account.member_id else None


def sessions_of(member_id: str, era: int) -> Query[Session]:
    """Return the sessions of a person, newest first."""
    return Session.where(member_id=member_id).newest_first().up_to_date().only(attr("era") == era)


async def signed_in(db: Database, member_id: str, session: Key[Session]) -> tuple[Account, Session]:
    keys: list[Key[Any]] = [Account.key(member_id=member_id), session]
    holder, found = await db.get_many(keys)
    if holder is None or found is None or not found.holds_for(holder):
        raise Unauthenticated
    return holder, found


async def open_account(db: Database, new: Account, *writes: Write) -> None:
    """Add an account; the address may belong to only one."""

    async def refuse(_holder: Item | None) -> None:
        raise Duplicate(detail=_("There is an account with this e-mail already."))

    claim = EmailClaim(email_digest=digest_of_email(new.email), holder=new.member_id).take()
    await db.transact(new.put(absent), claim.refusing(refuse), *writes)


@transaction
async def start_session(
    tx: Transaction,
    account: Account,
    device: str,
    *,
    vouched: SessionTerms | None = None,
    writes: Sequence[Write] = (),
) -> Session:
    """`vouched`: the terms of a session that an identity provider signed in."""
    session = new_session(account, device)
    if vouched:
        session = vouched.bounded(session.changed(issuer=vouched.issuer), account)
        session = session.changed(ttl=clock.seconds() + session.seconds_left)
    await begin_session(tx, account, session)
    tx.write(*writes)
    about = {"member_id": account.member_id, "way": "provider" if vouched else "password"}
    tx.after_commit(partial(security_log.note, "signed_in", **about, device=device))
    return session


def new_session(account: Account, device: str, family_id: str | None = None) -> Session:
    """Take over the account's era: a password change meanwhile has ended the session already."""
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


async def begin_session(tx: Transaction, account: Account, session: Session) -> None:
    """Write a new session, and end the least recently used ones if there are too many."""
    most = tx.db.settings.limit_sessions
    oldest = Session.where(member_id=account.member_id).up_to_date()
    found = await tx.db.all(oldest.page(most + ENDED_AT_ONCE))
    mine = [each for each in found if each.era <= account.era]
    mine.sort(key=lambda each: (each.era, each.last_used_at))
    ended = mine[: max(0, len(found) + 1 - most)][:ENDED_AT_ONCE]
    tx.write(session.put(absent), *(each.delete() for each in ended))
    if ended:
        tx.write(*told_to_streams(account))


async def take_turn(
    db: Database,
    terms: SessionTerms,
    member_id: str,
    session_id: str,
    turn: int,
    family_id: str | None,
) -> tuple[Account, Session]:
    """Use a session's refresh token; a token used again much later was stolen: end the session."""
    key = Session.key(member_id=member_id, session_id=session_id)

    async def attempt() -> tuple[Account, Session]:
        holder, old = await signed_in(db, member_id, key)
        if not terms.admit(old, holder):
            raise Unauthenticated
        if terms.issuer is not None and old.family_id is None:  # the provider has its own tokens
            raise NotFound
        now = clock.now()
        if turn != old.turn:
            if turn < old.turn and not old.was_just_taken(turn, now):
                await db.transact(old.delete(old.unchanged), *told_to_streams(holder))
                why = "its refresh token was used twice"
                security_log.note("session_ended", member_id=member_id, why=why)
            raise Unauthenticated
        if family_id is not None:
            require_theirs(holder, old, family_id)
        new = terms.bounded(old, holder).taking_turn(now)
        await db.write(new.replacing(old))
        return holder, new

    return await db.retry_with_lock(key, attempt)


def require_theirs(account: Account, session: Session, family_id: str) -> None:
    if family_id not in account.families or not session.acts_in(family_id):
        raise NotFound


async def end_session(db: Database, account: Account, session_id: str, *writes: Write) -> None:
    session = await db.get(Session.key(member_id=account.member_id, session_id=session_id))
    if session is None or not session.holds_for(account):
        raise NotFound
    await db.transact(session.delete(), *told_to_streams(account), *writes)


def told_to_streams(account: Account, families: int = 50) -> list[Write]:
    """Return the writes that end a person's event streams, in this many families at once."""
    return [*note_ended_sessions(account.member_id, account.families[:families])]


async def set_preferences(db: Database, member_id: str, preferences: dict[str, Any]) -> Account:
    return await _set_preferences(db, Account.key(member_id=member_id), preferences)


@transaction
async def _set_preferences(
    tx: Transaction, key: Key[Account], preferences: dict[str, Any]
) -> Account:
    old = await account_at(tx.db, key)
    new = old.edited(**preferences)
    tx.replace(old, new)
    return new


async def verify_email(db: Database, member_id: str, email_digest: str) -> None:
    """Mark the address as verified, once per link."""

    def verified(old: Account) -> Account:
        if old.email_verified or digest_of_email(old.email) != email_digest:
            raise NotFound
        return old.revised(clock.timestamp(), email_verified=True)

    if await db.change(Account.key(member_id=member_id), verified) is None:
        raise NotFound


async def reset_password(
    db: Database, member_id: str, era: int, password_hash: str, *writes: Write, verified: bool
) -> None:
    """Set the password once per link; a mailed link verifies the address too."""

    def reset(old: Account) -> Account:
        if old.era != era:
            raise NotFound
        verified_by_now = old.email_verified or verified
        new = old.revised(clock.timestamp(), email_verified=verified_by_now)
        return new.with_password(password_hash)

    await begin_era(db, member_id, reset, *writes)


async def disable(db: Database, member_id: str) -> Account:
    return await begin_era(db, member_id, lambda old: old.disabled(clock.timestamp()))


async def enable(db: Database, member_id: str) -> Account:
    return await _enable(db, Account.key(member_id=member_id))


@transaction
async def _enable(tx: Transaction, key: Key[Account]) -> Account:
    old = await tx.get(key)
    enabled = old.enabled(clock.timestamp())
    tx.replace(old, enabled)
    return enabled


async def sign_out_everywhere(db: Database, member_id: str) -> Account:
    return await begin_era(db, member_id, lambda old: old.signed_out(clock.timestamp()))


async def begin_era(
    db: Database, member_id: str, rule: Callable[[Account], Account], *writes: Write
) -> Account:
    """Change an account so that its sessions end, with further writes if that changes it."""
    return await _begin_era(db, Account.key(member_id=member_id), rule, writes)


@transaction
async def _begin_era(
    tx: Transaction,
    key: Key[Account],
    rule: Callable[[Account], Account],
    writes: Sequence[Write],
) -> Account:
    old = await tx.get(key)
    new = rule(old)
    if new != old:
        tx.replace(old, new)
        tx.write(*told_to_streams(new), *writes)
    return new
