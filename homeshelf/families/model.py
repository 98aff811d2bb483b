import hashlib
from typing import Literal

from homeshelf.table import INVENTORY, Keys, Versioned

Role = Literal["admin", "suggester"]


class Family(Versioned):
    table = INVENTORY
    keys = Keys(PK="FAMILY#{familyId}", SK="FAMILY#{familyId}")

    family_id: str
    name: str
    created_by: str
    admins: int = 1
    """How many active admins there are: never less than one."""
    entity_type: Literal["Family"] = "Family"


class Member(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="MEMBER#{memberId}",
        GSI1PK="MEMBER#{memberId}",
        GSI1SK="FAMILY#{familyId}",
    )

    member_id: str
    family_id: str
    email: str | None
    name: str
    role: Role
    status: Literal["active", "removed"] = "active"
    entity_type: Literal["Member"] = "Member"


class Invitation(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="FAMILY#{familyId}",
        SK="INVITATION#{invitationId}",
        GSI1PK="INVITED#{invited}",
        GSI1SK="INVITATION#{invitationId}",
    )

    invitation_id: str
    family_id: str
    email: str
    role: Role
    status: Literal["pending", "accepted", "declined", "revoked"] = "pending"
    invited_by: str
    expires_at: str
    secret_hash: str
    entity_type: Literal["Invitation"] = "Invitation"

    @property
    def invited(self) -> str:
        return digest_of_email(self.email)


def digest_of_email(email: str) -> str:
    """Finds what belongs to an address without the address standing in a key."""
    return hashlib.sha256(email.lower().encode()).hexdigest()
