"""How an invitation comes to its end, and what becomes of those whose maker is admin no longer."""

from datetime import timedelta

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.coordination.todos import Todo, todo
from homeshelf.families.model import Decision, Family, Invitation, Member, has_status
from homeshelf.table import Database, Write, attr
from homeshelf.table.expressions import Item

KIND = "inviter_gone"
AT_ONCE = 25
"""Each takes three writes of a transaction's hundred."""


def decision_writes(invitation: Invitation, decision: Decision, at: str) -> list[Write]:
    """The address is free for another invitation, unless this one's time was over before."""
    decided = invitation.decided(decision, at)
    released = [invitation.claim.release()] if invitation.is_open(at) else []
    return [*replaced(invitation, decided), *released]


def left_by(old: Member, new: Member) -> list[Todo]:
    """What is left to do when a member changes: an admin who is one no longer invites nobody."""
    if not old.is_admin or new.is_admin:
        return []
    about = {"familyId": old.family_id, "memberId": old.member_id, "term": old.nth_term}
    return [todo(KIND, about, clock.now() + timedelta(seconds=10))]


async def revoke_theirs(db: Database, left: Todo) -> None:
    """Not those of a later term: they may be admin again by now."""
    about = left.about
    await revoke_made_by(db, about["familyId"], about["memberId"], about["term"])


async def revoke_made_by(db: Database, family_id: str, member_id: str, last_term: int) -> None:
    async def decide() -> Outcome[int]:
        at = clock.timestamp()
        waiting = Invitation.where(family_id=family_id).only(has_status("pending", at))
        theirs = waiting.only(attr("invitedBy") == member_id).matching(of_their_time)
        found = await db.all(theirs.up_to_date().page(AT_ONCE))
        return len(found), [w for each in found for w in decision_writes(each, "revoked", at)]

    def of_their_time(item: Item) -> bool:
        return Invitation.load(item).nth_term <= last_term

    while await carry_out(db, Family.key(family_id=family_id), decide) == AT_ONCE:
        pass
