"""Test that disabled accounts get no reset links."""

from homeshelf.accounts import store
from homeshelf.accounts.model import Account
from tests.moment import Moment
from tests.outbox.post_office import (
    HOME,
    LONGEST_PAUSE_SECONDS,
    PostOffice,
    send_without_success,
    wait_until_outbox_is_empty,
)
from tests.pages import see, send
from tests.running import PASSWORD, Person, RunningApp, problem_of

NEW = "a new password"


async def can_sign_in(running: RunningApp, person: Person, password: str) -> bool:
    asked = {"email": person.email, "password": password}
    return (await running.visitor().post("/tokens", asked)).is_success


async def test_disabled_account_gets_no_reset_link_and_the_response_is_the_same(
    running: RunningApp, office: PostOffice
) -> None:
    ada, bob, visitor = await running.person("ada"), await running.person("bob"), running.visitor()
    await store.disable(running.db, Account.key(member_id=ada.member_id))
    for person in (ada, bob):
        answer = await visitor.post("/passwords/forgotten", {"email": person.email})
        assert (answer.status_code, answer.content) == (202, b"")
    pages = [await send(visitor, "/forgotten", email=each.email) for each in (ada, bob)]
    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].text == pages[1].text
    await wait_until_outbox_is_empty(running.db)
    assert [mail.to for mail in office.mails] == [[bob.email]] * 2


async def test_reset_link_mailed_before_disabling_stays_void(
    running: RunningApp, office: PostOffice
) -> None:
    ada, visitor = await running.person("ada"), running.visitor()
    await visitor.post("/passwords/forgotten", {"email": ada.email})
    path = (await office.mail()).link.removeprefix(HOME)
    reset = {"token": path.removeprefix("/reset/"), "password": NEW}
    await store.disable(running.db, Account.key(member_id=ada.member_id))
    for _ in range(2):
        await see(visitor, path, 404)
        assert problem_of(await visitor.post("/passwords/reset", reset)) == (404, "not_found")
        await store.enable(running.db, Account.key(member_id=ada.member_id))
    assert await can_sign_in(running, ada, PASSWORD)
    assert not await can_sign_in(running, ada, NEW)


async def test_reset_link_asked_for_before_disabling_is_not_mailed(
    running: RunningApp, closed_mail_server: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    async with send_without_success(moment):
        await running.visitor().post("/passwords/forgotten", {"email": ada.email})
    await store.disable(running.db, Account.key(member_id=ada.member_id))
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    await wait_until_outbox_is_empty(running.db)
    assert closed_mail_server.mails == []
