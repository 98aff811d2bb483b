"""Test the limits of notifications: old wishes, unknown time zones, long mails."""

from datetime import datetime, timedelta

import pytest

from homeshelf.accounts.model import Account
from homeshelf.outbox.notifications import daily_notifications, next_morning
from homeshelf.suggestions.model import Suggestion
from tests.api_client import add_item
from tests.home import Home
from tests.moment import Moment
from tests.outbox.mail import notified_mails, put_due_letters, set_preferences
from tests.outbox.post_office import PostOffice
from tests.running import Person
from tests.suggestions.wish_requests import ask_for, propose, reject

DUE = "2024-11-02T07:00:00.000Z"


async def without_names(home: Home, suggestion_id: str) -> None:
    key = Suggestion.key(family_id=home.family_id, suggestion_id=suggestion_id)
    old = await home.running.db.get(key)
    assert old is not None
    await home.running.db.put(old.changed(suggested_by_name=None, item_name_snapshot=None))


async def test_notification_of_an_old_wish_uses_current_names(
    home: Home, kid: Person, office: PostOffice
) -> None:
    rice = await add_item(home.admin, name="Rice")
    wish = await ask_for(kid, rice)
    await without_names(home, wish["suggestionId"])
    (mail,) = await notified_mails(home.running, office)
    assert mail.message["subject"] == "kid is asking for Rice"


async def test_notification_of_an_answer_to_an_old_wish_uses_current_names(
    home: Home, kid: Person, office: PostOffice
) -> None:
    await set_preferences(home.admin, mail="off")
    rice = await add_item(home.admin, name="Rice")
    wish = await ask_for(kid, rice)
    await reject(home.admin, wish)
    await without_names(home, wish["suggestionId"])
    (mail,) = await notified_mails(home.running, office)
    assert mail.message["subject"] == "Not this time: Rice"


async def test_unknown_time_zone_means_seven_in_utc(
    home: Home, office: PostOffice, moment: Moment
) -> None:
    await set_preferences(home.admin, mail="daily", timeZone="Europe/Stockholm")
    key = Account.key(member_id=home.admin.member_id)
    await home.running.db.change(key, lambda old: old.changed(time_zone="Atlantis/Poseidonis"))
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    moment.move(DUE)
    moment.pass_by(-1)
    assert await notified_mails(home.running, office) == []
    moment.move(DUE)
    assert len(await notified_mails(home.running, office)) == 1


def test_empty_time_zone_is_unknown() -> None:
    now = datetime.fromisoformat("2024-11-01T12:00:00+00:00")
    for zone in ("Atlantis", "", "../etc/passwd"):
        assert next_morning(now, zone) == now + timedelta(hours=19)


@pytest.mark.parametrize("wishes", [50, 51])
async def test_mail_has_fifty_lines_and_a_note_about_more(
    home: Home, kid: Person, office: PostOffice, moment: Moment, wishes: int
) -> None:
    await set_preferences(home.admin, mail="daily", timeZone="UTC")
    for number in range(wishes):
        await propose(kid, f"Thing {number:02}")
        moment.pass_by(0.01)
    await put_due_letters(home.running)
    moment.move(DUE)
    (mail,) = await notified_mails(home.running, office)
    assert mail.text.count("is asking for Thing") == 50
    assert "Thing 49" in mail.text
    assert "Thing 50" not in mail.text
    assert ("There’s more in Homeshelf." in mail.text) == (wishes > 50)
    assert mail.message["subject"] == f"kid is asking for Thing 00, and {wishes - 1} more"


async def test_waiting_notifications_are_kept_for_nine_days(home: Home, moment: Moment) -> None:
    await set_preferences(home.admin, mail="daily", timeZone="UTC")
    await add_item(home.admin, name="Rice", quantity=1, threshold=2)
    await put_due_letters(home.running)
    (waits,) = await home.running.db.all(daily_notifications(home.admin.member_id, DUE))
    due = datetime.fromisoformat(DUE)
    assert waits.ttl == int((due + timedelta(days=9)).timestamp())
    assert moment.at < due
