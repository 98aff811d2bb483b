"""Putting letters about accounts into the outbox."""

from collections.abc import Sequence

import structlog
from starlette.background import BackgroundTask

from homeshelf.accounts import letters, store
from homeshelf.accounts.model import Account
from homeshelf.errors import RateLimited
from homeshelf.mail.store import can_send, outbox_writes
from homeshelf.table import Write
from homeshelf.web.house import House

log = structlog.get_logger()


def verification_writes(house: House, account: Account) -> Sequence[Write]:
    """Refused where the address was written to too often."""
    if not can_send(house.settings):
        return ()
    house.limits.letters.take(account.email.lower())
    return outbox_writes(house.settings, letters.verification_letter(account))


def send_reset(house: House, email: str) -> BackgroundTask:
    """After the answer: whether there is such an account must not show in its time."""
    return BackgroundTask(_send_reset, house, email)


async def _send_reset(house: House, email: str) -> None:
    if not can_send(house.settings):
        return
    account = await store.account_with_email(house.db, email)
    if account is None:
        return
    try:
        house.limits.letters.take(account.email.lower())
    except RateLimited:
        log.warning("letter_held_back", kind="reset", why="its address was written to too often")
        return
    await house.db.transact(*outbox_writes(house.settings, letters.reset_letter(account)))
