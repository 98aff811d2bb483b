"""Test the hourly limits on mail and their shares."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from homeshelf import clock
from homeshelf.config.values import Rate
from homeshelf.families import store as families
from homeshelf.outbox.channels.mail import counts_for
from homeshelf.outbox.model import Letter, letter
from homeshelf.outbox.sending import LimitReached, Superseded
from homeshelf.table import Database
from tests.api_client import add_item, adjust
from tests.home import Home, new_home, token_in
from tests.moment import Moment
from tests.outbox.mail import (
    DAY,
    EIGHT_AN_HOUR,
    HOUR,
    MailAllowance,
    app_with_small_limit,
    people_with_requested_links,
    put_due_letters,
    take,
)
from tests.outbox.post_office import (
    HOME,
    PostOffice,
    outbox,
    send_without_success,
    wait_for_empty_outbox,
    wait_until_nothing_is_due,
)
from tests.running import PASSWORD, SETTINGS, RunningApp


def subjects(office: PostOffice) -> Counter[str]:
    return Counter(str(mail.message["subject"]) for mail in office.mails)


async def test_letter_over_the_limit_waits_and_gets_a_new_link(
    database: Database, office: PostOffice, moment: Moment
) -> None:
    async with app_with_small_limit(database, office) as running:
        people = await people_with_requested_links(
            running, *(f"person{number}" for number in range(6))
        )
        await wait_until_nothing_is_due(running.db)
        assert len(office.mails) == 2
        waiting = await outbox(running.db)
        assert [each.attempts for each in waiting] == [0] * 4, "waiting is no failure"
        assert {each.ttl for each in waiting} == {clock.seconds() + 7 * DAY}
        moment.pass_by(HOUR - 1)
        await wait_until_nothing_is_due(running.db)
        assert len(office.mails) == 2
        for sent in (3, 4, 5, 6):
            moment.move(min(each.due_at for each in await outbox(running.db)))
            await wait_until_nothing_is_due(running.db)
            assert len(office.mails) == sent
        assert sorted(mail.to[0] for mail in office.mails) == [person.email for person in people]
        moment.pass_by(DAY - 1)
        last = {"token": office.mails[-1].link.removeprefix(f"{HOME}/verify/")}
        assert (await running.visitor().post("/accounts/verify", last)).status_code == 204


async def test_sign_ups_of_strangers_leave_room_for_others(
    database: Database, office: PostOffice, moment: Moment
) -> None:
    async with app_with_small_limit(database, office) as running:
        await people_with_requested_links(running, *(f"stranger{number}" for number in range(20)))
        home = await new_home(running, "Lovelace", "ada")
        await home.invite("grace@home.local")
        changed = {"password": "another one", "currentPassword": PASSWORD}
        assert (await home.admin.patch("/me", changed)).status_code == 200
        await running.visitor().post("/passwords/forgotten", {"email": home.admin.email})
        await make_items_low(home, "Rice")
        await wait_until_nothing_is_due(running.db)
    assert subjects(office) == {
        "Is this your address?": 2,
        "ada has invited you to Lovelace": 1,
        "Your password was changed": 1,
        "Reset your Homeshelf password": 1,
        "Rice is running low": 1,
    }
    assert moment.at == datetime.fromisoformat("2024-11-01T12:00:00Z")


async def test_invitations_and_sign_ups_leave_room_for_household_mail(
    database: Database, office: PostOffice, moment: Moment
) -> None:
    async with app_with_small_limit(database, office) as running:
        eve = await new_home(running, "Eve's", "eve")
        for number in range(5):
            await eve.invite(f"person{number}@home.local")
        await people_with_requested_links(running, *(f"stranger{number}" for number in range(5)))
        await wait_until_nothing_is_due(running.db)
        assert len(office.mails) == 3
        await make_items_low(await new_home(running, "Lovelace", "ada"), "Rice", "Tea")
        await wait_until_nothing_is_due(running.db)
    assert subjects(office)["Rice is running low"] + subjects(office)["Tea is running low"] == 1
    assert moment.at == datetime.fromisoformat("2024-11-01T12:00:00Z")


async def test_resets_and_security_mail_have_their_own_limits(
    database: Database, office: PostOffice, moment: Moment
) -> None:
    async with app_with_small_limit(database, office) as running:
        home = await new_home(running, "Lovelace", "ada")
        await make_items_low(home, *(f"Rice {number}" for number in range(6)))
        people = [await running.person(f"person{number}", verified=True) for number in range(4)]
        for person in people:
            await running.visitor().post("/passwords/forgotten", {"email": person.email})
            await wait_until_nothing_is_due(running.db)
        for person in people:
            changed = {"password": "another one", "currentPassword": PASSWORD}
            assert (await person.patch("/me", changed)).status_code == 200
        await wait_until_nothing_is_due(running.db)
    found = subjects(office)
    assert found["Reset your Homeshelf password"] == 2
    assert found["Your password was changed"] == 2
    assert found.total() == 8, "all that the house may send"
    assert moment.at == datetime.fromisoformat("2024-11-01T12:00:00Z")


async def test_password_reset_is_sent_three_times_an_hour_with_the_last_link(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    for number in range(6):
        await running.visitor().post("/passwords/forgotten", {"email": ada.email})
        await wait_until_nothing_is_due(running.db)
        assert len(office.mails) == min(number + 1, 3)
        moment.pass_by(60)
    moment.move("2024-11-01T13:00:00.000Z")
    await wait_until_nothing_is_due(running.db)
    moment.pass_by(3 * HOUR)
    await wait_until_nothing_is_due(running.db)
    assert await outbox(running.db) == []
    assert len(office.mails) == 4, "one is enough for all that were asked for before it"
    moment.move("2024-11-01T13:59:59.000Z")
    new = {"token": office.mails[3].link.removeprefix(f"{HOME}/reset/"), "password": "a new one"}
    assert (await running.visitor().post("/passwords/reset", new)).status_code == 204


async def test_address_gets_ten_mails_an_hour_with_five_invitations(
    database: Database, moment: Moment
) -> None:
    allowance = MailAllowance(database, SETTINGS)
    about = [{"by": f"eve{number}", "familyId": "f"} for number in range(8)]
    sent = [await take(allowance, "invitation", "Ada@home.local", **each) for each in about]
    assert sent == [True] * 5 + [False] * 3
    sent = [await take(allowance, kind, "ada@HOME.local") for kind in ("news", "daily") * 4]
    assert sent == [True] * 5 + [False] * 3
    assert not await take(allowance, "verify", "ada@home.local")
    assert await take(allowance, "reset", "ada@home.local")
    assert await take(allowance, "password_changed", "ada@home.local")
    assert await take(allowance, "news", "bob@home.local")
    moment.pass_by(HOUR - 1)
    assert not await take(allowance, "news", "ada@home.local")
    moment.pass_by(1)
    assert await take(allowance, "news", "ada@home.local")


async def test_person_sends_twenty_invitations_an_hour(database: Database, moment: Moment) -> None:
    allowance = MailAllowance(database, SETTINGS)
    to = [f"person{number}@home.local" for number in range(25)]
    sent = [await take(allowance, "invitation", each, by="eve", familyId="f") for each in to]
    assert sum(sent) == 20
    assert await take(allowance, "invitation", "x@home.local", by="ada", familyId="f")
    assert moment.at == datetime.fromisoformat("2024-11-01T12:00:00Z")


def test_house_sends_two_hundred_mails_an_hour() -> None:
    shares = {
        (count.about, kind): count.rate
        for kind in ("reset", "password_changed", "verify", "invitation", "news", "daily", "new")
        for count in counts_for(SETTINGS, letter(kind, familyId="f", by="eve"), "a@b")
        if count.kind == "mail"
    }
    fifty, rest, strangers = Rate(50, HOUR), Rate(100, HOUR), Rate(75, HOUR)
    assert shares == {
        ("resets", "reset"): fifty,
        ("security", "password_changed"): fifty,
        ("verifications", "verify"): fifty,
        ("invitations", "invitation"): fifty,
        **{("by strangers", kind): strangers for kind in ("verify", "invitation")},
        **{("the rest", kind): rest for kind in ("verify", "invitation", "news", "daily", "new")},
    }


@pytest.mark.parametrize("times", [4, 5, 7, 8, 200, 2000])
def test_shares_add_up_to_the_limit_of_the_house(times: int) -> None:
    settings = replace(SETTINGS, limit_mail=Rate(times, 60))
    widest = [
        counts_for(settings, letter(kind), "a@b")[-1].rate.times
        for kind in ("reset", "password_changed", "news")
    ]
    assert sum(widest) == times
    assert min(widest) >= 1


async def test_waiting_letters_are_sent_one_after_the_other(
    database: Database, moment: Moment
) -> None:
    allowance = MailAllowance(database, replace(SETTINGS, limit_mail=EIGHT_AN_HOUR))
    due = []
    for number in range(12):
        try:
            async with allowance.reserve(letter("news"), f"{number}@home.local"):
                pass
        except LimitReached as full:
            due.append((full.until - moment.at).total_seconds())
    assert due == [3600, 4500, 5400, 6300, 7200, 8100, 9000, 9900]
    for number in range(16):
        await take(allowance, "news", f"{number}@home.local")
    with pytest.raises(LimitReached) as last:
        async with allowance.reserve(letter("news"), "last@home.local"):
            pass
    assert (last.value.until - moment.at).total_seconds() == 6 * HOUR, "by then it is looked at"


async def test_clock_change_does_not_delay_waiting_mail(database: Database, moment: Moment) -> None:
    allowance = MailAllowance(database, replace(SETTINGS, limit_mail=EIGHT_AN_HOUR))

    async def wait_for_room() -> float:
        for number in range(4):
            await take(allowance, "news", f"{number}@home.local")
        with pytest.raises(LimitReached) as full:
            async with allowance.reserve(letter("news"), "last@home.local"):
                pass
        return (full.value.until - moment.at).total_seconds()

    assert await wait_for_room() == HOUR
    moment.pass_by(-HOUR)
    assert await wait_for_room() == HOUR


async def test_only_requested_letters_are_superseded(database: Database, moment: Moment) -> None:
    allowance = MailAllowance(database, replace(SETTINGS, limit_letters=Rate(1, HOUR)))
    early: dict[str, Letter] = {kind: letter(kind) for kind in ("verify", "news")}
    moment.pass_by(5)
    for kind, wait in (("verify", Superseded), ("news", LimitReached)):
        to = f"{kind}@home.local"
        assert await take(allowance, kind, to)
        with pytest.raises(wait):
            async with allowance.reserve(early[kind], to):
                pass
        moment.pass_by(5)
        with pytest.raises(LimitReached):
            async with allowance.reserve(letter(kind), to):
                pass


async def test_waiting_letter_is_superseded_even_below_the_limit(
    database: Database, moment: Moment
) -> None:
    allowance = MailAllowance(database, SETTINGS)
    waiting = letter("reset").postponed_until(moment.at + timedelta(hours=1))
    at_once = letter("reset")
    moment.pass_by(5)
    assert await take(allowance, "reset", "ada@home.local")
    with pytest.raises(Superseded):
        async with allowance.reserve(waiting, "ada@home.local"):
            pass
    async with allowance.reserve(at_once, "ada@home.local"):
        pass


async def test_invitation_link_is_valid_for_a_week_after_its_mail(
    home: Home, closed_mail_server: PostOffice, moment: Moment
) -> None:
    db = home.running.db
    async with send_without_success(moment):
        invitation = await home.invite("grace@home.local")
    moment.pass_by(3 * DAY)
    await closed_mail_server.open_in_thread()
    await wait_for_empty_outbox(db, moment)
    mail = await closed_mail_server.mail()
    assert mail.link == invitation["link"]
    found = await families.get_invitation(db, home.family_id, invitation["invitationId"])
    assert found is not None
    assert "2024-11-11T12:00:00.000Z" <= found.expires_at < "2024-11-11T18:00:00.000Z"
    assert found.updated_at == invitation["updatedAt"]
    moment.move(found.expires_at)
    moment.pass_by(-1)
    again = {"email": "grace@home.local", "role": "suggester"}
    assert (await home.admin.post("/invitations", again)).status_code == 409, "still claimed"
    grace = await home.running.person("grace")
    answer = await grace.post("/invitations/accept", {"token": token_in(invitation)})
    assert answer.status_code == 200


async def test_counters_contain_no_address(running: RunningApp, office: PostOffice) -> None:
    (ada,) = await people_with_requested_links(running, "ada")
    await office.mail()
    await wait_until_nothing_is_due(running.db)
    for count in counts_for(SETTINGS, letter("verify"), ada.email):
        found = await running.db.get(count.key)
        assert found is not None
        assert len(found.times) == 1
        assert "ada" not in str(found.item())


async def make_items_low(home: Home, *names: str) -> None:
    for name in names:
        item = await add_item(home.admin, name=name, quantity=3, threshold=3)
        await adjust(home.admin, item, -1)
    await put_due_letters(home.running)
