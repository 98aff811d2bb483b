"""What a child's link opens, and what it does not."""

import re

from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import web_token
from tests.home import NOBODYS, Home, Kid, add_kid, press, signed_in_device
from tests.moment import Moment
from tests.pages import OURS, led_to, look, see, send
from tests.running import Person, Visitor

HOUR = 3600


async def browser_of(home: Home, person: Person) -> Visitor:
    """A browser in which somebody is signed in."""
    session = await home.running.db.get(
        Session.key(member_id=person.member_id, session_id=person.session_id)
    )
    assert session is not None
    browser = home.running.visitor()
    browser.client.cookies.set("homeshelf", web_token(home.running.signer, session, None))
    return browser


def page_of(kid: Kid) -> str:
    return f"/sign-in-link/{kid.token}"


async def test_whatever_is_wrong_with_a_link_the_same_is_said(home: Home, moment: Moment) -> None:
    """Used, replaced, too old, of a child that was removed, or of nobody at all."""
    moment.move("2024-12-01T12:00:00Z")
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    used, replaced, removed = [await add_kid(home, name) for name in ("Alva", "Noah", "Emma")]
    await signed_in_device(home.running, used.token)
    await send(home.admin, replaced.path("/link"))
    await send(home.admin, removed.path("/remove"))
    old = await add_kid(home, "Olle")
    moment.pass_by(HOUR)
    tokens = [each.token for each in (used, replaced, removed, old)]
    tokens += [old.token[:-1], old.token[::-1], NOBODYS, "x"]
    answers = []
    for token in tokens:
        visitor = home.running.visitor()
        opened = await visitor.client.get(f"/sign-in-link/{token}", headers=OURS)
        pressed = await press(visitor, token)
        for answer in (opened, pressed):
            assert "set-cookie" not in answer.headers
            answers.append((answer.status_code, _same(answer.text)))
    assert len({*answers}) == 1
    status, text = answers[0]
    assert status == 404
    assert "Ask a parent for a new one." in text
    for name in ("Alva", "Noah", "Emma", "Olle", "Lovelace"):
        assert name not in text


async def test_a_link_is_good_for_the_hour(home: Home, moment: Moment) -> None:
    moment.move("2024-12-01T12:00:00Z")
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    kid = await add_kid(home)
    moment.pass_by(HOUR - 1)
    await see(home.running.visitor(), page_of(kid))
    await signed_in_device(home.running, kid.token)


async def test_opening_a_link_does_nothing_and_pressing_the_button_signs_in(home: Home) -> None:
    kid, device = await add_kid(home), home.running.visitor()
    await look(device, page_of(kid))  # as scanners and previews do
    page = await look(device, page_of(kid))
    assert page.in_order("🦊", "Hello Alva", "Lovelace", "I'm Alva")
    assert not device.client.cookies
    assert led_to(await page.send(page_of(kid))) == "/"
    assert "Hello Alva" in await see(device, "/")
    assert (await device.get("/me")).json()["families"] == [
        {"familyId": home.family_id, "name": "Lovelace", "role": "suggester"}
    ]
    await see(home.running.visitor(), page_of(kid), 404)


async def test_the_link_is_kept_nowhere_and_sent_nowhere(home: Home) -> None:
    kid = await add_kid(home)
    for token in (kid.token, "x"):
        answer = await home.running.visitor().client.get(f"/sign-in-link/{token}", headers=OURS)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "strict-origin"


async def test_who_is_signed_in_already_is_named_and_signed_out(home: Home) -> None:
    kid, browser = await add_kid(home), await browser_of(home, home.admin)
    page = await look(browser, page_of(kid))
    assert "ada is signed in here. If you go on, ada is signed out on this device." in page.words
    assert (await home.admin.get("/me")).status_code == 200
    await page.send(page_of(kid))
    assert (await browser.get("/me")).json()["memberId"] == kid.member_id
    assert (await home.admin.get("/me")).status_code == 401


async def test_a_link_that_is_over_signs_nobody_out(home: Home) -> None:
    kid, browser = await add_kid(home), await browser_of(home, home.admin)
    await signed_in_device(home.running, kid.token)
    assert (await press(browser, kid.token)).status_code == 404
    assert (await browser.get("/me")).json()["memberId"] == home.admin.member_id


async def test_a_child_who_is_signed_in_needs_no_other_link(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    answer = await home.admin.post(f"/members/{kid.member_id}/sign-in-link", {})
    path = f"/sign-in-link/{answer.json()['link'].rpartition('/')[2]}"
    page = await look(device, path)
    assert "You are signed in here already." in page.words
    assert not page.has_form(path)


async def test_a_childs_settings_have_nothing_that_is_not_for_children(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(device, "/settings")
    for words in ("Password", "Mail", "You sign in as", "Delete my account", "Another family"):
        assert words not in page.words
    for form in ("/settings/password", "/settings/leave", "/settings/verification"):
        assert not page.has_form(form)
    assert "/families" not in page.links
    grown = await look(home.admin, "/settings")
    for words in ("Password", "Mail", "You sign in as", "Delete my account", "Another family"):
        assert words in grown.words


async def test_a_child_changes_its_looks_and_keeps_what_it_is_not_asked_about(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(device, "/settings")
    saved = await page.send("/settings/preferences", theme="dark", timeZone="Europe/Stockholm")
    assert led_to(saved) == "/settings?saved=preferences"
    assert (await device.get("/me/preferences")).json() == {
        "theme": "dark",
        "timeZone": "Europe/Stockholm",
        "mail": "now",
        "language": "auto",
    }


async def test_a_child_neither_leaves_nor_founds_a_family(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(device, "/family")
    assert "Leave the family" not in page.words
    leaving = f"/family/members/{kid.member_id}/remove"
    await see(device, leaving, 403)
    await see(device, "/families/new", 403)
    assert "Another home" not in await see(device, "/families")
    for path, fields in (
        (leaving, {}),
        ("/families/new", {"name": "Mine"}),
        ("/settings/leave", {"confirm": "Alva"}),
    ):
        assert (await send(device, path, **fields)).status_code == 403, path
    assert (await device.get("/me")).status_code == 200


async def test_the_childs_picture_leads_to_its_menu(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    top = (await see(device, "/")).partition("<header")[2].partition("</summary>")[0]
    assert "🦊" in top
    assert (
        "🦊" not in (await see(home.admin, "/")).partition("<header")[2].partition("</header>")[0]
    )


def _same(page: str) -> str:
    """Without the path that was asked for."""
    return re.sub(r"/sign-in-link/[^\"]*", "", page)
