"""Locations and stores by the API."""

import asyncio
from typing import Any

import pytest

from homeshelf.coordination.changes import changes_since
from homeshelf.errors import VersionConflict
from homeshelf.places import store
from homeshelf.places.model import Place, StorageLocation, Store
from tests.api_client import ID_OF, Shown, add_place, get_all_pages, get_pages, nothing_changes
from tests.database_hooks import before_first_transaction, with_hook
from tests.home import NOBODYS, Home
from tests.running import Person, Visitor, problem_of

MORE = {"locations": "description", "stores": "address"}
LONGEST_NAME = {"locations": 50, "stores": 100}
TYPE = {"locations": "StorageLocation", "stores": "Store"}
RECORD: dict[str, type[Place]] = {"locations": StorageLocation, "stores": Store}


@pytest.fixture
async def place(home: Home, kind: str) -> Shown:
    return await add_place(home.admin, kind, "Corner")


def path_of(kind: str, place: Shown) -> str:
    return f"/{kind}/{place[ID_OF[kind]]}"


async def get_place(person: Person, kind: str, place: Shown) -> Shown:
    answer = await person.get(path_of(kind, place))
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


def requests_to(kind: str, place: Shown) -> list[tuple[str, str, Any]]:
    path = path_of(kind, place)
    return [
        ("POST", f"/{kind}", {"name": "Other"}),
        ("PATCH", path, {"name": "Other", "version": 1}),
        ("DELETE", path, None),
    ]


async def test_strangers_cannot_read_or_change_places(
    home: Home, kind: str, place: Shown, neighbour: Person, gone: Person
) -> None:
    path = path_of(kind, place)
    strangers: list[tuple[Visitor, tuple[int, str]]] = [
        (home.running.visitor(), (401, "unauthenticated")),
        (gone, (403, "no_family")),
    ]
    async with nothing_changes(home):
        for stranger, refusal in strangers:
            assert problem_of(await stranger.get(f"/{kind}")) == refusal
            assert problem_of(await stranger.get(path)) == refusal
            for method, where, body in requests_to(kind, place):
                assert problem_of(await stranger.ask(method, where, body)) == refusal
        for method, where, body in [("GET", path, None), *requests_to(kind, place)[1:]]:
            assert problem_of(await neighbour.ask(method, where, body)) == (404, "not_found")
        assert await get_all_pages(neighbour, f"/{kind}", 100) == []


async def test_suggester_can_read_places_only(
    home: Home, kind: str, place: Shown, kid: Person
) -> None:
    async with nothing_changes(home):
        for method, where, body in requests_to(kind, place):
            assert problem_of(await kid.ask(method, where, body)) == (403, "forbidden")
        for unknown in (NOBODYS, "malformed"):
            answer = await kid.delete(f"/{kind}/{unknown}")
            assert problem_of(answer) == (403, "forbidden")
    assert await get_all_pages(kid, f"/{kind}", 100) == [place]
    assert await get_place(kid, kind, place) == place


@pytest.mark.parametrize("unknown", [NOBODYS, "malformed", "x" * 2000, "%00"])
async def test_unknown_place_returns_404(home: Home, kind: str, unknown: str) -> None:
    for method, body in (("GET", None), ("PATCH", {"version": 1}), ("DELETE", None)):
        answer = await home.admin.ask(method, f"/{kind}/{unknown}", body)
        assert problem_of(answer) == (404, "not_found")


async def test_place_needs_a_name_only(home: Home, kind: str) -> None:
    answer = await home.admin.post(f"/{kind}", {"name": "  Corner "})
    assert answer.status_code == 201
    place = answer.json()
    assert place == {
        ID_OF[kind]: place[ID_OF[kind]],
        "familyId": home.family_id,
        "name": "Corner",
        MORE[kind]: None,
        "createdAt": place["createdAt"],
        "updatedAt": place["createdAt"],
        "version": 1,
        "entityType": TYPE[kind],
    }
    assert await get_place(home.admin, kind, place) == place


async def test_place_accepts_details(home: Home, kind: str) -> None:
    place = await add_place(home.admin, kind, "Corner", **{MORE[kind]: "x" * 200})
    assert place[MORE[kind]] == "x" * 200
    assert (await add_place(home.admin, kind, "Other", **{MORE[kind]: None}))[MORE[kind]] is None
    assert (await add_place(home.admin, kind, "Third", **{MORE[kind]: " "}))[MORE[kind]] == ""


async def test_invalid_field_is_reported_by_name(home: Home, kind: str, place: Shown) -> None:
    longest, more = LONGEST_NAME[kind], MORE[kind]
    wrong: dict[str, tuple[str, list[Any]]] = {
        "name": (f"Name must be 1-{longest} characters", ["", " ", "x" * (longest + 1), 5, None]),
        more: (f"{more.capitalize()} must be 200 characters or less", ["x" * 201, 5, []]),
        "colour": ("There’s no such field.", ["white"]),
        "closedAt": ("There’s no such field.", ["2025-01-01T10:00:00.000Z"]),
    }
    for field, (message, values) in wrong.items():
        for value in values:
            answers = [
                await home.admin.post(f"/{kind}", {"name": "Other"} | {field: value}),
                await home.admin.patch(path_of(kind, place), {"version": 1} | {field: value}),
            ]
            for answer in answers:
                assert problem_of(answer) == (400, "validation")
                assert answer.json()["errors"] == [{"field": field, "message": message}]
    for version in (None, 0, "1", 1.5, True):
        answer = await home.admin.patch(path_of(kind, place), {"name": "x", "version": version})
        message = "Version must be a positive integer"
        assert answer.json()["errors"] == [{"field": "version", "message": message}]


async def test_longest_name_is_accepted(home: Home, kind: str) -> None:
    for letter in ("x", "é", "\U0001f35e", "ΐ", "ﬃ"):
        name = letter * LONGEST_NAME[kind]
        assert (await add_place(home.admin, kind, name))["name"] == name


async def test_patch_changes_only_sent_fields(home: Home, kind: str) -> None:
    place = await add_place(home.admin, kind, "Corner", **{MORE[kind]: "On the left"})
    path = path_of(kind, place)
    renamed = (await home.admin.patch(path, {"name": " Shelf ", "version": 1})).json()
    assert renamed == place | {
        "name": "Shelf",
        "version": 2,
        "updatedAt": renamed["updatedAt"],
    }
    cleared = (await home.admin.patch(path, {MORE[kind]: None, "version": 2})).json()
    assert (cleared["name"], cleared[MORE[kind]], cleared["version"]) == ("Shelf", None, 3)
    assert await get_place(home.admin, kind, place) == cleared


async def test_stale_version_returns_409_with_current_place(
    home: Home, kind: str, place: Shown
) -> None:
    path = path_of(kind, place)
    renamed = (await home.admin.patch(path, {"name": "Shelf", "version": 1})).json()
    stale = await home.admin.patch(path, {"name": "Other", "version": 1})
    assert problem_of(stale) == (409, "version_conflict")
    assert stale.json()["current"] == renamed


async def test_patch_with_current_values_keeps_the_version(
    home: Home, kind: str, place: Shown
) -> None:
    for body in ({}, {"name": "Corner"}, {MORE[kind]: None}):
        answer = await home.admin.patch(path_of(kind, place), body | {"version": 1})
        assert answer.json() == place
    stale = await home.admin.patch(path_of(kind, place), {"name": "Corner", "version": 2})
    assert problem_of(stale) == (409, "version_conflict")
    assert await get_place(home.admin, kind, place) == place


@pytest.mark.parametrize("name", ["Corner", "CORNER", " corner ", "Corner".lower()])
async def test_duplicate_name_in_other_case_is_refused(
    home: Home, kind: str, place: Shown, name: str
) -> None:
    answer = await home.admin.post(f"/{kind}", {"name": name})
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == place
    assert answer.json()["detail"] == "You already have one called that."
    other = await add_place(home.admin, kind, "Other")
    answer = await home.admin.patch(path_of(kind, other), {"name": name, "version": 1})
    assert problem_of(answer) == (409, "duplicate")
    assert answer.json()["existing"] == place
    assert await get_place(home.admin, kind, other) == other


@pytest.mark.parametrize(
    ("one", "same"), [("Straße", "STRASSE"), ("Café", "CAFE\u0301"), ("Bad  1", "bad 1")]
)
async def test_names_with_equal_normal_form_are_duplicates(
    home: Home, kind: str, one: str, same: str
) -> None:
    await add_place(home.admin, kind, one)
    answer = await home.admin.post(f"/{kind}", {"name": same})
    assert problem_of(answer) == (409, "duplicate")


async def test_names_are_unique_per_kind_and_family(home: Home, neighbour: Person) -> None:
    for person in (home.admin, neighbour):
        for kind in ("locations", "stores"):
            await add_place(person, kind, "Corner")


async def test_rename_may_change_only_the_case(home: Home, kind: str, place: Shown) -> None:
    renamed = await home.admin.patch(path_of(kind, place), {"name": "CORNER", "version": 1})
    assert renamed.json()["name"] == "CORNER"
    assert problem_of(await home.admin.post(f"/{kind}", {"name": "corner"})) == (409, "duplicate")


async def test_former_name_can_be_used_again(home: Home, kind: str, place: Shown) -> None:
    path = path_of(kind, place)
    await home.admin.patch(path, {"name": "Shelf", "version": 1})
    again = await add_place(home.admin, kind, "Corner")
    assert (await home.admin.delete(path)).status_code == 204
    await add_place(home.admin, kind, "Shelf")
    assert (await home.admin.delete(path_of(kind, again))).status_code == 204
    await add_place(home.admin, kind, "Corner")


async def test_concurrent_adds_of_one_name_return_one_conflict(home: Home, kind: str) -> None:
    bob = await home.with_member("bob", "admin")
    answers = await asyncio.gather(
        *(
            person.post(f"/{kind}", {"name": name})
            for person, name in ((home.admin, "Corner"), (bob, "corner"))
        )
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    added, refused = sorted(answers, key=lambda answer: answer.status_code)
    assert problem_of(refused) == (409, "duplicate")
    assert refused.json()["existing"] == added.json()
    assert await get_all_pages(home.admin, f"/{kind}", 100) == [added.json()]


async def test_concurrent_renames_to_one_name_return_one_conflict(home: Home, kind: str) -> None:
    places = [await add_place(home.admin, kind, f"{number}") for number in range(2)]
    answers = await asyncio.gather(
        home.admin.post(f"/{kind}", {"name": "Corner"}),
        *(
            home.admin.patch(path_of(kind, place), {"name": "Corner", "version": 1})
            for place in places
        ),
    )
    assert sorted(answer.is_success for answer in answers) == [False, False, True]
    assert {answer.status_code for answer in answers if answer.is_error} == {409}
    names = [place["name"] for place in await get_all_pages(home.admin, f"/{kind}", 100)]
    assert names.count("Corner") == 1


async def test_concurrent_name_swap_keeps_both_claims(home: Home, kind: str) -> None:
    one, other = [await add_place(home.admin, kind, name) for name in ("Here", "There")]
    await asyncio.gather(
        home.admin.patch(path_of(kind, one), {"name": "There", "version": 1}),
        home.admin.patch(path_of(kind, other), {"name": "Here", "version": 1}),
    )
    names = [place["name"] for place in await get_all_pages(home.admin, f"/{kind}", 100)]
    assert sorted(names) == ["Here", "There"]


async def test_concurrent_rename_with_old_version_returns_conflict(
    home: Home, kind: str, place: Shown
) -> None:
    db, key = home.running.db, RECORD[kind].key_for(home.family_id, place[ID_OF[kind]])

    async def describe() -> None:
        await store.edit_place(db, key, 1, {MORE[kind]: "On the left"})

    late = with_hook(db, before_first_transaction(describe))
    with pytest.raises(VersionConflict):
        await store.edit_place(late, key, 1, {"name": "Shelf"})
    now = await get_place(home.admin, kind, place)
    assert (now["name"], now[MORE[kind]]) == ("Corner", "On the left")
    await add_place(home.admin, kind, "Shelf")


async def test_repeated_request_is_replayed(home: Home, kind: str) -> None:
    answers = await asyncio.gather(
        *(home.admin.post(f"/{kind}", {"name": "Corner"}, key="k") for _ in range(4))
    )
    assert {answer.status_code for answer in answers} == {201}
    [place] = await get_all_pages(home.admin, f"/{kind}", 100)
    body = {"name": "Shelf", "version": 1}
    first = await home.admin.patch(path_of(kind, place), body, key="k")
    again = await home.admin.patch(path_of(kind, place), body, key="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.json()["version"] == 2


async def test_repeated_request_without_change_is_replayed(
    home: Home, kind: str, place: Shown
) -> None:
    path, body = path_of(kind, place), {"name": "Corner", "version": 1}
    first = await home.admin.patch(path, body, key="k")
    assert (first.status_code, first.json()) == (200, place)
    await home.admin.patch(path, {"name": "Shelf", "version": 1})
    again = await home.admin.patch(path, body, key="k")
    assert (again.status_code, again.content) == (200, first.content)
    assert (await get_place(home.admin, kind, place))["name"] == "Shelf"


async def test_place_list_has_full_pages(home: Home, kind: str) -> None:
    names = [f"{number}" for number in range(7)]
    for name in names:
        await add_place(home.admin, kind, name)
    await add_place(home.admin, "stores" if kind == "locations" else "locations", "Other")
    found = [page async for page in get_pages(home.admin, f"/{kind}", 3)]
    assert [len(page) for page in found] == [3, 3, 1]
    assert sorted(place["name"] for page in found for place in page) == names


async def test_change_is_announced_to_event_streams(home: Home, kind: str, place: Shown) -> None:
    path = path_of(kind, place)
    await home.admin.patch(path, {"name": "Shelf", "version": 1})
    await home.admin.delete(path)
    told = await changes_since(home.running.db, home.family_id, None)
    assert [(each.type, each.version) for each in told if each.id == place[ID_OF[kind]]] == [
        (TYPE[kind], 1),
        (TYPE[kind], 2),
        (TYPE[kind], None),
    ]


async def test_name_may_contain_key_characters(home: Home, kind: str) -> None:
    for name in ("Aldi #2", "#", "Aldi", "#STORE#", "a#b"):
        place = await add_place(home.admin, kind, name)
        assert (await get_place(home.admin, kind, place))["name"] == name
        again = await home.admin.post(f"/{kind}", {"name": name.lower()})
        assert problem_of(again) == (409, "duplicate")
        assert (await home.admin.delete(path_of(kind, place))).status_code == 204
        await add_place(home.admin, kind, name)
