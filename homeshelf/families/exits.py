"""Somebody leaves for good: what becomes of their families.

A family with others in it goes on, and needs an admin; one with nobody else goes too.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.coordination.changes import note_ended_sessions
from homeshelf.coordination.changing import replaced
from homeshelf.errors import LastAdmin, NotFound
from homeshelf.families import invitations, store
from homeshelf.families.model import Family, Member, admins_counted
from homeshelf.sentences import _
from homeshelf.table import Database, Write, attr
from homeshelf.table.operations import Query
from homeshelf.web.services import Services


@dataclass(frozen=True)
class FamilyExit:
    family: Family
    member: Member
    others: Sequence[Member]

    @property
    def term(self) -> int | None:
        """The last of the times in which they could invite others, where others stay."""
        return self.member.nth_term if self.others and self.member.is_admin else None

    def writes(self, at: str) -> list[Write]:
        if not self.others:
            only_theirs = attr("admins") == 1
            return [
                self.family.delete(only_theirs),
                self.member.delete(self.member.unchanged),
                *note_ended_sessions(self.member.member_id, [self.family.family_id]),
            ]
        gone = self.member.departed(at)
        counted = admins_counted(self.member, gone)
        return [*replaced(self.member, gone), counted]


async def family_exits(db: Database, account: Account) -> list[FamilyExit]:
    """From each of a person's families; refuses where one would lose its last admin."""
    found = await _family_exits(db, account)
    lonely = [family_exit for family_exit in found if not family_exit.others]
    if not lonely:
        return found
    for family_exit in lonely:
        await _close_door(db, family_exit.family.family_id)
    return await _family_exits(db, account)


async def sweep(services: Services, family_id: str) -> None:
    """Everything of a family that is gone."""
    db = services.db
    await db.clear(Query(Family.table, Family.key(family_id=family_id).partition, dict))
    for each in services.slices:
        if each.goes_with_family is not None:
            await db.clear(each.goes_with_family(family_id=family_id))


async def forget_address(db: Database, member_id: str) -> None:
    """Also where they were removed long ago."""
    for member in await store.families_of(db, member_id):
        await db.change(member.own_key(), _without_address)


def _without_address(member: Member) -> Member:
    return member if member.email is None else member.departed(clock.timestamp())


async def _family_exits(db: Database, account: Account) -> list[FamilyExit]:
    found = [
        FamilyExit(family, member, await _others(db, member))
        for family, member in await store.homes(db, account, skip=False)
    ]
    for family_exit in found:
        others = family_exit.others
        if others and family_exit.member.is_admin and not any(other.is_admin for other in others):
            raise LastAdmin(
                detail=_("You are the last admin of {name}.", name=family_exit.family.name)
            )
    return found


async def _others(db: Database, member: Member) -> list[Member]:
    active = store.members_with_status(member.family_id, "active").up_to_date()
    members = await db.all(active, skip=False)
    return [other for other in members if other.member_id != member.member_id]


async def _close_door(db: Database, family_id: str) -> None:
    """Nobody comes in while the family goes; who did a moment ago is found by looking again."""
    waiting = store.invitations_with_status(family_id, "pending", clock.timestamp())
    for invitation in await db.all(waiting.up_to_date()):
        with suppress(NotFound):  # answered just now
            await invitations.revoke(db, family_id, invitation.invitation_id)
