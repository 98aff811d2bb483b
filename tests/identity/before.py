"""What a provider made before accounts and sessions said where they come from."""

from typing import Any

from homeshelf import clock
from homeshelf.accounts.model import SESSION_SECONDS, Account, Session
from tests.identity.issuer import SUBJECT


def account_from_before(**fields: Any) -> Account:
    """Ada's, unless the fields say otherwise."""
    at = clock.timestamp()
    account = Account(
        member_id=SUBJECT,
        email="ada@home.local",
        email_verified=True,
        name="Ada",
        created_at=at,
        updated_at=at,
    ).changed(**fields)
    assert not {"origin", "issuer", "subject"} & account.item().keys()
    return account


def session_from_before() -> Session:
    """Hers, begun now."""
    at = clock.timestamp()
    session = Session(
        session_id=clock.ordered_id(),
        member_id=SUBJECT,
        device="Firefox on Linux",
        created_at=at,
        last_used_at=at,
        ttl=clock.seconds() + SESSION_SECONDS,
    )
    assert not {"issuer", "endsAt"} & session.item().keys()
    return session
