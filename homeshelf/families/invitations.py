"""How people come into a family: invited, sent the link again, taken back, accepted, declined."""

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.errors import Duplicate, NotFound
from homeshelf.families import store
from homeshelf.families.links import secret_of
from homeshelf.families.model import (
    INVITATION_LASTS,
    Decision,
    Invitation,
    Member,
    PendingClaim,
    Role,
    Ticket,
    admins_counted,
    digest_of_email,
)
from homeshelf.signing import Signer, digest
from homeshelf.table import Database, TransactionCancelled, Write, absent, attr
from homeshelf.table.answers import Also, nothing_else
from homeshelf.table.changes import note_change


async def invite(
    db: Database,
    signer: Signer,
    admin: Member,
    email: str,
    role: Role,
    also: Also = nothing_else,
) -> Invitation:
    """One invitation an address waits at a time; whoever is in the family needs none."""
    await _refuse_who_is_in(db, admin.family_id, email)
    at, family_id, invitation_id = clock.timestamp(), admin.family_id, clock.new_id()
    new = Invitation(
        invitation_id=invitation_id,
        family_id=family_id,
        email=email,
        role=role,
        invited_by=admin.member_id,
        expires_at=_in_a_week(),
        secret_hash=digest(secret_of(signer, family_id, invitation_id, 1)),
        created_at=at,
        updated_at=at,
    )
    claim = new.claim.take()
    try:
        await db.transact(new.put(absent), claim, _told(new), *also(new))
    except TransactionCancelled as cancelled:
        raise await _pending_already(db, cancelled, claim) from None
    return new


async def send_again(
    db: Database,
    signer: Signer,
    family_id: str,
    invitation_id: str,
    also: Also = nothing_else,
) -> Invitation:
    """A new link and seven more days, also for one that has expired; the old link is dead."""

    async def attempt() -> Invitation:
        old = await _undecided(db, family_id, invitation_id)
        await _refuse_who_is_in(db, family_id, old.email)
        at = clock.timestamp()
        secret = secret_of(signer, family_id, invitation_id, old.links + 1)
        new = old.sent_again(secret, _in_a_week(), at)
        still_open = old.is_open(at)
        claim = new.claim.put(attr("holder") == invitation_id) if still_open else new.claim.take()
        try:
            await db.transact(new.replacing(old), claim, _told(new), *also(new))
        except TransactionCancelled as cancelled:
            if still_open or cancelled.found(claim) is None:
                raise
            raise await _pending_already(db, cancelled, claim) from None
        return new

    key = Invitation.key(family_id=family_id, invitation_id=invitation_id)
    return await db.settle(key, attempt)


async def revoke(db: Database, family_id: str, invitation_id: str) -> None:
    """Also when it is revoked already; one that was answered is beyond that."""

    async def attempt() -> None:
        old = await store.invitation(db, family_id, invitation_id)
        if old is not None and old.status == "revoked":
            return
        await _decide(db, await _undecided(db, family_id, invitation_id), "revoked")

    key = Invitation.key(family_id=family_id, invitation_id=invitation_id)
    await db.settle(key, attempt)


async def accept(db: Database, member_id: str, ticket: Ticket, also: Also = nothing_else) -> Member:
    """Whoever has the ticket is in the family, at once."""

    async def attempt() -> Member:
        account = await store.account_of(db, member_id)
        invitation = await admitted(db, ticket)
        before = await store.member(db, ticket.family_id, member_id)
        if before is not None and before.is_active:
            raise Duplicate(before, "You are in this family already.")
        at = clock.timestamp()
        after = _joined(before, account, invitation, at)
        counted = admins_counted(before, after)
        writes = (
            after.put(before.unchanged if before else absent),
            store.joining(account, invitation.family_id, at),
            store.member_changed(after),
        )
        try:
            await _decide(db, invitation, "accepted", counted, *writes, *also(after))
        except TransactionCancelled as cancelled:
            if cancelled.by(counted):  # the family is gone
                raise NotFound from None
            raise
        return after

    return await db.settle(Account.key(member_id=member_id), attempt)


async def decline(db: Database, ticket: Ticket, also: Also = nothing_else) -> None:
    async def attempt() -> None:
        await _decide(db, await admitted(db, ticket), "declined", *also(None))

    key = Invitation.key(family_id=ticket.family_id, invitation_id=ticket.invitation_id)
    await db.settle(key, attempt)


async def admitted(db: Database, ticket: Ticket) -> Invitation:
    """The invitation that the ticket is for, if it still lets anybody in."""
    found = await store.invitation(db, ticket.family_id, ticket.invitation_id)
    if found is None or not ticket.admits(found, clock.timestamp()):
        raise NotFound
    return found


async def ticket_for(db: Database, account: Account, invitation_id: str) -> Ticket:
    """By an address that is surely the person's own; one that nobody verified proves nothing."""
    if account.email_verified:
        for found in await store.invitations_for(db, account.email):
            if found.invitation_id == invitation_id:
                return Ticket(found.family_id, invitation_id, address=account.email)
    raise NotFound


async def _decide(db: Database, invitation: Invitation, decision: Decision, *writes: Write) -> None:
    """The address is free for another invitation, unless this one's time was over before."""
    at = clock.timestamp()
    decided = invitation.decided(decision, at)
    released = [invitation.claim.release()] if invitation.is_open(at) else []
    await db.transact(decided.replacing(invitation), *released, _told(decided), *writes)


def _joined(before: Member | None, account: Account, invitation: Invitation, at: str) -> Member:
    if before is None:
        return store.new_member(account, invitation.family_id, invitation.role, at)
    return before.returned(invitation.role, account.name, account.email or None, at)


async def _undecided(db: Database, family_id: str, invitation_id: str) -> Invitation:
    found = await store.invitation(db, family_id, invitation_id)
    if found is None:
        raise NotFound
    if found.status != "pending":
        raise NotFound(f"This invitation was {found.status}.")
    return found


async def _refuse_who_is_in(db: Database, family_id: str, email: str) -> None:
    active = store.members_with_status(family_id, "active")
    for member in await db.all(active.up_to_date()):
        if member.email and digest_of_email(member.email) == digest_of_email(email):
            raise Duplicate(member, "Somebody with this address is in the family already.")


async def _pending_already(
    db: Database, cancelled: TransactionCancelled, claim: Write
) -> Exception:
    found = cancelled.found(claim)
    if found is None:
        return cancelled
    holder = PendingClaim.load(found)
    existing = await store.invitation(db, holder.family_id, holder.holder)
    return Duplicate(existing, "An invitation to this address is waiting already.")


def _in_a_week() -> str:
    """To the second, as the claim's `ttl` counts."""
    return clock.timestamp(clock.now().replace(microsecond=0) + INVITATION_LASTS)


def _told(invitation: Invitation) -> Write:
    family_id, id_ = invitation.family_id, invitation.invitation_id
    return note_change(family_id, "Invitation", id_, invitation.version)
