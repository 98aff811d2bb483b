"""The security log: a line for each failed sign-in and each change of access.

It names the address and the signed-in caller. Only requests are logged, not commands.
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


def set_address(address: str) -> None:
    _asking.set((address, None))


def set_caller(member_id: str) -> None:
    asking = _asking.get()
    if asking is not None:
        _asking.set((asking[0], member_id))


def note(event: Failure | Change, **about: str | None) -> None:
    """Put `log`, `address` and `by` first and in this order, because log filters rely on it."""
    asking = _asking.get()
    if asking is None:
        return
    address, by = asking
    said = {name: text for name, text in {"by": by, **about}.items() if text is not None}
    write = log.warning if event in _failures else log.info
    write(event, log="security", address=address, **said)
