"""The pages about children without an e-mail address."""

import re

import pytest

from homeshelf.families.children_pages import PICTURES
from homeshelf.table import Database
from homeshelf.web.drawings import qr_code
from tests.home import Home, Kid, add_kid, new_home, press, signed_in_device
from tests.pages import Page, led_to, look, read, see, send
from tests.running import Person, running_app

FORMS = ("", "/link", "/email", "/remove")


async def shown_link_token(home: Home, kid: Kid) -> str:
    """Return the token of the link on a child's page, or nothing."""
    page = await look(home.admin, kid.path())
    links = [each for each in page.values if "/sign-in-link/" in each]
    return links[0].rpartition("/")[2] if links else ""


def row_of(page: Page, kid: Kid) -> str:
    return page.text.partition(f'<li id="{kid.member_id}">')[2].partition("\n    </li>")[0]


async def test_child_pages_are_for_admins_only(home: Home, kid: Person, neighbour: Person) -> None:
    alva = await add_kid(home)
    device = await signed_in_device(home.running, alva.token)
    (session,) = (await device.get("/me/sessions")).json()["items"]
    forms = [*map(alva.path, FORMS), alva.path(f"/devices/{session['sessionId']}")]
    fields = {"name": "Mallory", "email": "mallory@home.local", "endOthers": "true", "version": 1}
    for who, status in ((neighbour, 404), (kid, 403), (device, 403)):
        await see(who, alva.path(), status)
        for path in forms:
            assert (await send(who, path, **fields)).status_code == status, path
    for who in (kid, device):
        await see(who, "/family/children/new", 403)
        assert (await send(who, "/family/children/new", name="Mallory")).status_code == 403
    assert (await device.get("/me")).json()["name"] == "Alva"
    assert "Mallory" not in await see(home.admin, "/family")


async def test_child_is_added_with_name_and_picture(home: Home) -> None:
    page = await look(home.admin, "/family/children/new")
    assert page.in_order("Picture", *PICTURES, "None")
    path = led_to(await page.send("/family/children/new", name="Alva", picture="🦊"))
    shown = await look(home.admin, path)
    assert shown.in_order(
        "🦊", "Alva", "It works for one hour, on one device.", "Create a new link"
    )
    (link,) = [each for each in shown.values if "/sign-in-link/" in each]
    assert qr_code(link, border=2) in shown.text
    device = await signed_in_device(home.running, link.rpartition("/")[2])
    assert (await device.get("/me")).json()["name"] == "Alva"
    member = (await home.admin.get(f"/members/{path.rpartition('/')[2]}")).json()
    assert (member["picture"], member["email"], member["role"]) == ("🦊", None, "suggester")


async def test_page_names_link_lifetime_from_settings(database: Database) -> None:
    async with running_app(database, sign_in_link_minutes=5) as running:
        home = await new_home(running, "Lovelace", "ada")
        page = await look(home.admin, (await add_kid(home)).path())
    assert "It works for 5 minutes, on one device." in page.words


@pytest.mark.parametrize(
    ("fields", "picture"), [({}, None), ({"picture": "🐼"}, "🐼"), ({"other": "🦖"}, "🦖")]
)
async def test_picture_can_be_chosen_typed_or_omitted(
    home: Home, fields: dict[str, str], picture: str | None
) -> None:
    page = await look(home.admin, "/family/children/new")
    path = led_to(await page.send("/family/children/new", name="Alva", **fields))
    member = (await home.admin.get(f"/members/{path.rpartition('/')[2]}")).json()
    assert member.get("picture") == picture
    again = (await look(home.admin, path)).form(path).fields
    assert (again["picture"] or again["other"] or None) == picture


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": " "}, "Enter a name of up to 100 characters."),
        ({"name": "Alva", "other": "fox"}, "Choose one emoji."),
    ],
)
async def test_invalid_child_form_shows_errors_and_adds_no_child(
    home: Home, fields: dict[str, str], why: str
) -> None:
    page = await look(home.admin, "/family/children/new")
    refused = read(home.admin, await page.send("/family/children/new", **fields), 400)
    assert why in refused.words
    assert refused.form("/family/children/new").fields["name"] == fields["name"]
    assert len((await home.admin.get("/members")).json()["items"]) == 1


async def test_link_is_shown_until_used(home: Home) -> None:
    kid = await add_kid(home)
    assert await shown_link_token(home, kid) == await shown_link_token(home, kid) == kid.token
    await signed_in_device(home.running, kid.token)
    page = await look(home.admin, kid.path())
    assert "The last link has been used or is too old." in page.words
    assert await shown_link_token(home, kid) == ""


async def test_page_replaces_link_and_optionally_signs_out_devices(home: Home) -> None:
    kid = await add_kid(home)
    first = await signed_in_device(home.running, kid.token)
    page = await look(home.admin, kid.path())
    assert "Sign out the other devices" in page.words
    unused = led_to(await page.send(kid.path("/link")))
    assert unused == kid.path("?said=new-link")
    assert "Here’s a new link." in (await look(home.admin, unused)).words
    replaced = await shown_link_token(home, kid)
    await page.send(kid.path("/link"))
    assert (await press(home.running.visitor(), replaced)).status_code == 404
    second = await signed_in_device(home.running, await shown_link_token(home, kid))
    assert (await first.get("/me")).status_code == 200
    told = led_to(await send(home.admin, kid.path("/link"), endOthers="true"))
    assert "The other devices are signed out." in (await look(home.admin, told)).words
    for device in (first, second):
        assert (await device.get("/me")).status_code == 401


async def test_family_page_lists_and_signs_out_child_devices(home: Home) -> None:
    kid = await add_kid(home)
    page = await look(home.admin, "/family")
    assert "Set up a device" in row_of(page, kid)
    assert kid.path() in page.links
    tablet = await signed_in_device(home.running, kid.token)
    row = row_of(await look(home.admin, "/family"), kid)
    assert "1 device<" in row
    assert "Signed in just now<" in row
    assert "Last used just now<" in row
    (session,) = (await tablet.get("/me/sessions")).json()["items"]
    path = kid.path(f"/devices/{session['sessionId']}")
    page = await look(home.admin, "/family")
    assert led_to(await page.send(path)) == "/family?said=signed-out"
    assert "Device signed out." in (await look(home.admin, "/family?said=signed-out")).words
    assert (await tablet.get("/me")).status_code == 401
    assert (await send(home.admin, path)).status_code == 404


async def test_devices_of_adults_are_neither_listed_nor_signed_out(home: Home, kid: Person) -> None:
    assert "device<" not in (await look(home.admin, "/family")).text
    for who in (kid, home.admin):
        path = f"/family/children/{who.member_id}"
        await see(home.admin, path, 404)
        gone = await send(home.admin, f"{path}/devices/{who.session_id}")
        assert gone.status_code == 404
        assert (await send(home.admin, f"{path}/remove")).status_code == 404
        assert (await who.get("/family")).status_code == 200


async def test_page_cannot_make_child_an_admin(home: Home) -> None:
    kid = await add_kid(home)
    page = await look(home.admin, "/family")
    assert "role" not in page.form(f"/family/members/{kid.member_id}").fields
    assert "Make Alva" not in page.words


async def test_child_form_changes_name_and_picture(home: Home) -> None:
    kid = await add_kid(home)
    page = await look(home.admin, kid.path())
    assert page.form(kid.path()).fields["picture"] == "🦊"
    told = led_to(await page.send(kid.path(), name="Alva May", picture="", other="🦖"))
    assert "Saved." in (await look(home.admin, told)).words
    member = (await home.admin.get(f"/members/{kid.member_id}")).json()
    assert (member["name"], member["picture"]) == ("Alva May", "🦖")
    assert "🦖" in row_of(await look(home.admin, "/family"), kid)
    refused = read(home.admin, await page.send(kid.path(), name=""), 400)
    assert "Enter a name of up to 100 characters." in refused.words
    stale = read(home.admin, await refused.send(kid.path(), name="Other", other="🦕"), 400)
    assert stale.in_order("Alva May", "Someone else changed this. Check it, then save.")
    typed = stale.form(kid.path()).fields
    assert (typed["name"], typed["other"]) == ("Other", "🦕")
    assert led_to(await stale.send(kid.path())) == kid.path("?said=saved")
    member = (await home.admin.get(f"/members/{kid.member_id}")).json()
    assert (member["name"], member["picture"]) == ("Other", "🦕")
    cleared = await (await look(home.admin, kid.path())).send(kid.path(), other="")
    assert led_to(cleared) == kid.path("?said=saved")
    assert not (await home.admin.get(f"/members/{kid.member_id}")).json().get("picture")


async def test_removed_child_can_be_brought_back_by_link(
    home: Home,
) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(home.admin, "/family")
    told = led_to(await page.send(kid.path("/remove")))
    assert (await device.get("/me")).status_code == 401
    after = await look(home.admin, told)
    assert after.in_order("Removed, and signed out everywhere.", "Bring Alva back", "People")
    later = await look(home.admin, "/family")
    assert later.in_order("People", "No longer here", "Alva", "Bring Alva back")
    back = await look(home.admin, led_to(await later.send(kid.path("/link"))))
    assert "This brings Alva back into the family." in back.words
    assert not back.has_form(kid.path("/email"))
    (link,) = [each for each in back.values if "/sign-in-link/" in each]
    device = await signed_in_device(home.running, link.rpartition("/")[2])
    assert (await device.get("/me")).json()["memberId"] == kid.member_id
    assert "No longer here" not in (await look(home.admin, "/family")).words


async def test_adult_cannot_be_brought_back_by_link(home: Home, kid: Person, gone: Person) -> None:
    page = await look(home.admin, f"/family?child={gone.member_id}")
    assert "Bring" not in page.words
    alva = await add_kid(home)
    await (await look(home.admin, "/family")).send(alva.path("/remove"))
    theirs = await look(kid, f"/family?said=child-removed&child={alva.member_id}")
    assert "Alva" not in theirs.words


async def test_child_gets_address_and_password_as_same_member(home: Home) -> None:
    kid = await add_kid(home)
    device = await signed_in_device(home.running, kid.token)
    page = await look(home.admin, kid.path())
    led_to(await page.send(kid.path("/email"), email="alva@home.local"))
    told = await look(home.admin, kid.path())
    assert told.in_order(
        "chooses a password. From then on, they sign in with alva@home.local", "Use another address"
    )
    (link,) = [each for each in told.values if "/reset/" in each]
    path = re.sub("^http://[^/]+", "", link)
    choosing = await look(home.running.visitor(), path)
    assert led_to(await choosing.send(path, password="four words of hers")) == "/sign-in"
    assert (await device.get("/me")).status_code == 401
    await see(home.admin, kid.path(), 404)
    row = row_of(await look(home.admin, "/family"), kid)
    assert "device" not in row
    assert "Make Alva an adult" in row
    known = {"email": "alva@home.local", "password": "four words of hers"}
    grown = home.running.visitor()
    grown.bear((await grown.post("/tokens", known)).json()["accessToken"])
    assert (await grown.get("/me")).json()["memberId"] == kid.member_id


async def test_used_address_shows_error(home: Home) -> None:
    kid = await add_kid(home)
    page = await look(home.admin, kid.path())
    for email, why in (
        (home.admin.email, "There’s already an account with this e-mail."),
        ("nobody", "Enter an e-mail address, like name@example.com"),
    ):
        refused = read(home.admin, await page.send(kid.path("/email"), email=email), 400)
        assert refused.form(kid.path("/email")).fields["email"] == email
        assert why in refused.words
    assert (await home.admin.get("/me")).json()["email"] == home.admin.email
