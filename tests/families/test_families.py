"""Founding a family, its name, what waits in it, and which one a request is about."""

import asyncio

import pytest

from homeshelf import clock
from homeshelf.access.view import counts
from homeshelf.accounts.tokens import web_token
from homeshelf.coordination.changes import changes_since
from homeshelf.families.model import Family, Member
from homeshelf.notices.model import Notification
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import Suggestion
from tests.costs import count_operations
from tests.home import NOBODYS, Home, new_home
from tests.pages import look
from tests.records import make_record
from tests.running import Person, RunningApp, problem_of
from tests.table.faulty_engines import warp


async def test_nobody_founds_a_family_without_signing_in(running: RunningApp) -> None:
    answer = await running.visitor().post("/families", {"name": "Nobody's"})
    assert problem_of(answer) == (401, "unauthenticated")


@pytest.mark.parametrize("path", ["/family", "/family/counts", "/members"])
async def test_who_is_in_no_family_is_told_so(running: RunningApp, path: str) -> None:
    ada = await running.person("ada")
    assert problem_of(await ada.get(path)) == (403, "no_family")


async def test_who_was_sent_away_is_in_no_family(gone: Person) -> None:
    assert problem_of(await gone.get("/family")) == (403, "no_family")


async def test_a_suggester_may_read_the_family_and_not_rename_it(home: Home, kid: Person) -> None:
    assert (await kid.get("/family")).json() == home.family
    renamed = await kid.patch("/family", {"name": "Kids", "version": 1})
    assert problem_of(renamed) == (403, "forbidden")
    assert (await kid.get("/family")).json() == home.family


async def test_a_family_that_is_gone_is_not_found_by_who_was_in_it(home: Home) -> None:
    """For the moment in which it goes."""
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    await home.running.db.transact(family.delete())
    assert problem_of(await home.admin.get("/family")) == (404, "not_found")
    renamed = await home.admin.patch("/family", {"name": "King", "version": 1})
    assert problem_of(renamed) == (404, "not_found")
    await look(home.admin, "/family", 404)


async def test_the_founder_is_its_admin(running: RunningApp) -> None:
    ada = await running.person("ada")
    answer = await ada.post("/families", {"name": "  Lovelace "})
    assert answer.status_code == 201
    family = answer.json()
    assert family | {"name": "Lovelace", "createdBy": ada.member_id, "version": 1} == family
    assert family.keys() == {
        "familyId",
        "name",
        "createdBy",
        "version",
        "createdAt",
        "updatedAt",
        "entityType",
    }
    assert (await ada.get("/family")).json() == family
    member = (await ada.get(f"/members/{ada.member_id}")).json()
    assert (member["role"], member["status"], member["name"]) == ("admin", "active", "ada")


@pytest.mark.parametrize(
    "body", [{}, {"name": " "}, {"name": "x" * 101}, {"name": 5}, {"name": None}, {"nam": "x"}]
)
async def test_a_family_has_a_name(running: RunningApp, body: dict[str, object]) -> None:
    answer = await (await running.person("ada")).post("/families", body)
    assert problem_of(answer) == (400, "validation")
    assert {
        "field": "name",
        "message": "A family's name has 1 to 100 characters.",
    } in answer.json()["errors"]


async def test_a_request_that_is_sent_again_founds_one_family(running: RunningApp) -> None:
    ada = await running.person("ada")
    first = await ada.post("/families", {"name": "Lovelace"}, key="same")
    again = await ada.post("/families", {"name": "Lovelace"}, key="same")
    assert (again.status_code, again.json()) == (201, first.json())
    other = await ada.post("/families", {"name": "Other"}, key="same")
    assert problem_of(other) == (409, "idempotency_mismatch")
    assert (await ada.get("/family")).json() == first.json()


async def test_the_same_request_twice_at_once_founds_one_family(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(
        *(ada.post("/families", {"name": "Lovelace"}, key="same") for _ in range(5))
    )
    assert [answer.status_code for answer in answers] == [201] * 5
    assert len({answer.text for answer in answers}) == 1
    assert (await ada.get("/family")).status_code == 200


async def test_two_families_founded_at_once_are_both_there(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(*(ada.post("/families", {"name": f"{n}"}) for n in range(4)))
    for answer in answers:
        family_id = answer.json()["familyId"]
        found = await ada.get("/family", headers={"Homeshelf-Family": family_id})
        assert found.json() == answer.json()


async def test_a_new_name_raises_the_version(home: Home, kid: Person) -> None:
    answer = await home.admin.patch("/family", {"name": "King", "version": 1})
    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["version"]) == ("King", 2)
    assert (await kid.get("/family")).json() == answer.json()


async def test_a_stale_version_shows_the_family_as_it_is(home: Home) -> None:
    renamed = (await home.admin.patch("/family", {"name": "King", "version": 1})).json()
    stale = await home.admin.patch("/family", {"name": "Byron", "version": 1})
    assert problem_of(stale) == (409, "version_conflict")
    assert stale.json()["current"] == renamed


async def test_the_name_it_has_changes_nothing(home: Home) -> None:
    same = await home.admin.patch("/family", {"name": "Lovelace", "version": 1}, key="k")
    assert same.json() == home.family
    assert (await home.admin.patch("/family", {"name": "King", "version": 1})).status_code == 200
    again = await home.admin.patch("/family", {"name": "Lovelace", "version": 1}, key="k")
    assert again.json() == home.family


async def test_of_two_who_rename_it_at_once_one_is_told(home: Home) -> None:
    answers = await asyncio.gather(
        *(home.admin.patch("/family", {"name": name, "version": 1}) for name in ("King", "Byron"))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_a_renaming_leaves_the_count_of_admins_alone(home: Home) -> None:
    """It would be overwritten if the whole record were put."""

    async def rename() -> None:
        assert (
            await home.admin.patch("/family", {"name": "King", "version": 1})
        ).status_code == 200

    await asyncio.gather(rename(), home.with_member("bob", "admin"))
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert (family.name, family.admins) == ("King", 2)


@pytest.mark.parametrize("version", [0, -1])
async def test_a_version_is_a_positive_number(home: Home, kid: Person, version: int) -> None:
    for path in ("/family", f"/members/{kid.member_id}"):
        answer = await home.admin.patch(path, {"name": "King", "version": version})
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == [
            {"field": "version", "message": "Version must be a positive integer"}
        ]


@pytest.mark.parametrize("body", [{"name": "King"}, {"version": 1}, {"name": None, "version": 1}])
async def test_a_change_says_all_that_is_needed(home: Home, body: dict[str, object]) -> None:
    assert problem_of(await home.admin.patch("/family", body)) == (400, "validation")


async def test_the_counts_are_of_what_waits_in_this_family(
    home: Home, kid: Person, neighbour: Person
) -> None:
    statuses: list[tuple[type[Suggestion | Notification | ShoppingListItem], str, int]] = [
        (Suggestion, "pending", 3),
        (Suggestion, "approved", 1),
        (Notification, "active", 2),
        (Notification, "acknowledged", 2),
        (Notification, "resolved", 1),
        (ShoppingListItem, "pending", 5),
        (ShoppingListItem, "purchased", 1),
    ]
    ids = ("suggestion_id", "notification_id", "shopping_item_id")
    await home.running.db.batch(
        [
            make_record(
                model,
                family_id=home.family_id,
                status=status,
                **{name: clock.new_id() for name in ids if name in model.model_fields},
            ).put()
            for model, status, count in statuses
            for _ in range(count)
        ]
    )
    counts = {"pendingSuggestions": 3, "unresolvedNotifications": 4, "pendingEntries": 5}
    assert (await kid.get("/family/counts")).json() == counts
    assert set((await neighbour.get("/family/counts")).json().values()) == {0}


async def test_pages_count_to_a_hundred_and_the_api_to_the_end(home: Home) -> None:
    entries = [
        make_record(
            ShoppingListItem, family_id=home.family_id, shopping_item_id=clock.new_id(), ttl=None
        )
        for _ in range(130)
    ]
    await home.running.db.batch([entry.put() for entry in entries])
    assert (await home.admin.get("/family/counts")).json()["pendingEntries"] == 130
    page = await look(home.admin, "/")
    assert "99+ things to buy" in page.words
    assert '"pendingEntries">99+</live-badge>' in page.text
    assert "130" not in page.words
    assert await counts(home.running.services, home.family_id, 100) == {
        "pendingSuggestions": 0,
        "unresolvedNotifications": 0,
        "pendingEntries": 100,
    }


async def test_who_is_in_several_families_chooses(running: RunningApp, home: Home) -> None:
    ada = home.admin
    other = (await ada.post("/families", {"name": "Other"})).json()
    assert problem_of(await ada.get("/family")) == (409, "choose_family")
    for family in (home.family, other):
        chosen = {"Homeshelf-Family": family["familyId"]}
        assert (await ada.get("/family", headers=chosen)).json() == family
    ada.bear(running.access_token(ada.member_id, ada.session_id, fam=other["familyId"]))
    assert (await ada.get("/family")).json() == other
    chosen = {"Homeshelf-Family": home.family_id}
    assert (await ada.get("/family", headers=chosen)).json() == home.family


async def test_the_only_family_is_read_with_the_account_once_it_is_known(home: Home) -> None:
    for asked in ({"get_many": 1, "get": 1, "query": 1}, {"get_many": 1, "query": 1}):
        with count_operations(home.running.db) as spent:
            assert (await home.admin.get("/locations")).json() == {"items": []}
        assert spent == asked


async def test_what_was_the_only_family_once_lets_nobody_in(
    running: RunningApp, home: Home
) -> None:
    other = await new_home(running, "Babbage", "charles")
    bob = await home.with_member("bob", "admin")
    assert (await bob.get("/family")).json() == home.family
    await other.let_in(bob, "suggester")
    assert problem_of(await bob.get("/family")) == (409, "choose_family")
    await home.send_away(bob)
    assert (await bob.get("/family")).json() == other.family
    assert problem_of(await bob.get("/invitations")) == (403, "forbidden")
    await other.send_away(bob)
    assert problem_of(await bob.get("/family")) == (403, "no_family")


async def test_a_former_family_that_cannot_be_read_is_soon_not_looked_at(
    running: RunningApp, home: Home
) -> None:
    other = await new_home(running, "Babbage", "charles")
    bob = await home.with_member("bob", "admin")
    assert (await bob.get("/family")).status_code == 200
    await home.send_away(bob)
    await other.let_in(bob, "admin")
    services = running.services
    services.only_families[bob.member_id] = home.family_id
    key = Member.key(family_id=home.family_id, member_id=bob.member_id)
    await warp(running.db, key, role="butler")
    answers = [await bob.get("/family") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [500, 200]


async def test_a_family_that_is_not_theirs_is_not_found(home: Home) -> None:
    answer = await home.admin.get("/family", headers={"Homeshelf-Family": NOBODYS})
    assert problem_of(answer) == (404, "not_found")


@pytest.mark.parametrize("chosen", ["nothing", "x" * 3000, "FAMILY#1"])
async def test_malformed_family_header_is_refused_after_the_token_is_checked(
    home: Home, gone: Person, chosen: str
) -> None:
    headers = {"Homeshelf-Family": chosen}
    for person in (home.admin, gone):
        answer = await person.get("/family", headers=headers)
        assert problem_of(answer) == (400, "validation")
        message = "Invalid family ID format"
        assert answer.json()["errors"] == [{"field": "Homeshelf-Family", "message": message}]
    answer = await home.running.visitor().get("/family", headers=headers)
    assert problem_of(answer) == (401, "unauthenticated")


async def test_malformed_family_header_is_refused_with_a_cookie_too(
    home: Home, running: RunningApp
) -> None:
    browser = running.visitor()
    session = await running.session_of(home.admin.member_id)
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, home.family_id))
    browser.client.headers["sec-fetch-site"] = "same-origin"
    answer = await browser.get("/family", headers={"Homeshelf-Family": "nothing"})
    assert problem_of(answer) == (400, "validation")


async def test_another_family_is_not_found_by_its_id(home: Home, neighbour: Person) -> None:
    answer = await neighbour.get("/family", headers={"Homeshelf-Family": home.family_id})
    assert problem_of(answer) == (404, "not_found")


async def test_a_family_that_was_theirs_is_not_found_by_its_id(home: Home, gone: Person) -> None:
    answer = await gone.get("/family", headers={"Homeshelf-Family": home.family_id})
    assert problem_of(answer) == (404, "not_found")


async def test_an_idempotency_key_is_of_one_family(running: RunningApp) -> None:
    home = await new_home(running, "Lovelace", "ada")
    other = (await home.admin.post("/families", {"name": "Other"})).json()
    renamed = [
        await home.admin.patch(
            "/family",
            {"name": "King", "version": 1},
            key="same",
            headers={"Homeshelf-Family": family["familyId"]},
        )
        for family in (home.family, other)
    ]
    assert [answer.json()["familyId"] for answer in renamed] == [
        home.family_id,
        other["familyId"],
    ]


async def test_change_is_announced_to_event_streams(home: Home, kid: Person) -> None:
    await home.admin.patch("/family", {"name": "King", "version": 1})
    told = await changes_since(home.running.db, home.family_id, None)
    assert ("Family", home.family_id, 2) in [(each.type, each.id, each.version) for each in told]
    assert ("Member", kid.member_id, 1) in [(each.type, each.id, each.version) for each in told]
