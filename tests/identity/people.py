"""People who sign in with the fake provider, and records of older versions."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from homeshelf import clock
from homeshelf.accounts.model import SESSION_SECONDS, Account, Session
from tests.identity.issuer import SUBJECT, Issuer
from tests.running import RunningApp, Visitor

HTML = {"accept": "text/html"}


def present_token(running: RunningApp, issuer: Issuer, **claims: Any) -> Visitor:
    visitor = running.visitor()
    visitor.bear(issuer.token(**claims))
    return visitor


async def sign_in_with_browser(
    running: RunningApp, issuer: Issuer, changed: str = "", visitor: Visitor | None = None
) -> httpx.Response:
    """Go to the provider and back; return the last response."""
    visitor = visitor or running.visitor()
    sent = await visitor.client.get("/sign-in", headers=HTML)
    back = urlsplit(issuer.sign_in_at(sent.headers["location"]) + changed)
    return await visitor.client.get(f"{back.path}?{back.query}", headers=HTML)


def old_account(**fields: Any) -> Account:
    """Return Ada's account as an older version stored it."""
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


def old_session() -> Session:
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


async def found_family(running: RunningApp, issuer: Issuer) -> tuple[Visitor, str]:
    """Create a family; return its admin and its id."""
    ada = present_token(running, issuer)
    family = await ada.post("/families", {"name": "Lovelace"})
    assert family.status_code == 201, family.text
    return ada, family.json()["familyId"]
