"""Families and their members, and what becomes of invitations whose maker is admin no longer. See
`invitations.py` for how people come in."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any

from homeshelf import clock, security_log
from homeshelf.accounts.model import Account, digest_of_email
from homeshelf.accounts.store import account_of
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.changing import (
    Outcome,
    added,
    by_itself,
    carry_out,
    change,
    delete_if_unreadable,
    existing,
    replaced,
)
from homeshelf.coordination.claims import released
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import Forbidden, LastAdmin, NotForChildren, NotFound, WrongState
from homeshelf.families.links import ended_links
from homeshelf.families.model import (
    Decision,
    Family,
    Invitation,
    InvitationStatus,
    Member,
    Role,
    admins_counted,
    has_status,
)
from homeshelf.sentences import _
from homeshelf.table import Database, Item, Key, Query, Set, Write, absent, attr

INVITER_GONE = "inviter_gone"
LAST_TERM = 2**31
"""Later than any term, where it is unknown which terms an admin had."""
AT_ONCE = 25
"""Each takes three writes of a transaction's hundred."""


async def family(db: Database, family_id: str) -> Family | None:
    return await db.get(Family.key(family_id=family_id))


async def member(db: Database, family_id: str, member_id: str) -> Member | None:
    """Get member: asked anew on every request, because a removal bites at once."""
    return await db.get(Member.key(family_id=family_id, member_id=member_id))


def members_of(family_id: str) -> Query[Member]:
    return Member.where(family_id=family_id)


def members_with_status(family_id: str, status: str) -> Query[Member]:
    return members_of(family_id).only(attr("status") == status)


async def active_members(db: Database, family_id: str, *, skip: bool = True) -> Sequence[Member]:
    """Up to date."""
    return await db.all(members_with_status(family_id, "active").up_to_date(), skip=skip)


async def families_of(db: Database, member_id: str) -> Sequence[Member]:
    """A person's memberships, by GSI1. It lags, so it decides nobody's access."""
    return await db.all(Member.where("GSI1", member_id=member_id))


async def memberships(db: Database, account: Account, *, skip: bool = True) -> list[Member]:
    keys = [Member.key(family_id=id_, member_id=account.member_id) for id_ in account.families]
    return [found for found in await db.get_many(keys, skip=skip) if found and found.is_active]


async def homes(
    db: Database, account: Account, *, skip: bool = True
) -> list[tuple[Family, Member]]:
    members = await memberships(db, account, skip=skip)
    keys = [Family.key(family_id=member.family_id) for member in members]
    found = zip(await db.get_many(keys, skip=skip), members, strict=True)
    return [(family, member) for family, member in found if family]


async def invitation(db: Database, family_id: str, invitation_id: str) -> Invitation | None:
    return await db.get(Invitation.key(family_id=family_id, invitation_id=invitation_id))


def invitations_of(family_id: str) -> Query[Invitation]:
    return Invitation.where(family_id=family_id)


def invitations_with_status(
    family_id: str, status: InvitationStatus, now: str
) -> Query[Invitation]:
    """One that is pending when its time is over counts as expired."""
    return invitations_of(family_id).only(has_status(status, now))


async def waiting_invitations(db: Database, family_id: str, now: str) -> Sequence[Invitation]:
    return await db.all(invitations_with_status(family_id, "pending", now))


async def invitations_for(db: Database, email: str) -> Sequence[Invitation]:
    """Those for an address, in whichever family, by GSI1. It lags, so it lets nobody in."""
    return await db.all(Invitation.where("GSI1", invited=digest_of_email(email)))


def invitations_open_to(email: str, now: str) -> Query[Invitation]:
    return Invitation.where("GSI1", invited=digest_of_email(email)).only(has_status("pending", now))


async def found_family(db: Database, member_id: str, name: str) -> Family:
    """A new family, whose first admin is the person who asks for it."""
    at = clock.timestamp()
    family = Family(
        family_id=clock.new_id(), name=name, created_by=member_id, created_at=at, updated_at=at
    )

    async def decide() -> "Outcome[Family]":
        account = await account_of(db, member_id)
        if account.is_child:
            raise NotForChildren
        first = new_member(account, family.family_id, "admin", at)
        return family, (
            family.put(absent),
            *added(first),
            joining(account, family.family_id, at),
        )

    return await carry_out(db, Account.key(member_id=member_id), decide)


async def rename_family(db: Database, family_id: str, name: str, version: int) -> Family:
    key = Family.key(family_id=family_id)
    return await change(db, key, by_itself(lambda old: old.edited(name=name)), version)


async def change_member(
    db: Database, family_id: str, member_id: str, version: int, changes: dict[str, Any]
) -> Member:
    left: list[Todo] = []
    before: list[Role] = []

    async def changed(old: Member) -> "Outcome[Member]":
        new = old.edited(**changes)
        before[:] = [old.role]
        left[:] = left_by(old, new)
        return new, (
            _keeping_an_admin(db, old, new),
            *await _as_child(db, old, new),
            *(each.put() for each in left),
        )

    key = Member.key(family_id=family_id, member_id=member_id)
    member = await change(db, key, changed, version, find=_active)
    if before != [member.role]:
        about = {"family_id": family_id, "member_id": member_id}
        security_log.note("role_changed", **about, role=member.role)
    await _finish(db, left)
    return member


async def remove_member(db: Database, family_id: str, member_id: str) -> None:
    """Somebody leaves, or is sent away. From now on the family is none of theirs."""
    key = Member.key(family_id=family_id, member_id=member_id)

    async def decide() -> "Outcome[Sequence[Todo] | None]":
        old = await existing(db, key)
        if not old.is_active:
            return None, await ended_links(db, family_id, member_id)
        at = clock.timestamp()
        gone = old.removed(at)
        account = await db.get(Account.key(member_id=member_id))
        their = [leaving(account, family_id, at)] if account else []
        left = left_by(old, gone)
        return left, (
            *replaced(old, gone),
            _keeping_an_admin(db, old, gone),
            *their,
            *await ended_links(db, family_id, member_id),
            *(each.put() for each in left),
        )

    left: Sequence[Todo] | None = ()
    async with delete_if_unreadable(db, key, partial(_leftovers, db, family_id, member_id)):
        left = await carry_out(db, Account.key(member_id=member_id), decide)
    if left is not None:
        security_log.note("member_removed", family_id=family_id, member_id=member_id)
        await _finish(db, left)


async def _leftovers(db: Database, family_id: str, member_id: str) -> list[Write]:
    """Return the writes that go with deleting a member who cannot be read."""
    home = await existing(db, Family.key(family_id=family_id))
    admins = [each for each in await active_members(db, family_id) if each.is_admin]
    account = await db.get(Account.key(member_id=member_id))
    about = {"familyId": family_id, "memberId": member_id, "term": LAST_TERM}
    return [
        Family.update(
            home.own_key(), Set("admins", len(admins)), when=attr("admins") == home.admins
        ),
        *([leaving(account, family_id, clock.timestamp())] if account else []),
        *await ended_links(db, family_id, member_id),
        note_change(family_id, "Member", member_id, None),
        todo(INVITER_GONE, about).put(),
    ]


def updates(memberships: Sequence[Member], account: Account, at: str) -> list[Write]:
    """What goes with a person's new name or address: they are theirs in each of their families."""
    name, email = account.name, account.email or None
    changed = [
        (old, old.revised(at, name=name, email=email))
        for old in memberships
        if (old.name, old.email) != (name, email)
    ]
    return [write for old, new in changed for write in replaced(old, new)]


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


def joining(account: Account, family_id: str, at: str) -> Write:
    """The account says so too: access asks it, because an index would lag."""
    families = *_others(account, family_id), family_id
    return account.revised(at, families=families).replacing(account)


def leaving(account: Account, family_id: str, at: str) -> Write:
    """A child's sessions act there alone, so they end with it."""
    era = account.era + 1 if account.is_child else account.era
    gone = account.revised(at, families=_others(account, family_id), era=era)
    return gone.replacing(account)


def _others(account: Account, family_id: str) -> tuple[str, ...]:
    return tuple(id_ for id_ in account.families if id_ != family_id)


def vouched(admin: Member) -> Write:
    """That who makes something for others may do so to the last."""

    async def refuse(_member: Item | None) -> None:
        raise Forbidden

    return admin.check(admin.still_admin).refusing(refuse)


async def decision_writes(
    db: Database, invitations: Sequence[Invitation], decision: Decision, at: str
) -> list[Write]:
    """The address is free for another invitation, unless this one's time was over before."""
    claims = [each.claim for each in invitations if each.is_open(at)]
    decided = [replaced(each, each.revised(at, status=decision)) for each in invitations]
    return [*chain.from_iterable(decided), *await released(db, *claims)]


def left_by(old: Member, new: Member) -> list[Todo]:
    """What is left to do when a member changes: an admin who is one no longer invites nobody."""
    if not old.is_admin or new.is_admin:
        return []
    about = {"familyId": old.family_id, "memberId": old.member_id, "term": old.nth_term}
    return [todo(INVITER_GONE, about, clock.now() + timedelta(seconds=10))]


async def revoke_theirs(db: Database, left: Todo) -> None:
    """Not those of a later term: they may be admin again by now."""
    about = left.about
    await revoke_made_by(db, about["familyId"], about["memberId"], about["term"])


async def revoke_made_by(db: Database, family_id: str, member_id: str, last_term: int) -> None:
    async def decide() -> "Outcome[int]":
        at = clock.timestamp()
        waiting = invitations_with_status(family_id, "pending", at)
        theirs = waiting.only(attr("invitedBy") == member_id).matching(
            lambda item: Invitation.load(item).nth_term <= last_term
        )
        found = await db.all(theirs.up_to_date().page(AT_ONCE))
        return len(found), await decision_writes(db, found, "revoked", at)

    while await carry_out(db, Family.key(family_id=family_id), decide) == AT_ONCE:
        pass


async def _active(db: Database, key: Key[Member]) -> Member:
    member = await existing(db, key)
    if not member.is_active:
        raise NotFound
    return member


async def _as_child(db: Database, old: Member, new: Member) -> list[Write]:
    """A child is called what its family calls it, and is no admin."""
    account = await db.get(Account.key(member_id=old.member_id))
    if account is None or not account.is_child:
        return []
    if new.is_admin:
        raise WrongState(old, _("Who has neither a password nor a provider stays a child."))
    if account.name == new.name:
        return []
    return [account.revised(new.updated_at, name=new.name).replacing(account)]


def _keeping_an_admin(db: Database, old: Member, new: Member) -> Write:
    async def refuse(family: Item | None) -> None:
        if family is None:
            raise NotFound
        if await db.get(old.own_key()) == old:  # somebody may have made them none meanwhile
            raise LastAdmin

    return admins_counted(old, new).refusing(refuse)


async def _finish(db: Database, left: Sequence[Todo]) -> None:
    for each in left:
        await finish_soon(db, each, revoke_theirs)
