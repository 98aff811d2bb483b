"""A Member record gives no access unless the account names the family."""

from dataclasses import dataclass

import pytest

from homeshelf.accounts.tokens import web_token
from homeshelf.families.model import Member
from tests.home import Home, new_home
from tests.running import PASSWORD, Person, problem_of

GONE = (404, "not_found")


@dataclass(frozen=True)
class Stranger:
    """An admin by the Member record alone, with another family or none."""

    person: Person
    own_family: str | None

    @property
    def expected_response(self) -> tuple[int, str | None]:
        """The expected response when no family is chosen."""
        return (200, self.own_family) if self.own_family else (403, "no_family")


@pytest.fixture(params=["in another family", "not in a family"])
async def stranger(request: pytest.FixtureRequest, home: Home) -> Stranger:
    own = None
    if request.param == "in another family":
        other = await new_home(home.running, "Babbage", "charles")
        person, own = other.admin, other.family_id
    else:
        person = await home.running.person("charles")
    key = Member.key(family_id=home.family_id, member_id=home.admin.member_id)
    admin = await home.running.db.get(key)
    assert admin is not None
    await home.running.db.put(admin.changed(member_id=person.member_id, email=person.email))
    return Stranger(person, own)


@pytest.mark.parametrize("path", ["/family", "/items", "/members"])
async def test_unnamed_membership_opens_nothing_when_the_header_chooses_it(
    home: Home, stranger: Stranger, path: str
) -> None:
    chosen = {"Homeshelf-Family": home.family_id}
    assert problem_of(await stranger.person.get(path, headers=chosen)) == GONE


async def test_unnamed_membership_changes_nothing(home: Home, stranger: Stranger) -> None:
    chosen = {"Homeshelf-Family": home.family_id}
    renamed = await stranger.person.patch("/family", {"name": "Mine", "version": 1}, headers=chosen)
    assert problem_of(renamed) == GONE
    assert (await home.admin.get("/family")).json() == home.family


async def test_unnamed_membership_opens_nothing_when_a_token_chooses_it(
    home: Home, stranger: Stranger
) -> None:
    running, person = home.running, stranger.person
    session = await running.session_of(person.member_id)
    program, browser = running.visitor(), running.visitor()
    program.bear(running.access_token(person.member_id, session.session_id, fam=home.family_id))
    assert problem_of(await program.get("/family")) == GONE
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, home.family_id))
    assert problem_of(await browser.get("/family")) == GONE
    asked = {"email": person.email, "password": PASSWORD, "familyId": home.family_id}
    assert problem_of(await running.visitor().post("/tokens", asked)) == GONE


async def test_unnamed_membership_opens_nothing_when_it_is_the_family_remembered(
    home: Home, stranger: Stranger
) -> None:
    person = stranger.person
    home.running.services.only_families[person.member_id] = home.family_id
    answer = await person.get("/family")
    found = answer.json().get("familyId") or answer.json()["code"]
    assert (answer.status_code, found) == stranger.expected_response


async def test_unnamed_membership_is_not_among_the_families_of_the_profile(
    home: Home, stranger: Stranger
) -> None:
    families = (await stranger.person.get("/me")).json()["families"]
    assert [family["familyId"] for family in families] == [*filter(None, [stranger.own_family])]
    assert home.family_id not in str(families)
