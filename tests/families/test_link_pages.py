"""The page of a child's sign-in link."""

import re

from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import web_token
from tests.home import NOBODYS, Home, Kid, add_kid, press, signed_in_device
from tests.moment import Moment
from tests.pages import OURS, led_to, look, see, send
from tests.running import Person, Visitor

HOUR = 3600


async def signed_in_browser(home: Home, person: Person) -> Visitor:
    """Return a browser in which the person is signed in."""
    session = await home.running.db.get(
        Session.key(member_id=person.member_id, session_id=person.session_id)
    )
    assert session is not None
    browser = home.running.visitor()
    browser.client.cookies.set("homeshelf", web_token(home.running.signer, session, None))
    return browser


def link_path_of(kid: Kid) -> str:
    return f"/sign-in-link/{kid.token}"


async def test_every_void_link_shows_the_same_page(home: Home, moment: Moment) -> None:
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
            answers.append((answer.status_code, _without_path(answer.text)))
    assert len({*answers}) == 1
    status, text = answers[0]
    assert status == 404
    assert "Ask an adult for a new one." in text
    for name in ("Alva", "Noah", "Emma", "Olle", "Lovelace"):
        assert name not in text


async def test_link_page_works_within_an_hour(home: Home, moment: Moment) -> None:
    moment.move("2024-12-01T12:00:00Z")
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    kid = await add_kid(home)
    moment.pass_by(HOUR - 1)
    await see(home.running.visitor(), link_path_of(kid))
    await signed_in_device(home.running, kid.token)


async def test_opening_link_changes_nothing_and_button_signs_in(home: Home) -> None:
    kid, device = await add_kid(home), home.running.visitor()
    await look(device, link_path_of(kid))  # like a scanner or a preview
    page = await look(device, link_path_of(kid))
    assert page.in_order("🦊", "Hello Alva", "Lovelace", "I’m Alva")
    assert not device.client.cookies
    assert led_to(await page.send(link_path_of(kid))) == "/"
    assert "Hello Alva" in await see(device, "/")
    assert (await device.get("/me")).json()["families"] == [
        {"familyId": home.family_id, "name": "Lovelace", "role": "suggester"}
    ]
    await see(home.running.visitor(), link_path_of(kid), 404)


async def test_link_page_is_neither_cached_nor_sent_as_referrer(home: Home) -> None:
    kid = await add_kid(home)
    for token in (kid.token, "x"):
        answer = await home.running.visitor().client.get(f"/sign-in-link/{token}", headers=OURS)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "strict-origin"


async def test_link_page_names_and_replaces_the_current_session(home: Home) -> None:
    kid, browser = await add_kid(home), await signed_in_browser(home, home.admin)
    page = await look(browser, link_path_of(kid))
    assert (
        "ada is signed in here. If you continue, ada will be signed out on this device."
        in page.words
    )
    assert (await home.admin.get("/me")).status_code == 200
    await page.send(link_path_of(kid))
    assert (await browser.get("/me")).json()["memberId"] == kid.member_id
    assert (await home.admin.get("/me")).status_code == 401


async def test_void_link_keeps_the_current_session(home: Home) -> None:
    kid, browser = await add_kid(home), await signed_in_browser(home, home.admin)
    await signed_in_device(home.running, kid.token)
    assert (await press(browser, kid.token)).status_code == 404
    assert (await browser.get("/me")).json()["memberId"] == home.admin.member_id


async def test_link_page_hides_button_from_signed_in_child(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    answer = await home.admin.post(f"/members/{kid.member_id}/sign-in-link", {})
    path = f"/sign-in-link/{answer.json()['link'].rpartition('/')[2]}"
    page = await look(device, path)
    assert "You’re already signed in here." in page.words
    assert not page.has_form(path)


async def test_settings_page_of_child_hides_adult_forms(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(device, "/settings")
    for words in ("Password", "Mail", "You sign in as", "Delete my account", "Switch family"):
        assert words not in page.words
    for form in ("/settings/password", "/settings/leave", "/settings/verification"):
        assert not page.has_form(form)
    assert "/families" not in page.links
    grown = await look(home.admin, "/settings")
    for words in ("Password", "Mail", "You sign in as", "Delete my account", "Switch family"):
        assert words in grown.words


async def test_child_preferences_form_keeps_hidden_values(home: Home) -> None:
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


async def test_child_cannot_leave_or_create_family(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(device, "/family")
    assert "Leave family" not in page.words
    leaving = f"/family/members/{kid.member_id}/remove"
    await see(device, leaving, 403)
    await see(device, "/families/new", 403)
    assert "Add another home" not in await see(device, "/families")
    for path, fields in (
        (leaving, {}),
        ("/families/new", {"name": "Mine"}),
        ("/settings/leave", {"confirm": "Alva"}),
    ):
        assert (await send(device, path, **fields)).status_code == 403, path
    assert (await device.get("/me")).status_code == 200


async def test_picture_of_child_links_to_menu(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    top = (await see(device, "/")).partition("<header")[2].partition("</summary>")[0]
    assert "🦊" in top
    assert (
        "🦊" not in (await see(home.admin, "/")).partition("<header")[2].partition("</header>")[0]
    )


def _without_path(page: str) -> str:
    """Remove the requested path from the page."""
    return re.sub(r"/sign-in-link/[^\"]*", "", page)
