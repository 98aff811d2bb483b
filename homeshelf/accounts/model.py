from typing import Literal

from homeshelf.table import HELPER, Claim, Keys, Optional, Record, Versioned

Theme = Literal["auto", "light", "dark"]
MailWish = Literal["off", "now", "daily"]

SESSION_SECONDS = 60 * 24 * 3600
REUSE_GRACE_SECONDS = 30


class Account(Versioned):
    """A person. It also says which families they are in: an index would lag."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="ACCOUNT")

    member_id: str
    email: str
    email_verified: bool = False
    name: str
    password_hash: Optional[str] = None
    """None for somebody whom an identity provider vouches for."""
    families: tuple[str, ...] = ()
    theme: Theme = "auto"
    time_zone: str = "UTC"
    mail: MailWish = "now"


class EmailClaim(Claim):
    """One account an address, whatever its case."""

    keys = Keys(PK="EMAIL#{emailDigest}", SK="EMAIL")
    email_digest: str


class Session(Record):
    """A device that is signed in. Its tokens hold as long as it is there."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="SESSION#{sessionId}")
    lock = "turn"

    session_id: str
    member_id: str
    turn: int = 1
    """Which refresh token is next: each works once."""
    turned_at: int
    device: str
    created_at: str
    last_used_at: str
    ttl: int
