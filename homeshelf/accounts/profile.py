"""A person's name, which is theirs in each of their families too, and their password."""

from datetime import timedelta

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.model import Account, NewPassword, Session
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import Invalid
from homeshelf.families import store as families
from homeshelf.families.model import Member
from homeshelf.table import Database, Write

KIND = "person_renamed"
FAMILIES_AT_ONCE = 40
TOLD_AT_ONCE = 12
"""As many as there is room for in the transaction that changes the account."""


async def change_profile(
    db: Database,
    session: Session,
    name: str | None,
    password: NewPassword | None,
    also: Also = nothing_else,
) -> Account:
    """Another name, another password, or both. A new password ends all other sessions."""

    async def attempt() -> tuple[Account, Todo | None]:
        old, kept = await _as_they_are(db, session)
        new, left = old.revised(clock.timestamp()), None
        writes: list[Write] = []
        if name is not None:
            new = new.changed(name=name)
            memberships = await families.memberships(db, old)
            writes += families.renames(memberships[:FAMILIES_AT_ONCE], name, new.updated_at)
            if memberships[FAMILIES_AT_ONCE:]:
                left = _rest(old.member_id)
                writes.append(left.put())
        if password is not None:
            if password.known != old.password_hash:
                raise Invalid([("currentPassword", "This was your password until a moment ago.")])
            new = new.with_password(password.password_hash)
            writes += store.told_to_streams(old, TOLD_AT_ONCE)
            if kept.is_kept:
                writes.append(kept.changed(era=new.era).replacing(kept))
        await db.transact(new.replacing(old), *writes, *also(new))
        return new, left

    changed, left = await db.settle(Account.key(member_id=session.member_id), attempt)
    if left is not None:
        await finish_soon(db, left, finish_renaming)
    return changed


async def finish_renaming(db: Database, left: Todo) -> None:
    account = await store.account(db, left.about["memberId"])
    if account is not None:
        for member in await families.memberships(db, account):
            await _rename(db, member, account.name)


async def _as_they_are(db: Database, session: Session) -> tuple[Account, Session]:
    if session.is_kept:
        return await store.signed_in(db, session.member_id, session.own_key())
    return await store.account_of(db, session.member_id), session


async def _rename(db: Database, member: Member, name: str) -> None:
    async def attempt() -> None:
        found = await families.member(db, member.family_id, member.member_id)
        if found is not None and (writes := families.renames([found], name, clock.timestamp())):
            await db.transact(*writes)

    await db.settle(member.own_key(), attempt)


def _rest(member_id: str) -> Todo:
    return todo(KIND, {"memberId": member_id}, clock.now() + timedelta(seconds=10))
