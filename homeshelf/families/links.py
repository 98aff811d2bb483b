"""The links of invitations.

A token is the family, the invitation and a secret, so that one get finds it. The secret is worked
out from the house's own and the number of the link: the table holds only its digest, and the
same request sent again is shown the same link.
"""

from uuid import UUID

from homeshelf.families.model import Invitation, Ticket
from homeshelf.signing import Signer, decoded, encoded

SECRET_BYTES = 16
TOKEN_BYTES = 16 + 16 + SECRET_BYTES


def secret_of(signer: Signer, family_id: str, invitation_id: str, number: int) -> str:
    seal = signer.seal("invitation", f"{family_id} {invitation_id} {number}".encode())
    return encoded(decoded(seal)[:SECRET_BYTES])


def token_of(signer: Signer, invitation: Invitation) -> str:
    """The token of its last link."""
    family_id, invitation_id = invitation.family_id, invitation.invitation_id
    secret = secret_of(signer, family_id, invitation_id, invitation.links)
    return encoded(UUID(family_id).bytes + UUID(invitation_id).bytes + decoded(secret))


def ticket_of(token: str) -> Ticket | None:
    try:
        raw = decoded(token)
    except ValueError:
        return None
    if len(raw) != TOKEN_BYTES or encoded(raw) != token:
        return None
    family_id, invitation_id = str(UUID(bytes=raw[:16])), str(UUID(bytes=raw[16:32]))
    return Ticket(family_id, invitation_id, secret=encoded(raw[32:]))
