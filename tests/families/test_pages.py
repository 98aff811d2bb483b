"""The pages of families, and what they refuse."""

import httpx
import pytest

from homeshelf.families.model import Member
from tests.home import NOBODYS, Home, new_home
from tests.pages import led_to, look, read, send, sent_from_elsewhere
from tests.running import Person, RunningApp

LAST_ADMIN = "/family?said=last-admin"


def path_of(person: Person, more: str = "") -> str:
    return f"/family/members/{person.member_id}{more}"


async def test_members_are_listed_by_joining_date(home: Home) -> None:
    zoe = await home.with_member("zoe", "suggester")
    bob = await home.with_member("bob", "admin")
    page = await look(home.admin, "/family")
    assert page.in_order("Lovelace", "ada (you)", "zoe", "bob")
    assert "zoe (you)" not in page.words
    people = sorted((home.admin, zoe, bob), key=lambda each: each.member_id, reverse=True)
    for place, person in enumerate(people):  # the order differs from that of the ids
        key = Member.key(family_id=home.family_id, member_id=person.member_id)
        at = f"2024-11-01T12:00:0{place}.000Z"
        found = await home.running.db.get(key)
        assert found is not None
        await home.running.db.put(found.changed(created_at=at))
    assert (await look(home.admin, "/family")).in_order("Lovelace", *(it.name for it in people))


async def test_removed_member_is_not_listed(home: Home, gone: Person) -> None:
    assert gone.name not in (await look(home.admin, "/family")).words


async def test_only_admins_see_pending_invitations(home: Home, kid: Person) -> None:
    admin = await home.invite("uncle@home.local", "admin")
    child = await home.invite("niece@home.local", "suggester")
    page = await look(home.admin, "/family")
    assert page.in_order("Invited", "uncle@home.local")
    assert page.in_order("Invited", "niece@home.local")
    for invitation in (admin, child):
        assert f"/family/invitations/{invitation['invitationId']}" in page.links
    theirs = await look(kid, "/family")
    assert "uncle@home.local" not in theirs.words
    assert not theirs.has_form("/family/name")
    assert not theirs.has_form(path_of(home.admin))


async def test_form_renames_family(home: Home) -> None:
    page = await look(home.admin, "/family")
    assert page.form("/family/name").fields["name"] == "Lovelace"
    assert led_to(await page.send("/family/name", name="Number 12")) == "/family?said=saved"
    assert "Saved." in (await look(home.admin, "/family?said=saved")).words
    assert (await look(home.admin, "/family")).form("/family/name").fields["name"] == "Number 12"


async def test_edit_conflict_must_be_confirmed_to_rename(home: Home) -> None:
    page = await look(home.admin, "/family")
    await page.send("/family/name", name="Number 12")
    wrong = read(home.admin, await page.send("/family/name", name=" "), 400)
    refused = read(home.admin, await wrong.send("/family/name", name="Other"), 400)
    assert "Someone else changed this. Check it, then save." in refused.words
    assert "Number 12" in refused.words
    assert refused.form("/family/name").fields["name"] == "Other"
    assert (await home.admin.get("/family")).json()["name"] == "Number 12"
    assert led_to(await refused.send("/family/name")) == "/family?said=saved"
    assert (await home.admin.get("/family")).json()["name"] == "Other"


@pytest.mark.parametrize("name", ["", " ", "n" * 101])
async def test_invalid_family_name_is_refused_and_kept_in_field(home: Home, name: str) -> None:
    page = await look(home.admin, "/family")
    refused = read(home.admin, await page.send("/family/name", name=name), 400)
    assert "up to 100 characters" in refused.words
    assert refused.form("/family/name").fields["name"] == name
    assert (await home.admin.get("/family")).json()["name"] == "Lovelace"


async def test_shown_form_changes_role(home: Home, kid: Person) -> None:
    page = await look(home.admin, "/family")
    assert led_to(await page.send(path_of(kid))) == "/family?said=saved"
    assert (await home.member(kid))["role"] == "admin"
    assert led_to(await page.send(path_of(kid))) == "/family?said=meanwhile"
    page = await look(home.admin, "/family")
    assert led_to(await page.send(path_of(kid))) == "/family?said=saved"
    assert (await home.member(kid))["role"] == "suggester"


async def test_unknown_role_changes_nothing(home: Home, kid: Person) -> None:
    before = await home.member(kid)
    answer = await send(home.admin, path_of(kid), role="king", version=before["version"])
    assert led_to(answer) == "/family"
    assert await home.member(kid) == before


async def test_form_cannot_demote_last_admin(home: Home, kid: Person) -> None:
    page = await look(home.admin, "/family")
    assert led_to(await page.send(path_of(home.admin))) == LAST_ADMIN
    assert led_to(await send(home.admin, path_of(home.admin, "/remove"))) == LAST_ADMIN
    assert "at least one adult" in (await look(home.admin, LAST_ADMIN)).words
    assert (await home.member(home.admin))["role"] == "admin"
    await home.with_member("bob", "admin")
    assert led_to(await page.send(path_of(home.admin))) == "/family?said=saved"
    assert (await home.member(home.admin))["role"] == "suggester"
    assert kid.name in (await look(home.admin, "/family")).words


async def test_form_removes_member(home: Home, kid: Person) -> None:
    answer = await send(home.admin, path_of(kid, "/remove"))
    assert led_to(answer) == "/family?said=removed"
    assert "You can invite them back." in (await look(home.admin, led_to(answer))).words
    assert (await home.member(kid))["status"] == "removed"


async def test_suggester_can_leave_but_not_remove_others(home: Home, kid: Person) -> None:
    bob = await home.with_member("bob", "suggester")
    for path in (path_of(bob, "/remove"), path_of(bob), "/family/name"):
        answer = await send(kid, path, role="admin", name="Mine", version=1)
        assert answer.status_code == 403
    assert (await home.member(bob))["status"] == "active"
    assert led_to(await send(kid, path_of(kid, "/remove"))) == "/families"
    assert (await home.member(kid))["status"] == "removed"
    assert "not in a family yet" in (await look(kid, "/families")).words


async def test_member_of_another_family_cannot_be_changed(home: Home, neighbour: Person) -> None:
    for member_id in (neighbour.member_id, NOBODYS):
        for more in ("", "/remove"):
            path = f"/family/members/{member_id}{more}"
            answer = await send(home.admin, path, role="suggester", version=1)
            assert answer.status_code == 404
    assert (await neighbour.get("/family")).json()["name"] == "Babbage"


async def test_foreign_family_cannot_be_chosen(
    running: RunningApp, home: Home, neighbour: Person
) -> None:
    theirs = (await neighbour.get("/family")).json()["familyId"]
    for family_id in (theirs, NOBODYS):
        answer = await send(home.admin, f"/families/{family_id}/choose")
        assert answer.status_code == 404
        assert "set-cookie" not in answer.headers
    second = await home.admin.post("/families", {"name": "Cottage"})
    page = await look(home.admin, "/families")
    assert "Lovelace" in page.words
    assert "Cottage" in page.words
    assert "Babbage" not in page.words
    answer = await send(home.admin, f"/families/{second.json()['familyId']}/choose")
    assert led_to(answer) == "/"
    phone = running.visitor()
    phone.client.cookies.update(_cookies(answer))
    assert (await look(phone, "/family")).in_order("Cottage", "ada (you)")


async def test_families_page_marks_the_current_family(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    await other.let_in(home.admin, "suggester")
    chosen = await send(home.admin, f"/families/{home.family_id}/choose")
    phone = running.visitor()
    phone.client.cookies.update(_cookies(chosen))
    page = await look(phone, "/families")
    assert page.has_form(f"/families/{other.family_id}/choose")
    assert not page.has_form(f"/families/{home.family_id}/choose")
    assert "Lovelace You’re an adult here current" in page.words
    assert page.in_order("Babbage", "You’re a child here")


async def test_leaving_the_chosen_family_switches_to_the_other(
    running: RunningApp, home: Home
) -> None:
    other = await new_home(running, "Babbage", "charles")
    await other.let_in(home.admin, "suggester")
    phone = running.visitor()
    phone.client.cookies.update(
        _cookies(await send(home.admin, f"/families/{other.family_id}/choose"))
    )
    assert led_to(await send(phone, path_of(home.admin, "/remove"))) == "/families"
    assert (await look(phone, "/family")).in_order("Lovelace", "ada (you)")


async def test_form_creates_family(running: RunningApp) -> None:
    ada = await running.person("ada")
    page = await look(ada, "/families/new")
    refused = read(ada, await page.send("/families/new", name="n" * 101), 400)
    assert "up to 100 characters" in refused.words
    assert refused.form("/families/new").fields["name"] == "n" * 101
    answer = await page.send("/families/new", name="Villa")
    assert led_to(answer) == "/"
    phone = running.visitor()
    phone.client.cookies.update(_cookies(answer))
    assert (await look(phone, "/family")).in_order("Villa", "ada (you)")


async def test_cross_site_forms_are_refused(home: Home, kid: Person) -> None:
    for path in (
        "/families/new",
        f"/families/{home.family_id}/choose",
        "/family/name",
        path_of(kid),
        path_of(kid, "/remove"),
        "/family/invite",
        f"/family/invitations/{NOBODYS}/resend",
        f"/family/invitations/{NOBODYS}/revoke",
    ):
        assert await sent_from_elsewhere(home.admin, path) == 403


def _cookies(answer: httpx.Response) -> dict[str, str]:
    return dict(answer.cookies)
