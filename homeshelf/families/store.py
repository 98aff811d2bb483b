"""Read and change families and members."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from homeshelf import clock, security_log
from homeshelf.accounts.model import Account, Session, digest_of_email
from homeshelf.accounts.store import require_account
from homeshelf.coordination.changes import change_write
from homeshelf.coordination.claims import release_writes
from homeshelf.coordination.todos import Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    require_version,
    transaction,
)
from homeshelf.errors import Forbidden, LastAdmin, NotForChildren, NotFound, WrongState
from homeshelf.families.links import end_link_writes
from homeshelf.families.model import (
    Decision,
    Family,
    Invitation,
    InvitationStatus,
    Member,
    Role,
    admin_count_write,
    status_is,
)
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Key, Query, Set, Write, absent, attr

INVITER_GONE = "inviter_gone"
MAX_TERM = 2**31
"""A term later than any other, for a member who cannot be read."""
REVOKE_BATCH = 25
"""The number of invitations in one transaction, as each takes three writes."""


async def get_family(db: Database, family_id: str) -> Family | None:
    return await db.get(Family.key(family_id=family_id))


def member_key(family_id: str, member_id: str) -> Key[Member]:
    return Member.key(family_id=family_id, member_id=member_id)


async def get_member(db: Database, family_id: str, member_id: str) -> Member | None:
    return await db.get(member_key(family_id, member_id))


def members_of(family_id: str) -> Query[Member]:
    return Member.where(family_id=family_id)


def members_with_status(family_id: str, status: str) -> Query[Member]:
    return members_of(family_id).only(attr("status") == status)


async def active_members(db: Database, family_id: str, *, skip: bool = True) -> Sequence[Member]:
    return await db.all(members_with_status(family_id, "active").up_to_date(), skip=skip)


async def indexed_memberships(db: Database, member_id: str) -> Sequence[Member]:
    """Return memberships by GSI1, which lags and must not decide access."""
    return await db.all(Member.where("GSI1", member_id=member_id))


async def memberships(db: Database, account: Account, *, skip: bool = True) -> list[Member]:
    keys = [Member.key(family_id=id_, member_id=account.member_id) for id_ in account.families]
    return [found for found in await db.get_many(keys, skip=skip) if found and found.is_active]


async def get_homes(
    db: Database, account: Account, session: Session | None = None, *, skip: bool = True
) -> list[tuple[Family, Member]]:
    """Return the families of a person, or only those that the session may access."""
    members = await memberships(db, account, skip=skip)
    keys = [Family.key(family_id=member.family_id) for member in members]
    found = zip(await db.get_many(keys, skip=skip), members, strict=True)
    return [
        (family, member)
        for family, member in found
        if family and (session is None or session.acts_in(family.family_id))
    ]


async def get_invitation(db: Database, family_id: str, invitation_id: str) -> Invitation | None:
    return await db.get(Invitation.key(family_id=family_id, invitation_id=invitation_id))


def invitations_of(family_id: str) -> Query[Invitation]:
    return Invitation.where(family_id=family_id)


def invitations_with_status(
    family_id: str, status: InvitationStatus, now: str
) -> Query[Invitation]:
    return invitations_of(family_id).only(status_is(status, now))


async def waiting_invitations(db: Database, family_id: str, now: str) -> Sequence[Invitation]:
    return await db.all(invitations_with_status(family_id, "pending", now))


async def indexed_invitations(db: Database, email: str) -> Sequence[Invitation]:
    """Return invitations by GSI1, which lags and must not decide access."""
    return await db.all(Invitation.where("GSI1", invited=digest_of_email(email)))


def invitations_open_to(email: str, now: str) -> Query[Invitation]:
    return Invitation.where("GSI1", invited=digest_of_email(email)).only(status_is("pending", now))


@transaction
async def create_family(tx: Transaction, key: Key[Account], name: str) -> Family:
    account = await require_account(tx.db, key)
    if account.is_child:
        raise NotForChildren
    at, founder = clock.timestamp(), account.member_id
    family = Family(
        family_id=clock.new_id(), name=name, created_by=founder, created_at=at, updated_at=at
    )
    tx.write(family.put(absent), join_family_write(account, family.family_id, at))
    tx.add(new_member(account, family.family_id, "admin", at))
    return family


@transaction
async def rename_family(tx: Transaction, key: Key[Family], name: str, version: int) -> Family:
    old = await tx.get(key, version)
    renamed = old.new_version(name=name)
    tx.replace(old, renamed)
    return renamed


@transaction
async def change_member(
    tx: Transaction, key: Key[Member], version: int, changes: dict[str, Any]
) -> Member:
    old = await tx.get(key)
    if not old.is_active:
        raise NotFound
    require_version(old, version)
    new = old.new_version(**changes)
    if changes.get("may_tick") and not new.may_tick:
        raise WrongState(old, _("Only a child needs this permission."))
    if new == old:
        return old
    tx.replace(old, new)
    tx.write(_admin_count_write(tx.db, old, new))
    await _rename_child(tx, old, new)
    _end_term(tx, old, new)
    if new.role != old.role:
        about = {"family_id": new.family_id, "member_id": new.member_id, "role": new.role}
        tx.after_commit(partial(security_log.note, "role_changed", **about))
    return new


async def remove_member(db: Database, family_id: str, member_id: str) -> None:
    key = member_key(family_id, member_id)
    delete_unreadable = partial(_delete_unreadable, family_id=family_id, member_id=member_id)
    async with delete_if_unreadable(db, key, delete_unreadable):
        await _remove_member(db, Account.key(member_id=member_id), key)


@transaction
async def _remove_member(tx: Transaction, account_key: Key[Account], key: Key[Member]) -> None:
    old = await tx.get(key)
    family_id, member_id = old.family_id, old.member_id
    tx.write(*await end_link_writes(tx.db, family_id, member_id))
    if not old.is_active:
        return
    at = clock.timestamp()
    gone = old.remove(at)
    tx.replace(old, gone)
    tx.write(_admin_count_write(tx.db, old, gone))
    if account := await tx.db.get(account_key):
        tx.write(leave_family_write(account, family_id, at))
    about = {"family_id": family_id, "member_id": member_id}
    tx.after_commit(partial(security_log.note, "member_removed", **about))
    _end_term(tx, old, gone)


async def _delete_unreadable(tx: Transaction, family_id: str, member_id: str) -> None:
    home = await tx.get(Family.key(family_id=family_id))
    admins = [each for each in await active_members(tx.db, family_id) if each.is_admin]
    still, count = attr("admins") == home.admins, Set("admins", len(admins))
    tx.write(Family.update(home.own_key(), count, when=still))
    if account := await tx.db.get(Account.key(member_id=member_id)):
        tx.write(leave_family_write(account, family_id, clock.timestamp()))
    about = {"familyId": family_id, "memberId": member_id, "term": MAX_TERM}
    tx.write(*await end_link_writes(tx.db, family_id, member_id))
    tx.write(change_write(family_id, "Member", member_id, None), todo(INVITER_GONE, about).put())


def new_member(account: Account, family_id: str, role: Role, at: str) -> Member:
    return Member(
        member_id=account.member_id,
        family_id=family_id,
        email=account.email or None,
        name=account.name,
        role=role,
        created_at=at,
        updated_at=at,
    )


def join_family_write(account: Account, family_id: str, at: str) -> Write:
    """Add the family to the account, which decides access."""
    families = *_other_families(account, family_id), family_id
    return account.revised(at, families=families).replacing(account)


def leave_family_write(account: Account, family_id: str, at: str) -> Write:
    """Remove the family from the account, and end a child's sessions."""
    era = account.era + 1 if account.is_child else account.era
    gone = account.revised(at, families=_other_families(account, family_id), era=era)
    return gone.replacing(account)


def _other_families(account: Account, family_id: str) -> tuple[str, ...]:
    return tuple(id_ for id_ in account.families if id_ != family_id)


def require_still_admin(admin: Member) -> Write:
    """Return a check that fails if the caller lost the role before the commit."""

    async def refuse(_member: Item | None) -> None:
        raise Forbidden

    return admin.check(admin.still_admin_condition).with_refusal(refuse)


async def decide_invitations(
    tx: Transaction, invitations: Sequence[Invitation], decision: Decision, at: str
) -> None:
    """Decide invitations, and release the claims of those that are open."""
    for invitation in invitations:
        tx.replace(invitation, invitation.revised(at, status=decision))
    tx.write(
        *await release_writes(tx.db, *(each.claim for each in invitations if each.is_open(at)))
    )


def _end_term(tx: Transaction, old: Member, new: Member) -> None:
    if old.is_admin and not new.is_admin:
        about = {"familyId": old.family_id, "memberId": old.member_id, "term": old.admin_term}
        left = todo(INVITER_GONE, about, clock.now() + timedelta(seconds=10))
        tx.finish_soon(left, revoke_after_term)


async def revoke_after_term(db: Database, left: Todo) -> None:
    """Revoke invitations up to a term, as the inviter may be an admin again."""
    about = left.about
    await revoke_invitations(db, about["familyId"], about["memberId"], about["term"])


async def revoke_invitations(db: Database, family_id: str, member_id: str, last_term: int) -> None:
    key = Family.key(family_id=family_id)
    while await _revoke_batch(db, key, family_id, member_id, last_term) == REVOKE_BATCH:
        pass


@transaction
async def _revoke_batch(
    tx: Transaction, _key: Key[Family], family_id: str, member_id: str, last_term: int
) -> int:
    at = clock.timestamp()
    waiting = invitations_with_status(family_id, "pending", at)
    invitations = waiting.only(attr("invitedBy") == member_id).matching(
        lambda item: Invitation.load(item).admin_term <= last_term
    )
    found = await tx.db.all(invitations.up_to_date().page(REVOKE_BATCH))
    await decide_invitations(tx, found, "revoked", at)
    return len(found)


async def _rename_child(tx: Transaction, old: Member, new: Member) -> None:
    """Rename the child's account, and refuse to make it an admin."""
    account = await tx.db.get(Account.key(member_id=old.member_id))
    if account is None or not account.is_child:
        return
    if new.is_admin:
        raise WrongState(old, _("An adult needs a password or a sign-in provider."))
    if account.name != new.name:
        tx.write(account.revised(new.updated_at, name=new.name).replacing(account))


def _admin_count_write(db: Database, old: Member, new: Member) -> Write:
    async def refuse(family: Item | None) -> None:
        if family is None:
            raise NotFound
        if await db.get(old.own_key()) == old:  # a concurrent change may have taken the role
            raise LastAdmin

    return admin_count_write(old, new).with_refusal(refuse)
