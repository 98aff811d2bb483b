"""E-mail addresses that wait until a mailed link proves who reads them."""

from homeshelf import clock
from homeshelf.access.families import Families, families_of
from homeshelf.accounts import store
from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.errors import Duplicate, NotFound
from homeshelf.sentences import _
from homeshelf.table import HELPER, Item, Key, Keys, Record, Sparse
from homeshelf.web.services import Services

KEPT_SECONDS = 8 * 24 * 3600
"""A letter may wait for a week, and its link then holds for a day."""

TAKEN = _("There is an account with this e-mail already.")


class PendingAddress(Record):
    """A child's address that its family entered. A newer one replaces it and voids its links."""

    table = HELPER
    keys = Keys(PK="ACCOUNT#{memberId}", SK="PENDING_ADDRESS")
    lock = "link_id"

    member_id: str
    family_id: str
    email: str
    link_id: str
    made_by: str
    term: Sparse[int] = None
    """The maker's term as admin in which it was entered, from the second on."""
    ttl: int


async def take_address(
    services: Services, pending: PendingAddress, password_hash: str, *, verified: bool
) -> Account:
    """Let the child sign in with this address; earlier sessions and links end."""
    key, families = Account.key(member_id=pending.member_id), families_of(services)
    return await _take_address(services.db, key, families, pending, password_hash, verified)


@transaction
async def _take_address(
    tx: Transaction,
    key: Key[Account],
    families: Families,
    pending: PendingAddress,
    password_hash: str,
    verified: bool,
) -> Account:

    async def refuse(there: Item | None) -> None:
        if there is None or EmailClaim.load(there).holder != pending.member_id:
            raise Duplicate(detail=TAKEN)

    old, found = await tx.db.get(key), await tx.db.get(pending.own_key())
    if old is None or not old.is_child or found != pending:
        raise NotFound
    new = old.grown_up(pending.email, password_hash, clock.timestamp(), verified=verified)
    claim = EmailClaim(email_digest=digest_of_email(pending.email), holder=old.member_id)
    tx.replace(old, new)
    tx.write(claim.take().refusing(refuse), pending.delete(pending.unchanged))
    await families.give_address(tx, pending, new.updated_at)
    tx.write(*store.told_to_streams(old))
    return new
