"""The texts on the pages of a family."""

import re

import pytest

from tests.home import Home, new_home, token_in
from tests.moment import Moment
from tests.pages import look, see
from tests.running import Person, RunningApp


def path_of(person: Person, more: str = "") -> str:
    return f"/family/members/{person.member_id}{more}"


def row_of(shown: str, id_: str) -> str:
    """Return the text of one row of a list."""
    row = shown.partition(f'<li id="{id_}">')[2].partition("</li>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


async def test_each_page_has_its_own_title(home: Home, kid: Person) -> None:
    made = await home.invite("eve@home.local")
    for who, path, title, heading in (
        (home.admin, "/family", "Lovelace", "Lovelace"),
        (home.admin, "/families", "Your families", "Your families"),
        (home.admin, "/family/invite", "Invite someone", "Invite someone"),
        (
            home.admin,
            f"/family/invitations/{made['invitationId']}",
            "Invitation",
            "An invitation for eve@home.local",
        ),
        (
            home.admin,
            path_of(kid, "/remove"),
            "Remove kid from Lovelace?",
            "Remove kid from Lovelace?",
        ),
        (kid, path_of(kid, "/remove"), "Leave Lovelace?", "Leave Lovelace?"),
    ):
        shown = await see(who, path)
        assert f"<title>{title} · Homeshelf</title>" in shown
        assert f"<h1>{heading}</h1>" in shown
    shown = await see(home.running.visitor(), f"/join/{token_in(made)}")
    assert "<title>Join · Lovelace</title>" in shown


async def test_member_row_shows_role_and_actions(home: Home, kid: Person) -> None:
    shown = await see(home.admin, "/family")
    ada, child = row_of(shown, home.admin.member_id), row_of(shown, kid.member_id)
    assert "ada (you) Adult: can do everything" in ada
    assert "Make ada a child" in ada
    assert "Leave family" in ada
    assert "kid Child: can look and ask" in child
    assert "Make kid an adult" in child
    assert "Remove from the family" in child
    for person in (home.admin, kid):
        assert f'aria-label="Edit {person.name}"' in shown
        assert f'href="{path_of(person, "/remove")}"' in shown
    theirs = await see(kid, "/family")
    assert row_of(theirs, home.admin.member_id) == "A ada Adult: can do everything"
    assert row_of(theirs, kid.member_id) == "K kid (you) Child: can look and ask Leave family"


async def test_invitation_row_shows_address_role_and_expiry(home: Home, moment: Moment) -> None:
    moment.move("2024-12-01T12:00:00Z")
    home.admin.bear(home.running.access_token(home.admin.member_id, home.admin.session_id))
    for role, words in (("admin", "as an adult"), ("suggester", "as a child")):
        made = await home.invite(f"{role}@home.local", role)
        row = row_of(await see(home.admin, "/family"), made["invitationId"])
        assert row == f"{role}@home.local {words}, until 8 December 2024"
        page = await look(home.admin, f"/family/invitations/{made['invitationId']}")
        assert "Valid until 8 December 2024, for one person." in page.words
        assert "we’ve sent" not in page.words


async def test_invitation_page_shows_qr_code_and_share_link(home: Home) -> None:
    made = await home.invite("eve@home.local")
    shown = await see(home.admin, f"/family/invitations/{made['invitationId']}")
    assert f' data-url="{made["link"]}"' in shown
    assert f'id="link" readonly value="{made["link"]}"' in shown
    assert '<svg viewBox="0 0 ' in shown
    assert 'class="qr"' in shown


@pytest.mark.parametrize(
    ("said", "words", "is_bad"),
    [
        ("last-admin", "A family needs at least one adult.", True),
        ("meanwhile", "Someone else changed this.", True),
        ("saved", "Saved.", False),
        ("removed", "Removed. You can invite them back.", False),
        ("taken-back", "Invitation cancelled. The link no longer works.", False),
        ("Call 555", "", False),
    ],
)
async def test_page_shows_only_known_confirmation_messages(
    home: Home, said: str, words: str, is_bad: bool
) -> None:
    shown = await see(home.admin, f"/family?said={said}")
    notice = shown.partition("<h1>")[2].partition("<live-region")[0]
    assert words in notice
    assert ("notice-gone" in notice) == is_bad
    assert "Call 555" not in shown


async def test_confirmation_page_has_a_cancel_link(home: Home, kid: Person) -> None:
    asked = await look(home.admin, path_of(kid, "/remove"))
    assert asked.in_order("What kid did stays", "Remove", "Keep kid")
    assert "/family" in asked.links
    asked = await look(kid, path_of(kid, "/remove"))
    assert asked.in_order("What you did stays", "Leave", "Stay")


async def test_remove_page_counts_invitations_of_member(home: Home) -> None:
    ben = await home.with_member("ben", "admin")
    await ben.post("/invitations", {"email": "aunt@home.local", "role": "suggester"})
    assert "1 invitation ben sent will be cancelled." in await see(
        home.admin, path_of(ben, "/remove")
    )
    assert "1 invitation you sent will be cancelled." in await see(ben, path_of(ben, "/remove"))


async def test_last_admin_warning_is_shown_only_to_last_admin(home: Home, kid: Person) -> None:
    ben = await home.with_member("ben", "admin")
    assert "Remove ben from Lovelace?" in await see(home.admin, path_of(ben, "/remove"))
    await home.remove_member(ben)
    asked = await look(home.admin, path_of(home.admin, "/remove"))
    assert asked.in_order("You can’t leave yet", "Make someone else an adult first.", "Back to")
    assert "Remove kid from Lovelace?" in await see(home.admin, path_of(kid, "/remove"))


async def test_first_five_invitations_are_offered(running: RunningApp) -> None:
    eve = await running.person("eve", verified=True)
    for number in range(6):
        home = await new_home(running, f"Family {number}", f"ada{number}")
        await home.invite(eve.email, "admin")
    for path in ("/families", "/families/new"):
        page = await look(eve, path)
        assert page.words.count("has invited you to Family") == 5
        assert page.words.count("Run the household together.") == 5
    shown = await see(eve, "/families")
    for number in range(1, 6):
        labelled = f'aria-labelledby="offer-{number}"'
        heading = re.search(rf'{labelled}>\s*<h2 id="offer-{number}">ada(\d) has invited', shown)
        assert heading is not None
        family = f"Family {heading[1]}"
        assert f'aria-label="Join {family}"' in shown
        assert f'aria-label="No, thanks, to {family}"' in shown


async def test_person_without_family_sees_link_to_create_one(home: Home) -> None:
    new = await home.running.person("new")
    empty = await look(new, "/families")
    assert empty.in_order("You’re not in a family yet", "Name your home")
    first = await look(new, "/families/new")
    assert first.in_order("What is your home called?", "Move in", "Invited?")
    another = await look(home.admin, "/families/new")
    assert "Add another home" in another.words
    assert "Invited?" not in another.words
    await home.admin.post("/families", {"name": "Cottage"})
    shown = await see(home.admin, "/families")
    for name in ("Lovelace", "Cottage"):
        assert f'aria-label="Switch to {name}"' in shown
