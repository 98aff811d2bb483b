"""The security log: who tried to get in, and what others may do from now on, a line for each event.

    security_log.note("sign_in_failed", member_id=account.member_id)

A line says from which address, and by whom where somebody is signed in. Nothing is noted of what no
request asks for: commands say on the terminal what they do.
"""

from contextvars import ContextVar
from typing import Literal, get_args

import structlog

Failure = Literal[
    "sign_in_failed",
    "sign_in_refused",
    "password_not_confirmed",
    "link_refused",
    "unlock_failed",
    "limit_reached",
    "visit_limit_reached",
    "session_ended",
    "account_not_linked",
]
Change = Literal[
    "account_made",
    "account_left",
    "signed_in",
    "new_device",
    "sign_in_link_made",
    "sign_in_link_used",
    "password_changed",
    "email_changed",
    "invitation_made",
    "invitation_accepted",
    "invitation_revoked",
    "role_changed",
    "member_removed",
]

_asking: ContextVar[tuple[str, str | None] | None] = ContextVar("asking", default=None)
_failures = frozenset(get_args(Failure))

log = structlog.get_logger()


def arrive(address: str) -> None:
    """A request begins, from this address; nobody knows yet by whom."""
    _asking.set((address, None))


def recognise(member_id: str) -> None:
    """It is known who asks."""
    asking = _asking.get()
    if asking is not None:
        _asking.set((asking[0], member_id))


def note(event: Failure | Change, **about: str | None) -> None:
    """`log`, `address` and `by` come first and in this order: filters rely on it."""
    asking = _asking.get()
    if asking is None:
        return
    address, by = asking
    said = {name: text for name, text in {"by": by, **about}.items() if text is not None}
    write = log.warning if event in _failures else log.info
    write(event, log="security", address=address, **said)
