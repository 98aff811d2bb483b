"""Putting letters about accounts into the outbox."""

from collections.abc import Sequence

import structlog
from starlette.background import BackgroundTask

from homeshelf.accounts import letters, store
from homeshelf.accounts.model import Account
from homeshelf.errors import RateLimited
from homeshelf.mail.model import Letter
from homeshelf.mail.store import can_send, outbox_writes
from homeshelf.table import Write
from homeshelf.web.services import Services

log = structlog.get_logger()


def verification_writes(services: Services, account: Account) -> Sequence[Write]:
    """For who asks for it; who asks very often has enough of them on their way."""
    if not account.misses_mail:
        return ()
    return _unless_too_often(services, account, letters.verification_letter(account))


def password_changed_writes(services: Services, account: Account) -> Sequence[Write]:
    """The owner is to know, whoever changed it."""
    return outbox_writes(services.settings, letters.password_changed_letter(account))


def send_reset(services: Services, email: str) -> BackgroundTask:
    """After the answer: whether there is such an account must not show in its time."""
    return BackgroundTask(_send_reset, services, email)


async def _send_reset(services: Services, email: str) -> None:
    account = await store.account_with_email(services.db, email)
    if account is None:
        return
    if writes := _unless_too_often(services, account, letters.reset_letter(account)):
        await services.db.transact(*writes)


def _unless_too_often(services: Services, account: Account, letter: Letter) -> Sequence[Write]:
    """How much is sent is decided later; this keeps strangers from filling the outbox."""
    if not can_send(services.settings):
        return ()
    try:
        services.limits.letters.take(account.email.lower())
    except RateLimited:
        log.warning("letter_held_back", kind=letter.kind, why="too many letters to one address")
        return ()
    return outbox_writes(services.settings, letter)
