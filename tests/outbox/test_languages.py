"""Test the language of letters."""

import pytest

from homeshelf.languages import LANGUAGES, Language
from homeshelf.table import Database
from tests.api_client import add_item, adjust
from tests.home import Home, new_home
from tests.moment import Moment
from tests.outbox.mail import notified_mails, set_preferences
from tests.outbox.post_office import PostOffice, ReceivedMail, wait_for_empty_outbox
from tests.pages import OURS
from tests.pseudo_language import accented, plain_in
from tests.running import PASSWORD, Person, RunningApp, running_app
from tests.suggestions.wish_requests import approve, ask_for, propose, reject

pytestmark = pytest.mark.usefixtures("pseudo")


def require_no_english_letters(mails: list[ReceivedMail]) -> None:
    assert mails
    for mail in mails:
        assert mail.message["content-language"] == "el"
        assert '<html lang="el" dir="ltr">' in mail.html
        assert plain_in(mail.html) == []
        assert plain_in(f"<p>{mail.text}</p><p>{mail.message['subject']}</p>") == []


async def test_every_letter_is_translated(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    home = await new_home(running, "Σπίτι", "Δώρα")
    await set_preferences(home.admin, language="el")
    kid = await home.with_member("Λίζα", "suggester")
    await set_preferences(kid, language="el")
    milk = await add_item(home.admin, name="Γάλα", quantity=3, threshold=3)
    item = await add_item(home.admin, name="Γάλα", quantity=1, threshold=1)
    for each in (milk, item):
        await adjust(home.admin, each, -1)
    await ask_for(kid, item, notes="λίγο")
    await propose(kid, "Μπάλα")
    await reject(home.admin, await propose(kid, "Ωδή"), "λίγο")
    await approve(home.admin, await propose(kid, "Δώρο"))
    await notified_mails(running, office)
    await home.admin.post("/invitations", {"email": "9@9.9", "role": "admin"})
    await home.admin.post("/invitations", {"email": "8@8.8", "role": "suggester"})
    await running.visitor().post("/passwords/forgotten", {"email": home.admin.email})
    known = {"email": "7@7.7", "password": PASSWORD, "name": "Λίζα"}
    await running.visitor().post("/accounts", known, headers={"Accept-Language": "el"})
    await wait_for_empty_outbox(running.db, moment)
    ours = {"email": home.admin.email, "password": PASSWORD}
    renew_token(home.admin, running)
    await home.admin.post("/me/email", {"email": "6@6.6", "currentPassword": PASSWORD})
    await running.visitor().post("/tokens", ours, headers={"User-Agent": "9"})
    await wait_for_empty_outbox(running.db, moment)
    renew_token(home.admin, running)
    (link,) = (mail.link for mail in office.mails if mail.to == ["6@6.6"])
    await running.visitor().post("/accounts/verify", {"token": link.rpartition("/")[2]})
    changed = {"currentPassword": PASSWORD, "password": f"{PASSWORD} 2"}
    await home.admin.patch("/me", changed)
    await wait_for_empty_outbox(running.db, moment)
    subjects = {mail.message["subject"] for mail in office.mails}
    assert len(subjects) == 12, subjects
    require_no_english_letters(office.mails)


def renew_token(who: Person, running: RunningApp) -> None:
    who.bear(running.access_token(who.member_id, who.session_id))


async def test_daily_mail_is_translated(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    home = await new_home(running, "Σπίτι", "Δώρα")
    await set_preferences(home.admin, language="el", mail="daily")
    for name in ("Γάλα", "Ψωμί", "Ρύζι"):
        await add_item(home.admin, name=name, quantity=1, threshold=2)
    await notified_mails(running, office)
    moment.pass_by(24 * 3600)
    await wait_for_empty_outbox(running.db, moment)
    require_no_english_letters(office.mails)


async def test_letter_uses_the_browser_language_by_default(
    running: RunningApp, office: PostOffice
) -> None:
    known = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}
    headers = OURS | {"Accept-Language": "el-GR,en;q=0.5"}
    await running.visitor().client.post("/sign-up", data=known, headers=headers)
    mail = await office.mail()
    assert mail.message["subject"] == accented("Is this your address?")


async def test_letter_uses_the_house_language_if_no_other_is_known(
    database: Database, office: PostOffice, pseudo: Language
) -> None:
    async with running_app(database, **office.settings, language=pseudo) as running:
        await running.visitor().post(
            "/accounts", {"email": "a@home.local", "password": PASSWORD, "name": "A"}
        )
        assert (await office.mail()).message["content-language"] == "el"


async def test_invitation_uses_the_language_of_the_inviter(home: Home, office: PostOffice) -> None:
    await set_preferences(home.admin, language="el")
    await home.admin.post("/invitations", {"email": "bob@home.local", "role": "admin"})
    mail = await office.mail()
    assert mail.message["content-language"] == "el"
    assert accented("has invited you to") in mail.message["subject"]


async def test_family_members_get_letters_in_their_own_language(
    home: Home, office: PostOffice
) -> None:
    bob = await home.with_member("bob", "admin")
    await set_preferences(bob, language="el")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    subjects = {
        mail.to[0]: mail.message["subject"] for mail in await notified_mails(home.running, office)
    }
    assert subjects == {
        home.admin.email: "Rice is running low",
        bob.email: f"Rice {accented('is running low')}",
    }


async def test_removed_language_is_ignored(
    home: Home, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    await set_preferences(home.admin, language="el")
    monkeypatch.delitem(LANGUAGES, "el")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    assert [mail.message["subject"] for mail in await notified_mails(home.running, office)] == [
        "Rice is running low"
    ]
