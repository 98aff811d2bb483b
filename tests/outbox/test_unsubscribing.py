"""Test the link that ends the mail about a household."""

import pytest

from tests.api_client import add_item
from tests.home import NOBODYS, Home
from tests.outbox.mail import notified_mails, set_preferences
from tests.outbox.post_office import HOME, PostOffice, ReceivedMail
from tests.running import Person, RunningApp, Visitor

HTML = {"accept": "text/html"}


@pytest.fixture
async def mail_about_low_stock(home: Home, office: PostOffice) -> ReceivedMail:
    await add_item(home.admin, name="Rice", threshold=2)
    (mail,) = await notified_mails(home.running, office)
    return mail


def unsubscribe_path(mail_about_low_stock: ReceivedMail) -> str:
    header = str(mail_about_low_stock.message["List-Unsubscribe"])
    assert header.startswith(f"<{HOME}/unsubscribe/")
    return header.strip("<>").removeprefix(HOME)


async def mail_preference(person: Person) -> str:
    return str((await person.get("/me/preferences")).json()["mail"])


async def test_forged_link_does_not_unsubscribe(
    home: Home, mail_about_low_stock: ReceivedMail
) -> None:
    visitor = home.running.visitor()
    path = unsubscribe_path(mail_about_low_stock)
    own, seal = path.rpartition("/")[2].split(".")
    wrong = [path[:-1], f"{path}x", f"/unsubscribe/{NOBODYS}.{seal}", f"/unsubscribe/{own}"]
    for each in wrong:
        for method in ("GET", "POST"):
            answer = await visitor.client.request(method, each, headers=HTML)
            assert answer.status_code == 404
    assert await mail_preference(home.admin) == "now"


async def test_every_part_of_a_mail_has_the_unsubscribe_link(
    mail_about_low_stock: ReceivedMail,
) -> None:
    link = f"{HOME}{unsubscribe_path(mail_about_low_stock)}"
    assert link in mail_about_low_stock.text
    assert link in mail_about_low_stock.html
    assert mail_about_low_stock.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"List-Unsubscribe: <{link}>\r\n".encode() in mail_about_low_stock.content


async def test_opening_the_link_changes_nothing(
    home: Home, mail_about_low_stock: ReceivedMail
) -> None:
    visitor = home.running.visitor()
    for _ in range(2):
        answer = await visitor.client.get(unsubscribe_path(mail_about_low_stock), headers=HTML)
        assert answer.status_code == 200
        assert '<form method="post">' in answer.text
    await visitor.client.head(unsubscribe_path(mail_about_low_stock), headers=HTML)
    assert await mail_preference(home.admin) == "now"


async def test_button_unsubscribes(
    home: Home, mail_about_low_stock: ReceivedMail, office: PostOffice
) -> None:
    visitor = home.running.visitor()
    answer = await visitor.client.post(unsubscribe_path(mail_about_low_stock), headers=HTML)
    assert answer.status_code == 200
    assert "No more mail" in answer.text
    await _require_no_more_mail(home, office)


async def test_one_click_unsubscribes_without_a_cookie(
    home: Home, mail_about_low_stock: ReceivedMail, office: PostOffice
) -> None:
    visitor = home.running.visitor()
    for _ in range(2):
        answer = await visitor.client.post(
            unsubscribe_path(mail_about_low_stock),
            data={"List-Unsubscribe": "One-Click"},
            headers={"origin": "https://mail.example", "sec-fetch-site": "cross-site"},
        )
        assert answer.status_code == 200
    await _require_no_more_mail(home, office)


async def test_unsubscribing_can_be_reversed_in_the_settings(
    home: Home, mail_about_low_stock: ReceivedMail, office: PostOffice
) -> None:
    await set_preferences(home.admin, theme="dark", timeZone="Europe/Stockholm")
    before = (await home.admin.get("/me/preferences")).json()
    await home.running.visitor().client.post(unsubscribe_path(mail_about_low_stock))
    after = (await home.admin.get("/me/preferences")).json()
    assert after == before | {"mail": "off"}
    await set_preferences(home.admin, mail="now")
    await add_item(home.admin, name="Peas", threshold=2)
    assert len(await notified_mails(home.running, office)) == 2


async def test_requested_mail_is_sent_after_unsubscribing(
    home: Home, mail_about_low_stock: ReceivedMail, office: PostOffice
) -> None:
    await home.running.visitor().client.post(unsubscribe_path(mail_about_low_stock))
    forgotten = {"email": home.admin.email}
    assert (await home.running.visitor().post("/passwords/forgotten", forgotten)).status_code == 202
    reset = await office.mail(2)
    assert "List-Unsubscribe" not in reset.message


async def test_link_of_a_deleted_account_still_works(
    home: Home, mail_about_low_stock: ReceivedMail, running: RunningApp
) -> None:
    goodbye = {"password": home.admin.password}
    assert (await home.admin.delete("/me", goodbye)).status_code == 204
    visitor: Visitor = running.visitor()
    assert (
        await visitor.client.post(unsubscribe_path(mail_about_low_stock), headers=HTML)
    ).status_code == 200


async def _require_no_more_mail(home: Home, office: PostOffice) -> None:
    assert await mail_preference(home.admin) == "off"
    await add_item(home.admin, name="Peas", threshold=2)
    assert len(await notified_mails(home.running, office)) == 1
