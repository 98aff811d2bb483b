"""Inviting and joining by pages."""

import pytest

from homeshelf.families.model import Family
from tests.home import NOBODYS, Home, token_in
from tests.moment import DAY, Moment
from tests.pages import Page, led_to, look, read, send, sent_from_elsewhere
from tests.running import Person, RunningApp


async def invite_by_form(home: Home, email: str, role: str) -> str:
    """Invite by the form; return the path of the next page."""
    page = await look(home.admin, "/family/invite")
    return led_to(await page.send("/family/invite", email=email, role=role))


def link_on(page: Page) -> str:
    """Return the path of the shown link."""
    (link,) = [
        word.removeprefix("http://home.test")
        for word in page.values
        if word.startswith("http://home.test/join/")
    ]
    return link


async def test_invitation_page_shows_link(home: Home) -> None:
    page = await look(home.admin, await invite_by_form(home, "uncle@home.local", "admin"))
    assert "An invitation for uncle@home.local" in page.words
    (kept,) = (await home.admin.get("/invitations")).json()["items"]
    assert (kept["email"], kept["role"]) == ("uncle@home.local", "admin")
    uncle = await home.running.person("uncle")
    assert "ada has invited you to Lovelace" in (await look(uncle, link_on(page))).words


@pytest.mark.parametrize("email", ["", "nobody", "a@b" + "c" * 252])
async def test_invalid_address_is_refused_and_kept_in_field(home: Home, email: str) -> None:
    page = await look(home.admin, "/family/invite")
    answer = await page.send("/family/invite", email=email, role="suggester")
    form = read(home.admin, answer, 400).form("/family/invite")
    assert (form.fields["email"], form.fields["role"]) == (email, "suggester")
    assert (await home.admin.get("/invitations")).json()["items"] == []


async def test_role_error_uses_page_wording(home: Home) -> None:
    answer = await send(home.admin, "/family/invite", email="uncle@home.local", role="uncle")
    assert "Choose adult or child." in read(home.admin, answer, 400).words
    assert (await home.admin.get("/invitations")).json()["items"] == []


async def test_second_invitation_opens_the_pending_one(home: Home) -> None:
    first = await invite_by_form(home, "uncle@home.local", "suggester")
    assert await invite_by_form(home, "Uncle@Home.Local", "suggester") == first


async def test_second_invitation_with_other_role_is_refused(home: Home) -> None:
    await invite_by_form(home, "uncle@home.local", "suggester")
    page = await look(home.admin, "/family/invite")
    answer = await page.send("/family/invite", email="uncle@home.local", role="admin")
    assert "already been invited" in read(home.admin, answer, 400).words
    (kept,) = (await home.admin.get("/invitations")).json()["items"]
    assert kept["role"] == "suggester"


async def test_member_address_cannot_be_invited(home: Home, kid: Person) -> None:
    page = await look(home.admin, "/family/invite")
    answer = await page.send("/family/invite", email=kid.email, role="suggester")
    assert "already in the family" in read(home.admin, answer, 400).words


async def test_resending_voids_the_former_link(home: Home) -> None:
    path = await invite_by_form(home, "uncle@home.local", "admin")
    page = await look(home.admin, path)
    assert led_to(await page.send(f"{path}/resend")) == path
    uncle = await home.running.person("uncle")
    await look(uncle, link_on(page), 404)
    await look(uncle, link_on(await look(home.admin, path)))


async def test_revoked_invitation_link_returns_404(home: Home) -> None:
    path = await invite_by_form(home, "uncle@home.local", "admin")
    page = await look(home.admin, path)
    assert led_to(await page.send(f"{path}/revoke")) == "/family?said=taken-back"
    assert "Invitation cancelled" in (await look(home.admin, "/family?said=taken-back")).words
    await look(await home.running.person("uncle"), link_on(page), 404)
    page = await look(home.admin, path)
    assert page.in_order("Invitation cancelled. The link no longer works.", "Done")
    assert not page.has_form(f"{path}/resend")
    assert (await send(home.admin, f"{path}/resend")).status_code == 404


async def test_expired_invitation_can_be_resent(home: Home, moment: Moment) -> None:
    path = await invite_by_form(home, "uncle@home.local", "admin")
    uncle = await home.running.person("uncle")
    fresh = link_on(await look(home.admin, path))
    moment.pass_by(7 * DAY)
    _sign_in(home.running, home.admin)
    old = await look(home.admin, path)
    assert "over a week old" in old.words
    assert "scan" not in old.words
    _sign_in(home.running, uncle)
    await look(uncle, fresh, 404)
    assert led_to(await old.send(f"{path}/resend")) == path
    await look(uncle, link_on(await look(home.admin, path)))


async def test_invitation_of_another_family_returns_404(home: Home, neighbour: Person) -> None:
    path = await invite_by_form(home, "uncle@home.local", "admin")
    await look(neighbour, path, 404)
    for more in ("/resend", "/revoke"):
        assert (await send(neighbour, f"{path}{more}")).status_code == 404
    await look(home.admin, path)
    await look(home.admin, f"/family/invitations/{NOBODYS}", 404)


async def test_invitation_page_shows_status(home: Home, running: RunningApp) -> None:
    ends = {"accept": "They’ve joined.", "decline": "They said no."}
    for name, words in ends.items():
        guest = await running.person(name)
        made = await home.invite(guest.email)
        await guest.post(f"/invitations/{name}", {"token": token_in(made)})
        page = await look(home.admin, f"/family/invitations/{made['invitationId']}")
        assert page.in_order(guest.email, words, "Done")
        assert "Create a new link" not in page.words
        assert made["link"] not in page.text


async def test_suggester_cannot_invite(home: Home, kid: Person) -> None:
    await look(kid, "/family/invite", 403)
    answer = await send(kid, "/family/invite", email="friend@home.local", role="suggester")
    assert answer.status_code == 403
    assert (await home.admin.get("/invitations")).json()["items"] == []


async def test_anonymous_visitor_returns_to_invitation_after_sign_in(home: Home) -> None:
    token = token_in(await home.invite("uncle@home.local"))
    page = await look(home.running.visitor(), f"/join/{token}")
    assert f"/sign-up?next=/join/{token}" in page.links
    assert f"/sign-in?next=/join/{token}" in page.links
    assert not page.has_form(f"/join/{token}/accept")


@pytest.mark.parametrize("role", ["admin", "suggester"])
async def test_accepting_invitation_joins_family(home: Home, role: str) -> None:
    token = token_in(await home.invite("uncle@home.local", role))
    uncle = await home.running.person("uncle")
    page = await look(uncle, f"/join/{token}")
    assert "You’re signed in as uncle." in page.words
    assert ("run the household together" in page.words) == (role == "admin")
    assert (await home.admin.get("/members")).json()["items"][1:] == []
    answer = await page.send(f"/join/{token}/accept")
    assert led_to(answer) == "/"
    assert (await home.member(uncle))["role"] == role
    phone = home.running.visitor()
    phone.client.cookies.update(dict(answer.cookies))
    assert "uncle (you)" in (await look(phone, "/family")).words


async def test_member_who_accepts_an_invitation_keeps_the_role(home: Home, kid: Person) -> None:
    token = token_in(await home.invite("uncle@home.local", "admin"))
    page = await look(kid, f"/join/{token}")
    assert led_to(await page.send(f"/join/{token}/accept")) == "/"
    assert (await home.member(kid))["role"] == "suggester"


async def test_declining_does_not_join_family(home: Home, neighbour: Person) -> None:
    for person, then in (
        (await home.running.person("uncle"), "/families/new"),
        (neighbour, "/families"),
    ):
        token = token_in(await home.invite(f"{person.name}@elsewhere.local"))
        page = await look(person, f"/join/{token}")
        assert led_to(await page.send(f"/join/{token}/decline")) == then
        await look(person, f"/join/{token}", 404)
        assert (await send(person, f"/join/{token}/accept")).status_code == 404
    assert len((await home.admin.get("/members")).json()["items"]) == 1


async def test_malformed_invitation_links_return_404(home: Home) -> None:
    uncle = await home.running.person("uncle")
    token = token_in(await home.invite("uncle@home.local"))
    wrong = ("nothing", token[:-1], token[:-1] + ("a" if token[-1] != "a" else "b"))
    for each in wrong:
        await look(uncle, f"/join/{each}", 404)
        for answer in ("accept", "decline"):
            assert (await send(uncle, f"/join/{each}/{answer}")).status_code == 404
    for answer in ("accept", "decline"):
        assert await sent_from_elsewhere(uncle, f"/join/{token}/{answer}") == 403
    await look(uncle, f"/join/{token}")


async def test_invitation_of_deleted_family_returns_404(home: Home) -> None:
    uncle = await home.running.person("uncle", verified=True)
    made = await home.invite(uncle.email, "suggester")
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    await home.running.db.transact(family.delete())
    await look(uncle, f"/join/{token_in(made)}", 404)
    assert (await send(uncle, f"/join/{token_in(made)}/accept")).status_code == 404
    asked = await uncle.post("/invitations/accept", {"token": token_in(made)})
    assert asked.status_code == 404
    asked = await uncle.post("/invitations/accept", {"invitationId": made["invitationId"]})
    assert asked.status_code == 404
    assert (await uncle.get("/invitations/mine")).json()["items"] == []
    for path in ("/families", "/families/new"):
        assert "has invited you" not in (await look(uncle, path)).words
    assert (await uncle.get("/me")).json()["families"] == []


def _sign_in(running: RunningApp, person: Person) -> None:
    """Renew the token, which expires after some minutes."""
    person.bear(running.access_token(person.member_id, person.session_id))
