"""Create, resend, revoke, accept and decline invitations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from homeshelf import clock, security_log
from homeshelf.accounts.model import Account, digest_of_email
from homeshelf.accounts.signing_in import log_link_refusal
from homeshelf.accounts.store import require_account
from homeshelf.coordination.transaction import Transaction, missing, transaction
from homeshelf.errors import Duplicate, NotForChildren, NotFound
from homeshelf.families import store
from homeshelf.families.model import (
    INVITATION_LIFETIME,
    Family,
    Invitation,
    Member,
    PendingClaim,
    Proof,
    Role,
    admin_count_write,
    link_secret,
)
from homeshelf.outbox.model import Letter, letter
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.signing import digest
from homeshelf.table import Database, Item, Key, Page, Write, absent, attr
from homeshelf.table.operations import KeyValue
from homeshelf.web.services import Services

MAIL_DELAY = timedelta(minutes=10)
"""The delay within which a mailed invitation is not prolonged."""


@transaction
async def invite(
    tx: Transaction, admin: Member, services: Services, account: Account, email: str, role: Role
) -> Invitation:
    """Invite an address, which can have one pending invitation per family."""
    await _refuse_member_address(tx.db, admin.family_id, email)
    at, family_id, invitation_id = clock.timestamp(), admin.family_id, clock.new_id()
    secret = link_secret(services.signer, "invitation", family_id, invitation_id, 1)
    new = Invitation(
        invitation_id=invitation_id,
        family_id=family_id,
        email=email,
        role=role,
        invited_by=admin.member_id,
        term=admin.term,
        expires_at=_week_from_now(),
        secret_hash=digest(secret),
        mailed=_can_mail_for(services, account),
        created_at=at,
        updated_at=at,
    )
    tx.add(new)
    tx.write(store.require_still_admin(admin), _claim_write(tx.db, new))
    _announce_and_mail(tx, new)
    return new


@transaction
async def send_again(
    tx: Transaction, key: Key[Invitation], services: Services, account: Account, admin: Member
) -> Invitation:
    """Replace the link and prolong the invitation by a week, in the name of this admin."""
    old = _require_pending(await tx.get(key))
    await _refuse_member_address(tx.db, admin.family_id, old.email)
    ids = admin.family_id, old.invitation_id
    secret = link_secret(services.signer, "invitation", *ids, old.links + 1)
    mailed = _can_mail_for(services, account)
    new = old.with_new_link(admin, secret, _week_from_now(), clock.timestamp(), mailed=mailed)
    tx.replace(old, new)
    tx.write(store.require_still_admin(admin), await _prolonged_claim_write(tx.db, new))
    _announce_and_mail(tx, new)
    return new


async def prolong_for_mail(db: Database, invitation: Invitation) -> Invitation | None:
    """Prolong an invitation whose letter waited; return None if it is void."""
    if _week_from_now(sooner=MAIL_DELAY) <= invitation.expires_at:
        return invitation
    return await _prolong(db, invitation.own_key(), invitation.links)


@transaction
async def _prolong(tx: Transaction, key: Key[Invitation], links: int) -> Invitation | None:
    old = await tx.db.get(key)
    if old is None or not old.is_open(clock.timestamp()) or old.links != links:
        return None
    new = old.revised(old.updated_at, expires_at=_week_from_now())
    tx.replace(old, new)
    tx.write(await _prolonged_claim_write(tx.db, new))
    return new


@transaction
async def revoke(tx: Transaction, key: Key[Invitation]) -> None:
    invitation = await tx.get(key)
    if invitation.status != "revoked":
        _require_pending(invitation)
        await store.decide_invitations(tx, [invitation], "revoked", clock.timestamp())
        _log_event(tx, "invitation_revoked", invitation)


async def accept(db: Database, member_id: str, proof: Proof) -> Member:
    with log_link_refusal("invitation"):
        return await _accept(db, Account.key(member_id=member_id), proof)


@transaction
async def _accept(tx: Transaction, key: Key[Account], proof: Proof) -> Member:
    account = await require_account(tx.db, key)
    if account.is_child:
        raise NotForChildren
    invitation, inviter = await open_invitation_of(tx.db, proof)
    before = await store.get_member(tx.db, proof.family_id, account.member_id)
    if before is not None and before.is_active:
        raise Duplicate(before, _("You’re already in this family."))
    if inviter.member_id == account.member_id:
        raise NotFound
    at, role = clock.timestamp(), invitation.role
    await store.decide_invitations(tx, [invitation], "accepted", at)
    if before is None:
        after = store.new_member(account, invitation.family_id, role, at)
        tx.add(after)
    else:
        after = before.reactivate(role, account.name, account.email or None, at)
        tx.replace(before, after)
    tx.write(admin_count_write(before, after).with_refusal(missing()))  # the family was deleted
    tx.write(inviter.check(inviter.still_admin_condition))
    tx.write(store.join_family_write(account, invitation.family_id, at))
    _log_event(tx, "invitation_accepted", invitation)
    return after


def _log_event(tx: Transaction, event: security_log.Change, invitation: Invitation) -> None:
    about = {"family_id": invitation.family_id, "invitation_id": invitation.invitation_id}
    tx.after_commit(partial(security_log.note, event, **about, role=invitation.role))


@transaction
async def decline(tx: Transaction, _key: Key[Invitation], proof: Proof) -> None:
    invitation, _inviter = await open_invitation_of(tx.db, proof)
    await store.decide_invitations(tx, [invitation], "declined", clock.timestamp())


async def open_invitation_of(db: Database, proof: Proof) -> tuple[Invitation, Member]:
    """Return the open invitation and its inviter, who must still be an admin."""
    found = await db.get(proof.key)
    if found is None or not proof.accepts(found, clock.timestamp()):
        raise NotFound
    inviter = await store.get_member(db, proof.family_id, found.invited_by)
    if inviter is None or not found.has_valid_inviter(inviter):
        raise NotFound
    return found, inviter


async def open_invitations(
    db: Database, email: str, limit: int, start: Mapping[str, KeyValue] | None = None
) -> Page[Invitation]:
    """Return a page of the valid invitations for an address."""
    found: list[Invitation] = []
    waiting = store.invitations_open_to(email, clock.timestamp())
    while True:
        page = await db.query(waiting.page(limit - len(found), start))
        found += await _with_valid_inviter(db, page.items)
        if page.next is None or len(found) == limit:
            return Page(found, page.next)
        start = page.next


async def proof_by_address(db: Database, account: Account, invitation_id: str) -> Proof:
    """Accept only a verified address as a proof."""
    if account.email_verified:
        for found in await store.indexed_invitations(db, account.email):
            if found.invitation_id == invitation_id:
                return Proof(found.family_id, invitation_id, address=account.email)
    raise NotFound


async def _with_valid_inviter(db: Database, found: Sequence[Invitation]) -> list[Invitation]:
    members = await db.get_existing(
        Member.key(family_id=each.family_id, member_id=each.invited_by) for each in found
    )
    inviters = {(each.family_id, each.member_id): each for each in members}
    return [e for e in found if e.has_valid_inviter(inviters.get((e.family_id, e.invited_by)))]


def invitation_key(family_id: str, invitation_id: str) -> Key[Invitation]:
    return Invitation.key(family_id=family_id, invitation_id=invitation_id)


def _require_pending(invitation: Invitation) -> Invitation:
    if invitation.status != "pending":
        raise NotFound(_DECIDED[invitation.status])
    return invitation


_DECIDED = {
    "accepted": _("This invitation was accepted."),
    "declined": _("This invitation was declined."),
    "revoked": _("This invitation was cancelled."),
}


async def _refuse_member_address(db: Database, family_id: str, email: str) -> None:
    for member in await store.active_members(db, family_id):
        if member.email and digest_of_email(member.email) == digest_of_email(email):
            raise Duplicate(member, _("Someone with this address is already in the family."))


def _can_mail_for(services: Services, admin: Account) -> bool:
    """Refuse to mail for an unverified admin, who could be a spammer."""
    return can_mail(services.settings) and admin.email_verified


def _announce_and_mail(tx: Transaction, invitation: Invitation) -> None:
    if invitation.mailed:
        tx.write(invitation_letter(invitation).put(absent))
    _log_event(tx, "invitation_made", invitation)


def invitation_letter(invitation: Invitation) -> Letter:
    return letter(
        "invitation",
        by=invitation.invited_by,
        familyId=invitation.family_id,
        invitationId=invitation.invitation_id,
        link=invitation.links,
    )


def _claim_write(db: Database, new: Invitation) -> Write:
    async def refuse(stored: Item | None) -> None:
        if stored is not None:
            other = await store.get_invitation(db, new.family_id, PendingClaim.load(stored).holder)
            raise Duplicate(other, _("This address has already been invited."))

    return new.claim.take().with_refusal(refuse)


async def _prolonged_claim_write(db: Database, new: Invitation) -> Write:
    """Prolong the claim of the invitation, unless a newer invitation holds it."""
    held = await db.get(new.claim.own_key())
    if held is None or held.holder != new.invitation_id:
        return _claim_write(db, new)
    return new.claim.put(attr("holder") == new.invitation_id)


def _week_from_now(sooner: timedelta = timedelta()) -> str:
    """Return a time without a fraction, as the claim's `ttl` counts seconds."""
    return clock.timestamp(clock.now().replace(microsecond=0) + INVITATION_LIFETIME - sooner)


MAX_OFFERS = 5


@dataclass(frozen=True)
class Offer:
    invitation: Invitation
    family_name: str
    host_name: str


async def open_invitations_for(
    db: Database, account: Account, limit: int, start: Mapping[str, KeyValue] | None = None
) -> Page[Invitation]:
    """Return a page of a person's invitations, if the address is verified."""
    if not account.email_verified:
        return Page([], None)
    return await open_invitations(db, account.email, limit, start)


async def offers_for(db: Database, account: Account) -> list[Offer]:
    """Return invitations to families that the person is not in."""
    waiting = await open_invitations_for(db, account, MAX_OFFERS)
    elsewhere = [each for each in waiting.items if each.family_id not in account.families]
    families = await db.get_many([Family.key(family_id=each.family_id) for each in elsewhere])
    hosts = await db.get_many(
        [Member.key(family_id=each.family_id, member_id=each.invited_by) for each in elsewhere]
    )
    return [
        Offer(invitation, family.name, host.name)
        for invitation, family, host in zip(elsewhere, families, hosts, strict=True)
        if family is not None and host is not None
    ]
