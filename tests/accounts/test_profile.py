import asyncio

import pytest

from homeshelf.accounts import profile
from homeshelf.families import memberships
from homeshelf.table import Database
from tests.databases import Opener
from tests.home import new_home
from tests.queues import todos_of
from tests.running import PASSWORD, RunningApp, problem_of, running_app

NEW = "a new password"


async def test_profile_shows_person_and_families(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    other = await new_home(running, "Elsewhere", "eve")
    await other.let_in(home.admin, "suggester")
    me = (await home.admin.get("/me")).json()
    assert me == {
        "memberId": home.admin.member_id,
        "email": "ada@home.local",
        "emailVerified": True,
        "name": "ada",
        "families": [
            {"familyId": home.family_id, "name": "Home", "role": "admin"},
            {"familyId": other.family_id, "name": "Elsewhere", "role": "suggester"},
        ],
    }
    await other.remove_member(home.admin)
    me = (await home.admin.get("/me")).json()
    assert [family["name"] for family in me["families"]] == ["Home"]


async def test_rename_updates_every_membership(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    other = await new_home(running, "Elsewhere", "eve")
    await other.let_in(home.admin, "suggester")
    answer = await home.admin.patch("/me", {"name": "  Countess  "})
    assert answer.status_code == 200
    assert answer.json() == (await home.admin.get("/me")).json()
    assert answer.json()["name"] == "Countess"
    assert (await other.member(home.admin))["name"] == "Countess"
    choosing = {"Homeshelf-Family": home.family_id}
    member = await home.admin.get(f"/members/{home.admin.member_id}", headers=choosing)
    assert (member.json()["name"], member.json()["version"]) == ("Countess", 2)


async def test_rename_updates_more_memberships_than_a_transaction_takes(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memberships, "MAX_RENAMED", 2)
    home = await new_home(running, "Home", "ada")
    for number in range(4):
        await home.admin.post("/families", {"name": f"Home {number}"})
    assert (await home.admin.patch("/me", {"name": "Countess"})).status_code == 200
    for family in (await home.admin.get("/me")).json()["families"]:
        choosing = {"Homeshelf-Family": family["familyId"]}
        members = (await home.admin.get("/members", headers=choosing)).json()["items"]
        assert [member["name"] for member in members] == ["Countess"]


@pytest.mark.usefixtures("moment")
async def test_rename_is_finished_after_a_crash(
    running: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object) -> None:
        return

    home = await new_home(running, "Home", "ada")
    await home.admin.post("/families", {"name": "Second"})
    monkeypatch.setattr(memberships, "MAX_RENAMED", 1)
    monkeypatch.setattr("homeshelf.coordination.transaction.finish_soon", crash)
    await home.admin.patch("/me", {"name": "Countess"})
    (left,) = await todos_of(running.db)
    await running.todos[profile.RENAMED](running.db, left)
    second = (await home.admin.get("/me")).json()["families"][1]["familyId"]
    members = await home.admin.get("/members", headers={"Homeshelf-Family": second})
    assert [member["name"] for member in members.json()["items"]] == ["Countess"]


async def test_rename_during_join_updates_the_new_membership(
    open_another: Opener,
) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        home = await new_home(one, "Home", "ada")
        kid = await one.person("kid")
        elsewhere = other.visitor()
        elsewhere.bear(other.access_token(kid.member_id, kid.session_id))
        token = str((await home.invite(kid.email))["link"]).rpartition("/")[2]
        answers = await asyncio.gather(
            elsewhere.post("/invitations/accept", {"token": token}),
            kid.patch("/me", {"name": "Countess"}),
        )
        assert [answer.status_code for answer in answers] == [200, 200]
        assert (await home.member(kid))["name"] == "Countess"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": 7}, "name"),
        ({"password": NEW}, "currentPassword"),
        ({"password": NEW, "currentPassword": "not mine"}, "currentPassword"),
        ({"password": "short", "currentPassword": PASSWORD}, "password"),
        ({"password": None, "currentPassword": PASSWORD}, "password"),
        ({"email": "eve@home.local"}, "email"),
        ({"emailVerified": True}, "emailVerified"),
        ({"name": "Eve", "families": []}, "families"),
    ],
)
async def test_invalid_profile_change_returns_errors_and_changes_nothing(
    running: RunningApp, body: dict[str, object], field: str
) -> None:
    ada = await running.person("ada")
    before = (await ada.get("/me")).json()
    answer = await ada.patch("/me", body)
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert (await ada.get("/me")).json() == before
    assert (await sign_in_status(running, PASSWORD)) == 200


async def test_password_change_ends_other_sessions(running: RunningApp) -> None:
    ada, elsewhere = await running.person("ada"), running.visitor()
    pair = (await elsewhere.post("/tokens", {"email": ada.email, "password": PASSWORD})).json()
    elsewhere.bear(pair["accessToken"])
    answer = await ada.patch("/me", {"password": NEW, "currentPassword": PASSWORD})
    assert answer.status_code == 200
    assert (await ada.get("/me")).json() == answer.json()
    assert problem_of(await elsewhere.get("/me")) == (401, "unauthenticated")
    stolen = {"refreshToken": pair["refreshToken"]}
    refused = await elsewhere.post("/tokens/refresh", stolen)
    assert problem_of(refused) == (401, "unauthenticated")
    assert len((await ada.get("/me/sessions")).json()["items"]) == 1
    assert await sign_in_status(running, PASSWORD) == 401
    assert await sign_in_status(running, NEW) == 200


async def test_password_change_keeps_its_own_session(running: RunningApp) -> None:
    ada = await running.person("ada")
    asked = {"email": ada.email, "password": PASSWORD}
    pair = (await ada.post("/tokens", asked)).json()
    ada.bear(pair["accessToken"])
    await ada.patch("/me", {"password": NEW, "currentPassword": PASSWORD})
    refreshed = await ada.post("/tokens/refresh", {"refreshToken": pair["refreshToken"]})
    assert refreshed.status_code == 200


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_password_changes_succeed_once(running: RunningApp) -> None:
    ada = await running.person("ada")
    answers = await asyncio.gather(
        *(ada.patch("/me", {"password": f"{NEW} {n}", "currentPassword": PASSWORD}) for n in "ab")
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    won = "ab"[[answer.status_code for answer in answers].index(200)]
    assert await sign_in_status(running, f"{NEW} {won}") == 200


async def test_repeated_password_change_replays_response_without_password(
    running: RunningApp,
) -> None:
    ada = await running.person("ada")
    body = {"name": "Countess", "password": NEW, "currentPassword": PASSWORD}
    first = await ada.patch("/me", body, key="once")
    again = await ada.patch("/me", body, key="once")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    other = await ada.patch("/me", body | {"name": "Eve"}, key="once")
    assert problem_of(other) == (409, "idempotency_mismatch")
    assert (await ada.get("/me")).json()["name"] == "Countess"


async def test_preferences_start_with_defaults_and_change_separately(running: RunningApp) -> None:
    ada = await running.person("ada")
    plain = {"theme": "auto", "timeZone": "UTC", "mail": "now", "language": "auto"}
    assert (await ada.get("/me/preferences")).json() == plain
    zone = {"timeZone": "America/Argentina/Ushuaia"}
    for change in ({"theme": "dark"}, zone, {"mail": "off"}, {"language": "sv"}):
        plain |= change
        answer = await ada.patch("/me/preferences", change)
        assert (answer.status_code, answer.json()) == (200, plain)
    assert (await ada.patch("/me/preferences", {})).json() == plain
    assert (await ada.get("/me/preferences")).json() == plain


async def test_concurrent_preference_changes_are_both_kept(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        tablet = other.visitor()
        tablet.bear(other.access_token(ada.member_id, ada.session_id))
        await asyncio.gather(
            ada.patch("/me/preferences", {"theme": "light"}),
            tablet.patch("/me/preferences", {"mail": "daily"}),
        )
        kept = (await ada.get("/me/preferences")).json()
        assert (kept["theme"], kept["mail"]) == ("light", "daily")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("theme", "pink"),
        ("theme", None),
        ("timeZone", "Europe"),
        ("timeZone", "Europe/Atlantis"),
        ("timeZone", "../../etc/passwd"),
        ("timeZone", "/etc/localtime"),
        ("timeZone", ""),
        ("timeZone", 2),
        ("mail", "hourly"),
        ("mail", True),
        ("colour", "red"),
    ],
)
async def test_invalid_preference_returns_error_and_changes_nothing(
    running: RunningApp, field: str, value: object
) -> None:
    ada = await running.person("ada")
    before = (await ada.get("/me/preferences")).json()
    answer = await ada.patch("/me/preferences", {field: value})
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert (await ada.get("/me/preferences")).json() == before


async def sign_in_status(running: RunningApp, password: str) -> int:
    asked = {"email": "ada@home.local", "password": password}
    return (await running.visitor("198.51.100.1").post("/tokens", asked)).status_code


async def test_other_process_reads_changed_preferences(
    database: Database, open_another: Opener
) -> None:
    async with running_app(database) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        elsewhere = other.visitor()
        elsewhere.bear(other.access_token(ada.member_id, ada.session_id))
        await ada.patch("/me", {"name": "Countess"})
        assert (await elsewhere.get("/me")).json()["name"] == "Countess"
