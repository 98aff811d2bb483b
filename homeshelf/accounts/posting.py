"""Putting letters about accounts into the outbox."""

from starlette.background import BackgroundTask

from homeshelf.accounts import letters, store
from homeshelf.web.house import House


def send_reset(house: House, email: str) -> BackgroundTask:
    """After the answer: whether there is such an account must not show in its time."""
    return BackgroundTask(_send_reset, house, email)


async def post(house: House, letter: letters.Letter) -> None:
    if writes := letters.outbox_writes(house.settings, letter):
        await house.db.transact(*writes)


async def _send_reset(house: House, email: str) -> None:
    account = await store.account_with_email(house.db, email)
    if account is not None:
        await post(house, letters.reset_letter(house.signer, account))
