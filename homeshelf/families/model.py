from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from homeshelf.accounts.model import Account, digest_of_email
from homeshelf.coordination.claims import Claim
from homeshelf.signing import Purpose, Signer, decoded, digest, encoded, same
from homeshelf.table import (
    INVENTORY,
    Add,
    Check,
    Condition,
    Key,
    Keys,
    Sparse,
    Versioned,
    Write,
    attr,
    exists,
)

Role = Literal["admin", "suggester"]
Decision = Literal["accepted", "declined", "revoked"]
InvitationStatus = Literal["pending", "accepted", "declined", "revoked", "expired"]

INVITATION_LIFETIME = timedelta(days=7)
SECRET_BYTES = 16


class Family(Versioned):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="FAMILY#{familyId}")
    private = frozenset({"admins"})
    partial_update = True  # the count of admins may change at the same moment
    notify = "family_id", "family_id"

    family_id: str
    name: str
    created_by: str
    admins: int = 1
    """The number of active admins, at least one."""
    entity_type: Literal["Family"] = "Family"


class Member(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="MEMBER#{memberId}",
        GSI1PK="MEMBER#{memberId}",
        GSI1SK="FAMILY#{familyId}",
    )
    private = frozenset({"term"})
    notify = "family_id", "member_id"

    member_id: str
    family_id: str
    email: str | None
    name: str
    picture: Sparse[str] = None
    role: Role
    status: Literal["active", "removed"] = "active"
    term: Sparse[int] = None
    """Counts the times as admin, from the second on; grants of a term end with it."""
    may_tick: Sparse[bool] = None
    """True if a suggester may tick the shopping list."""
    entity_type: Literal["Member"] = "Member"

    @property
    def is_active(self) -> bool:
        return self.status == "active"

    @property
    def is_admin(self) -> bool:
        return self.is_active and self.role == "admin"

    @property
    def admin_term(self) -> int:
        return self.term or 1

    @property
    def still_admin_condition(self) -> Condition:
        """Return the condition that the stored member is in the same term as admin."""
        term = attr("term").missing if self.term is None else attr("term") == self.term
        return (attr("status") == "active") & (attr("role") == "admin") & term

    def is_same_admin(self, maker_id: str, term: int | None) -> bool:
        """Check whether this member has been an admin without a break since the term."""
        return self.member_id == maker_id and self.is_admin and self.admin_term == (term or 1)

    def revised(self, at: str, **changes: Any) -> "Member":
        """Count a new term, which voids what the admin granted in an earlier one.

        Only an active suggester keeps the permission to tick.
        """
        new = super().revised(at, **changes)
        if new.role != "suggester" or not new.is_active:
            new = new.changed(may_tick=None)
        begins = new.is_admin and not self.is_admin
        return new.changed(term=self.admin_term + 1) if begins else new

    def remove(self, at: str) -> "Member":
        return self.revised(at, status="removed")

    def remove_without_account(self, at: str) -> "Member":
        return self.revised(at, status="removed", email=None)

    def with_account_details(self, account: Account, at: str) -> "Member":
        name, email = account.name, account.email or None
        if (self.name, self.email) == (name, email):
            return self
        return self.revised(at, name=name, email=email)

    def reactivate(self, role: Role, name: str, email: str | None, at: str) -> "Member":
        return self.revised(at, status="active", role=role, name=name, email=email)


def admin_count_write(before: Member | None, after: Member) -> Write:
    """Return the write that counts admins; it fails for the last admin or a deleted family."""
    family = Family.key(family_id=after.family_id)
    match before is not None and before.is_admin, after.is_admin:
        case False, True:
            return Family.update(family, Add("admins", 1))
        case True, False:
            return Family.update(family, Add("admins", -1), when=attr("admins") > 1)
    return Check(family, exists)


class Invitation(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="INVITATION#{invitationId}",
        GSI1PK="INVITED#{invited}",
        GSI1SK="INVITATION#{invitationId}",
    )
    private = frozenset({"secret_hash", "links", "mailed", "term"})
    notify = "family_id", "invitation_id"

    invitation_id: str
    family_id: str
    email: str
    role: Role
    status: Literal["pending", "accepted", "declined", "revoked"] = "pending"
    invited_by: str
    term: Sparse[int] = None
    """The inviter's term as admin, from the second term on."""
    expires_at: str
    secret_hash: str = ""
    """Empty if another program made it: it needs a new link."""
    links: int = 1
    """The number of its links; only the last one is valid."""
    mailed: Sparse[bool] = None
    """True if the last link is mailed; None in older records."""
    entity_type: Literal["Invitation"] = "Invitation"

    @property
    def invited(self) -> str:
        return digest_of_email(self.email)

    @property
    def claim(self) -> "PendingClaim":
        return PendingClaim(
            family_id=self.family_id,
            invited=self.invited,
            holder=self.invitation_id,
            ttl=int(datetime.fromisoformat(self.expires_at).timestamp()),
        )

    def is_open(self, now: str) -> bool:
        return self.status == "pending" and now < self.expires_at

    def status_at(self, now: str) -> InvitationStatus:
        return "expired" if self.status == "pending" and not self.is_open(now) else self.status

    @property
    def admin_term(self) -> int:
        return self.term or 1

    def has_valid_inviter(self, inviter: Member | None) -> bool:
        return inviter is not None and inviter.is_same_admin(self.invited_by, self.term)

    def with_new_link(
        self, by: Member, secret: str, expires_at: str, at: str, *, mailed: bool
    ) -> "Invitation":
        return self.revised(
            at,
            invited_by=by.member_id,
            term=by.term,
            links=self.links + 1,
            secret_hash=digest(secret),
            expires_at=expires_at,
            mailed=mailed,
        )


def status_is(status: InvitationStatus, now: str) -> Condition:
    match status:
        case "pending":
            return (attr("status") == "pending") & (attr("expiresAt") > now)
        case "expired":
            return (attr("status") == "pending") & (attr("expiresAt") <= now)
    return attr("status") == status


class PendingClaim(Claim):
    """The claim that makes an address unique among a family's pending invitations."""

    keys = Keys(PK="INVITED#{familyId}#{invited}", SK="INVITED")

    family_id: str
    invited: str
    ttl: int


@dataclass(frozen=True)
class Proof:
    """The proof that allows a person to answer an invitation: its secret, or a verified address."""

    family_id: str
    invitation_id: str
    secret: str | None = None
    address: str | None = None

    @property
    def key(self) -> Key[Invitation]:
        return Invitation.key(family_id=self.family_id, invitation_id=self.invitation_id)

    def accepts(self, invitation: Invitation, now: str) -> bool:
        if not invitation.is_open(now):
            return False
        if self.secret is not None:
            return same(digest(self.secret), invitation.secret_hash)
        return self.address is not None and digest_of_email(self.address) == invitation.invited


def link_secret(
    signer: Signer, purpose: Purpose, *about: str | int, known: str | None = None
) -> str:
    """Derive a link's secret, with the key of the stored digest `known`."""
    text = " ".join(map(str, about)).encode()
    found = [encoded(decoded(seal)[:SECRET_BYTES]) for seal in signer.seals(purpose, text)]
    return next((each for each in found if digest(each) == known), found[0])


def encode_token(secret: str, *ids: str) -> str:
    """Encode the secret with the ids, so that one read finds the record."""
    return encoded(b"".join(UUID(each).bytes for each in ids) + decoded(secret))


def decode_token(token: str, ids: int) -> list[str] | None:
    try:
        raw = decoded(token)
    except ValueError:
        return None
    if len(raw) != 16 * ids + SECRET_BYTES or encoded(raw) != token:
        return None
    found = [str(UUID(bytes=raw[16 * each : 16 * each + 16])) for each in range(ids)]
    return [*found, encoded(raw[16 * ids :])]


def invitation_token(signer: Signer, invitation: Invitation) -> str:
    ids = invitation.family_id, invitation.invitation_id
    known = invitation.secret_hash
    return encode_token(
        link_secret(signer, "invitation", *ids, invitation.links, known=known), *ids
    )


def parse_token(token: str) -> Proof | None:
    found = decode_token(token, 2)
    return Proof(*found) if found else None
