"""Export and import people without anything that signs them in."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.coordination.belongings import Arrival
from homeshelf.table import Database, Record

ACCESS_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "password_hash": None,
        "issuer": None,
        "subject": None,
        "era": 1,
        "disabled_at": None,
        "families": (),
        "email_verified": False,
    }
)


async def accounts_of_person(db: Database, member_id: str) -> Sequence[Account]:
    account = await store.get_account(db, member_id)
    return [account] if account else []


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    if arrival.owner != "person":
        return []
    return [without_access(account) for account in arrival.of(Account)]


def without_access(account: Account) -> Account:
    """Return the account with an origin, so that no identity provider can claim it."""
    return account.changed(origin="child" if account.is_child else "password")
