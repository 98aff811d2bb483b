"""Records of e-mail addresses that a mailed link has not verified yet."""

from homeshelf import clock
from homeshelf.access.families import families_of
from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import NotFound
from homeshelf.table import HELPER, Key, Keys, Record, Sparse
from homeshelf.web.services import Services

PENDING_SECONDS = 8 * 24 * 3600
"""The lifetime of a pending address: a week for its letter, and a day for the link."""


class PendingAddress(Record):
    """A child's address that an admin entered. A newer one replaces it and voids its links."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="PENDING_ADDRESS")
    lock = "link_id"

    member_id: str
    family_id: str
    email: str
    link_id: str
    made_by: str
    term: Sparse[int] = None
    """The admin's term in which it was entered, from the second on."""
    ttl: int


class AddressChange(Record):
    """A new address that a person requested. A newer one replaces it and voids its link."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="ADDRESS_CHANGE")
    lock = "link_id"

    member_id: str
    email: str
    link_id: str
    era: int
    """The account's era when the change was requested; a changed password voids the request."""
    ttl: int

    @classmethod
    def create(cls, email: str, account: Account) -> "AddressChange":
        return cls(
            member_id=account.member_id,
            email=email,
            link_id=clock.new_id(),
            era=account.era,
            ttl=clock.seconds() + PENDING_SECONDS,
        )

    def is_open_to(self, account: Account, link_id: str) -> bool:
        return (self.link_id, self.era) == (link_id, account.era)


class FormerAddress(Record):
    """The former address of an account, for one letter: letters themselves hold no address."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="FORMER_ADDRESS#{letterId}")

    member_id: str
    letter_id: str
    email: str
    ttl: int


@transaction
async def set_child_credentials(
    tx: Transaction,
    key: Key[Account],
    services: Services,
    pending: PendingAddress,
    password_hash: str,
    *,
    verified: bool,
) -> None:
    """Let the child sign in with this address; earlier sessions and links end."""
    old, found = await tx.db.get(key), await tx.db.get(pending.own_key())
    if old is None or not old.is_child or found != pending:
        raise NotFound
    new = old.with_sign_in(pending.email, password_hash, clock.timestamp(), verified=verified)
    tx.replace(old, new)
    tx.write(store.claim_address(new), pending.delete(pending.unchanged))
    await families_of(services).give_address(tx, pending, new.updated_at)
    tx.write(*store.stream_end_writes(old))
