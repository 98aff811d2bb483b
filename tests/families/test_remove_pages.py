"""The page that asks before a member is removed."""

from tests.home import NOBODYS, Home
from tests.pages import see, send
from tests.running import Person


def page_of(person: Person) -> str:
    return f"/family/members/{person.member_id}/remove"


async def test_remove_page_for_others_is_for_admins_only(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    stranger = await home.running.person("stranger")
    await stranger.post("/families", {"name": "Next door"})
    await see(kid, page_of(home.admin), 403)
    await see(stranger, page_of(kid), 404)
    await see(home.admin, page_of(stranger), 404)
    await see(home.admin, f"/family/members/{NOBODYS}/remove", 404)


async def test_remove_page_describes_loss_and_removes_no_member(home: Home) -> None:
    ben = await home.with_member("ben", "admin")
    for email in ("uncle@home.local", "aunt@home.local"):
        await ben.post("/invitations", {"email": email, "role": "suggester"})
    await home.invite("neighbour@home.local")
    assert f'href="{page_of(ben)}"' in await see(home.admin, "/family")
    asked = await see(home.admin, page_of(ben))
    assert "Remove ben from Lovelace?" in asked
    assert "ben will no longer see Lovelace on any device." in asked
    assert "2 invitations ben sent will be cancelled." in asked
    assert f'method="post" action="{page_of(ben)}"' in asked
    assert (await home.member(ben))["status"] == "active"
    answer = await send(home.admin, page_of(ben))
    assert (answer.status_code, answer.headers["location"]) == (303, "/family?said=removed")
    assert (await home.member(ben))["status"] == "removed"
    await see(home.admin, page_of(ben), 404)


async def test_remove_page_without_invitations_mentions_none(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    await home.invite("neighbour@home.local")
    assert "cancelled" not in await see(home.admin, page_of(kid))


async def test_leaving_asks_for_confirmation(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    asked = await see(kid, page_of(kid))
    assert "Leave Lovelace?" in asked
    assert "You’ll no longer see Lovelace on any device." in asked
    assert (await send(kid, page_of(kid))).headers["location"] == "/families"
    assert (await home.member(kid))["status"] == "removed"


async def test_remove_page_warns_last_admin(home: Home) -> None:
    await home.with_member("kid", "suggester")
    asked = await see(home.admin, page_of(home.admin))
    assert "You can’t leave yet" in asked
    assert "Make someone else an adult first." in asked
    assert "<form method" not in asked.partition("<main")[2].partition("</main>")[0]
    await home.with_member("ben", "admin")
    assert "Leave Lovelace?" in await see(home.admin, page_of(home.admin))
