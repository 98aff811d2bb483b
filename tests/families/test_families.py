"""Creating, renaming and choosing families, and their counts."""

import asyncio
import re

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


async def test_anonymous_request_cannot_create_family(running: RunningApp) -> None:
    answer = await running.visitor().post("/families", {"name": "Nobody's"})
    assert problem_of(answer) == (401, "unauthenticated")


@pytest.mark.parametrize("path", ["/family", "/family/counts", "/members"])
async def test_person_without_family_gets_no_family_error(running: RunningApp, path: str) -> None:
    ada = await running.person("ada")
    assert problem_of(await ada.get(path)) == (403, "no_family")


async def test_removed_member_gets_no_family_error(gone: Person) -> None:
    assert problem_of(await gone.get("/family")) == (403, "no_family")


async def test_suggester_can_read_but_not_rename_family(home: Home, kid: Person) -> None:
    assert (await kid.get("/family")).json() == home.family
    renamed = await kid.patch("/family", {"name": "Kids", "version": 1})
    assert problem_of(renamed) == (403, "forbidden")
    assert (await kid.get("/family")).json() == home.family


async def test_deleted_family_returns_404_to_its_member(home: Home) -> None:
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    await home.running.db.transact(family.delete())
    assert problem_of(await home.admin.get("/family")) == (404, "not_found")
    renamed = await home.admin.patch("/family", {"name": "King", "version": 1})
    assert problem_of(renamed) == (404, "not_found")
    await look(home.admin, "/family", 404)


async def test_founder_becomes_admin(running: RunningApp) -> None:
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
async def test_family_without_valid_name_is_refused(
    running: RunningApp, body: dict[str, object]
) -> None:
    answer = await (await running.person("ada")).post("/families", body)
    assert problem_of(answer) == (400, "validation")
    assert {
        "field": "name",
        "message": "Enter a family name of up to 100 characters.",
    } in answer.json()["errors"]


async def test_repeated_request_creates_one_family(running: RunningApp) -> None:
    ada = await running.person("ada")
    first = await ada.post("/families", {"name": "Lovelace"}, key="same")
    again = await ada.post("/families", {"name": "Lovelace"}, key="same")
    assert (again.status_code, again.json()) == (201, first.json())
    other = await ada.post("/families", {"name": "Other"}, key="same")
    assert problem_of(other) == (409, "idempotency_mismatch")
    assert (await ada.get("/family")).json() == first.json()


async def test_concurrent_equal_requests_create_one_family(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(
        *(ada.post("/families", {"name": "Lovelace"}, key="same") for _ in range(5))
    )
    assert [answer.status_code for answer in answers] == [201] * 5
    assert len({answer.text for answer in answers}) == 1
    assert (await ada.get("/family")).status_code == 200


async def test_concurrently_created_families_are_both_kept(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(*(ada.post("/families", {"name": f"{n}"}) for n in range(4)))
    for answer in answers:
        family_id = answer.json()["familyId"]
        found = await ada.get("/family", headers={"Homeshelf-Family": family_id})
        assert found.json() == answer.json()


async def test_rename_raises_the_version(home: Home, kid: Person) -> None:
    answer = await home.admin.patch("/family", {"name": "King", "version": 1})
    assert answer.status_code == 200
    assert (answer.json()["name"], answer.json()["version"]) == ("King", 2)
    assert (await kid.get("/family")).json() == answer.json()


async def test_stale_version_returns_409_with_current_family(home: Home) -> None:
    renamed = (await home.admin.patch("/family", {"name": "King", "version": 1})).json()
    stale = await home.admin.patch("/family", {"name": "Byron", "version": 1})
    assert problem_of(stale) == (409, "version_conflict")
    assert stale.json()["current"] == renamed


async def test_rename_to_current_name_keeps_the_version(home: Home) -> None:
    same = await home.admin.patch("/family", {"name": "Lovelace", "version": 1}, key="k")
    assert same.json() == home.family
    assert (await home.admin.patch("/family", {"name": "King", "version": 1})).status_code == 200
    again = await home.admin.patch("/family", {"name": "Lovelace", "version": 1}, key="k")
    assert again.json() == home.family


async def test_concurrent_renames_return_one_conflict(home: Home) -> None:
    answers = await asyncio.gather(
        *(home.admin.patch("/family", {"name": name, "version": 1}) for name in ("King", "Byron"))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_rename_keeps_a_concurrent_admin_count(home: Home) -> None:
    async def rename() -> None:
        assert (
            await home.admin.patch("/family", {"name": "King", "version": 1})
        ).status_code == 200

    await asyncio.gather(rename(), home.with_member("bob", "admin"))
    family = await home.running.db.get(Family.key(family_id=home.family_id))
    assert family is not None
    assert (family.name, family.admins) == ("King", 2)


@pytest.mark.parametrize("version", [0, -1])
async def test_version_must_be_a_positive_number(home: Home, kid: Person, version: int) -> None:
    for path in ("/family", f"/members/{kid.member_id}"):
        answer = await home.admin.patch(path, {"name": "King", "version": version})
        assert problem_of(answer) == (400, "validation")
        assert answer.json()["errors"] == [
            {"field": "version", "message": "Version must be a positive integer"}
        ]


@pytest.mark.parametrize("body", [{"name": "King"}, {"version": 1}, {"name": None, "version": 1}])
async def test_incomplete_change_returns_errors(home: Home, body: dict[str, object]) -> None:
    assert problem_of(await home.admin.patch("/family", body)) == (400, "validation")


async def test_counts_cover_pending_records_of_this_family(
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


async def test_page_counts_stop_at_hundred_and_api_counts_do_not(home: Home) -> None:
    entries = [
        make_record(
            ShoppingListItem, family_id=home.family_id, shopping_item_id=clock.new_id(), ttl=None
        )
        for _ in range(130)
    ]
    await home.running.db.batch([entry.put() for entry in entries])
    assert (await home.admin.get("/family/counts")).json()["pendingEntries"] == 130
    page = await look(home.admin, "/")
    assert "99+ items to buy" in page.words
    (badge,) = re.findall(r'<live-badge[^>]*"pendingEntries"[^>]*>([^<]*)<', page.text)
    assert badge == "99+"
    assert "130" not in page.words
    assert await counts(home.running.services, home.family_id, 100) == {
        "pendingSuggestions": 0,
        "unresolvedNotifications": 0,
        "pendingEntries": 100,
    }


async def test_member_of_several_families_must_choose(running: RunningApp, home: Home) -> None:
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


async def test_only_family_is_read_together_with_the_account(home: Home) -> None:
    for asked in ({"get_many": 1, "get": 1, "query": 1}, {"get_many": 1, "query": 1}):
        with count_operations(home.running.db) as spent:
            assert (await home.admin.get("/locations")).json() == {"items": []}
        assert spent == asked


async def test_former_only_family_gives_no_access(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    bob = await home.with_member("bob", "admin")
    assert (await bob.get("/family")).json() == home.family
    await other.let_in(bob, "suggester")
    assert problem_of(await bob.get("/family")) == (409, "choose_family")
    await home.remove_member(bob)
    assert (await bob.get("/family")).json() == other.family
    assert problem_of(await bob.get("/invitations")) == (403, "forbidden")
    await other.remove_member(bob)
    assert problem_of(await bob.get("/family")) == (403, "no_family")


async def test_unreadable_former_family_is_soon_ignored(running: RunningApp, home: Home) -> None:
    other = await new_home(running, "Babbage", "charles")
    bob = await home.with_member("bob", "admin")
    assert (await bob.get("/family")).status_code == 200
    await home.remove_member(bob)
    await other.let_in(bob, "admin")
    services = running.services
    services.only_families[bob.member_id] = home.family_id
    key = Member.key(family_id=home.family_id, member_id=bob.member_id)
    await warp(running.db, key, role="butler")
    answers = [await bob.get("/family") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [500, 200]


async def test_foreign_family_returns_404(home: Home) -> None:
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


async def test_header_with_foreign_family_returns_404(home: Home, neighbour: Person) -> None:
    answer = await neighbour.get("/family", headers={"Homeshelf-Family": home.family_id})
    assert problem_of(answer) == (404, "not_found")


async def test_header_with_former_family_returns_404(home: Home, gone: Person) -> None:
    answer = await gone.get("/family", headers={"Homeshelf-Family": home.family_id})
    assert problem_of(answer) == (404, "not_found")


async def test_idempotency_keys_are_separate_per_family(running: RunningApp) -> None:
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
