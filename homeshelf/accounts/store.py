"""Accounts and their sessions.

`signing_in.py` says who is let in, `profile.py` has names, passwords and leaving.
"""

from collections.abc import Callable, Sequence
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
from homeshelf.coordination.changing import Outcome, by_itself, change
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
    """Two reads whether there is one or not, so that the time does not tell."""
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(email)))
    return await account(db, claim.holder if claim else "nobody")


async def identity_claim_of(db: Database, account: Account) -> IdentityClaim | None:
    """What an account is found by for whom an identity provider vouches."""
    if account.issuer is None or account.subject is None:
        return None
    claim = await db.get(IdentityClaim.key_of(account.issuer, account.subject))
    return claim if claim is not None and claim.holder == account.member_id else None


def sessions_of(member_id: str, era: int) -> Query[Session]:
    """Where a person is signed in, the latest first."""
    return Session.where(member_id=member_id).newest_first().up_to_date().only(attr("era") == era)


async def signed_in(db: Database, member_id: str, session: Key[Session]) -> tuple[Account, Session]:
    keys: list[Key[Any]] = [Account.key(member_id=member_id), session]
    holder, found = await db.get_many(keys)
    if holder is None or found is None or not found.holds_for(holder):
        raise Unauthenticated
    return holder, found


async def open_account(db: Database, new: Account, *also: Write) -> None:
    """One account an address: of two at the same moment one is refused."""

    async def refuse(_holder: Item | None) -> None:
        raise Duplicate(detail=_("There is an account with this e-mail already."))

    claim = EmailClaim(email_digest=digest_of_email(new.email), holder=new.member_id).take()
    await db.transact(new.put(absent), claim.refusing(refuse), *also)


async def start_session(
    db: Database,
    account: Account,
    device: str,
    *,
    vouched: SessionTerms | None = None,
    also: Sequence[Write] = (),
) -> Session:
    """`vouched` are the terms of a session that is made through an identity provider."""
    session = new_session(account, device)
    if vouched:
        session = vouched.bounded(session.changed(issuer=vouched.issuer), account)
        session = session.changed(ttl=clock.seconds() + session.seconds_left)

    async def attempt() -> Session:
        await db.transact(*await starting(db, account, session), *also)
        return session

    started = await db.retry_with_lock(account.own_key(), attempt)
    way = "provider" if vouched else "password"
    security_log.note("signed_in", member_id=account.member_id, way=way, device=device)
    return started


def new_session(account: Account, device: str, family_id: str | None = None) -> Session:
    """It is of the account's era: were the password changed since, it would have ended already."""
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


async def starting(db: Database, account: Account, session: Session) -> list[Write]:
    """What starts a session.

    Where there are as many as may be, the one that was not used for longest ends with it. Of more
    than that (two may begin at once) this ends some, and the next the rest.
    """
    most = db.settings.limit_sessions
    oldest = Session.where(member_id=account.member_id).up_to_date()
    found = await db.all(oldest.page(most + ENDED_AT_ONCE))
    mine = [each for each in found if each.era <= account.era]
    mine.sort(key=lambda each: (each.era, each.last_used_at))
    ended = mine[: max(0, len(found) + 1 - most)][:ENDED_AT_ONCE]
    told = told_to_streams(account) if ended else []
    return [session.put(absent), *(each.delete() for each in ended), *told]


async def take_turn(
    db: Database,
    terms: SessionTerms,
    member_id: str,
    session_id: str,
    turn: int,
    family_id: str | None,
) -> tuple[Account, Session]:
    """Use a session's refresh token. Used again much later it was stolen, by whomever: all end."""
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
    """That a family is one of the person's, which the session may act in."""
    if family_id not in account.families or not session.acts_in(family_id):
        raise NotFound


async def end_session(db: Database, account: Account, session_id: str, *also: Write) -> None:
    session = await db.get(Session.key(member_id=account.member_id, session_id=session_id))
    if session is None or not session.holds_for(account):
        raise NotFound
    await db.transact(session.delete(), *told_to_streams(account), *also)


def told_to_streams(account: Account, families: int = 50) -> list[Write]:
    """What goes with the end of any of a person's sessions: its streams end with it.

    In this many of their families at once; in more, they find it out by themselves.
    """
    return [*note_ended_sessions(account.member_id, account.families[:families])]


async def set_preferences(db: Database, member_id: str, preferences: dict[str, Any]) -> Account:
    key = Account.key(member_id=member_id)
    return await change(db, key, by_itself(lambda old: old.edited(**preferences)), find=account_at)


async def verify_email(db: Database, member_id: str, email_digest: str) -> None:
    """The address is theirs: its mail reached them. A link does this once."""

    def verified(old: Account) -> Account:
        if old.email_verified or digest_of_email(old.email) != email_digest:
            raise NotFound
        return old.revised(clock.timestamp(), email_verified=True)

    if await db.change(Account.key(member_id=member_id), verified) is None:
        raise NotFound


async def reset_password(
    db: Database, member_id: str, era: int, password_hash: str, *, verified: bool
) -> None:
    """A link does this once: it begins another era. Where it came by mail, the address is
    verified."""

    def reset(old: Account) -> Account:
        if old.era != era:
            raise NotFound
        verified_by_now = old.email_verified or verified
        new = old.revised(clock.timestamp(), email_verified=verified_by_now)
        return new.with_password(password_hash)

    await begin_era(db, member_id, reset)


async def disable(db: Database, member_id: str) -> Account:
    return await begin_era(db, member_id, lambda old: old.disabled(clock.timestamp()))


async def enable(db: Database, member_id: str) -> Account:
    key = Account.key(member_id=member_id)
    return await change(db, key, by_itself(lambda old: old.enabled(clock.timestamp())))


async def sign_out_everywhere(db: Database, member_id: str) -> Account:
    return await begin_era(db, member_id, lambda old: old.signed_out(clock.timestamp()))


async def begin_era(
    db: Database, member_id: str, rule: Callable[[Account], Account], *also: Write
) -> Account:
    async def begun(old: Account) -> "Outcome[Account]":
        new = rule(old)
        return new, (*told_to_streams(new), *also)

    return await change(db, Account.key(member_id=member_id), begun)
