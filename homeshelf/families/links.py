"""The sign-in link of a child: one at a time, for one device."""

from dataclasses import dataclass

from homeshelf.accounts.addresses import PendingAddress
from homeshelf.families.model import decode_token, encode_token, link_secret
from homeshelf.signing import Signer, digest, same
from homeshelf.table import HELPER, Database, Keys, Record, Sparse, Write


class SignInLink(Record):
    """A child's last link, open or not, so that the next one gets a new number."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="SIGN_IN_LINK")
    lock = "number"

    member_id: str
    family_id: str
    number: int = 1
    """Counts links and their ends, so that each link has its own secret."""
    secret_hash: Sparse[str] = None
    """None after the link was used or ended."""
    made_by: str
    term: Sparse[int] = None
    """The maker's term as admin, from the second term on."""
    expires_at: str

    def is_open(self, now: str) -> bool:
        return self.secret_hash is not None and now < self.expires_at

    def accepts(self, secret: str, now: str) -> bool:
        return self.is_open(now) and same(digest(secret), self.secret_hash or "")

    def end(self) -> "SignInLink":
        return self.changed(number=self.number + 1, secret_hash=None)


@dataclass(frozen=True)
class LinkToken:
    member_id: str
    secret: str


def sign_in_link_token(signer: Signer, link: SignInLink) -> str:
    about, known = (link.member_id, link.number), link.secret_hash
    return encode_token(link_secret(signer, "sign-in-link", *about, known=known), link.member_id)


def read_sign_in_link_token(token: str) -> LinkToken | None:
    found = decode_token(token, 1)
    return LinkToken(*found) if found else None


async def end_link_writes(db: Database, family_id: str, member_id: str) -> list[Write]:
    link = await db.get(SignInLink.key(member_id=member_id))
    pending = await db.get(PendingAddress.key(member_id=member_id))
    writes: list[Write] = []
    if link is not None and link.family_id == family_id and link.secret_hash is not None:
        writes.append(link.end().replacing(link))
    if pending is not None and pending.family_id == family_id:
        writes.append(pending.delete(pending.unchanged))
    return writes
