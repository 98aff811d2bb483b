"""A person's name, which is theirs in each of their families too, and their password."""

from datetime import timedelta
from functools import partial

from homeshelf import clock
from homeshelf.access.families import Families, families_of
from homeshelf.accounts import store
from homeshelf.accounts.model import Account, NewPassword, Session
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.table import Database, Write
from homeshelf.web.services import Services

KIND = "person_renamed"
TOLD_AT_ONCE = 12
"""As many as there is room for in the transaction that changes the account."""


async def change_profile(
    services: Services,
    session: Session,
    name: str | None,
    password: NewPassword | None,
) -> Account:
    """Another name, another password, or both. A new password ends all other sessions."""

    db, families = services.db, families_of(services)
    left: list[Todo] = []

    async def decide() -> Outcome[Account]:
        old, kept = await _as_they_are(db, session)
        new = old.revised(clock.timestamp())
        writes: list[Write] = []
        if name is not None:
            new = new.changed(name=name)
            theirs, more = await families.renaming(db, old, name, new.updated_at)
            writes += theirs
            left[:] = [_rest(old.member_id)] if more else []
        if password is not None:
            if password.known != old.password_hash:
                raise Invalid(
                    [("currentPassword", _("This was your password until a moment ago."))]
                )
            new = new.with_password(password.password_hash)
            writes += store.told_to_streams(old, TOLD_AT_ONCE)
            if kept.is_kept:
                writes.append(kept.changed(era=new.era).replacing(kept))
        return new, (*replaced(old, new), *writes, *(each.put() for each in left))

    changed = await carry_out(db, Account.key(member_id=session.member_id), decide)
    for each in left:
        await finish_soon(db, each, partial(finish_renaming, families))
    return changed


async def finish_renaming(families: Families, db: Database, left: Todo) -> None:
    account = await store.account(db, left.about["memberId"])
    if account is not None:
        await families.finish_renaming(db, account)


async def _as_they_are(db: Database, session: Session) -> tuple[Account, Session]:
    if session.is_kept:
        return await store.signed_in(db, session.member_id, session.own_key())
    return await store.account_of(db, session.member_id), session


def _rest(member_id: str) -> Todo:
    return todo(KIND, {"memberId": member_id}, clock.now() + timedelta(seconds=10))
