"""Disabled accounts and identity providers."""

from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from homeshelf.errors import Disabled
from tests.identity.issuer import Issuer
from tests.identity.people import HTML, present_token, sign_in_with_browser
from tests.running import RunningApp, problem_of

REFUSED = (401, "unauthenticated")


async def test_disabled_account_is_refused_by_token_and_browser(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, browser = present_token(running, issuer), running.visitor()
    member_id = (await ada.get("/me")).json()["memberId"]
    assert (await sign_in_with_browser(running, issuer, visitor=browser)).status_code == 303
    await store.disable(running.db, Account.key(member_id=member_id))
    refused = await ada.get("/me")
    assert (problem_of(refused), refused.json()["detail"]) == (REFUSED, Disabled.sentence)
    assert (await browser.client.get("/settings", headers=HTML)).status_code == 303
    back = await sign_in_with_browser(running, issuer)
    assert (back.status_code, Disabled.sentence in back.text) == (401, True)
    assert "set-cookie" not in back.headers
    await store.enable(running.db, Account.key(member_id=member_id))
    assert (await ada.get("/me")).status_code == 200
    assert (await sign_in_with_browser(running, issuer)).status_code == 303
