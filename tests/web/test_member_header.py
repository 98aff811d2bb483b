"""The `Homeshelf-Member` header, which binds a request to one person."""

import pytest

from homeshelf.accounts.tokens import web_token
from tests.home import Home, new_home
from tests.routes import document
from tests.running import RunningApp, problem_of

MILK = {"name": "Milk"}
SIGNED_IN = [
    (path, method, operation)
    for path, found in document()["paths"].items()
    for method, operation in found.items()
    if operation.get("security", [{}])[0] == {"token": []}
]


@pytest.fixture
async def home(running: RunningApp) -> Home:
    return await new_home(running, "Lovelace", "ada")


async def test_member_header_does_not_authenticate_an_anonymous_client(
    home: Home, running: RunningApp
) -> None:
    said = {"Homeshelf-Member": home.admin.member_id}
    stranger = await running.person("eve")
    for who in (running.visitor(), stranger):
        answer = await who.post("/shopping-list", MILK, headers=said)
        assert problem_of(answer) == (401, "unauthenticated")
    assert await names(home) == []


async def test_queued_change_is_refused_for_another_person(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    answer = await home.admin.post(
        "/shopping-list", MILK, headers={"Homeshelf-Member": kid.member_id}
    )
    assert problem_of(answer) == (401, "unauthenticated")
    assert await names(home) == []


@pytest.mark.parametrize("said", ["nobody", "", "*"])
async def test_member_header_of_an_unknown_member_returns_401(home: Home, said: str) -> None:
    answer = await home.admin.get("/me", headers={"Homeshelf-Member": said})
    assert problem_of(answer) == (401, "unauthenticated")


async def test_two_different_member_headers_return_401(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    both = [("Homeshelf-Member", each.member_id) for each in (home.admin, kid)]
    answer = await home.admin.client.get("/api/v1/me", headers=both)
    assert problem_of(answer) == (401, "unauthenticated")


async def test_queued_form_is_refused_after_another_person_signs_in(
    home: Home, running: RunningApp
) -> None:
    kid = await home.with_member("kid", "admin")
    browser = running.visitor()
    session = await running.session_of(kid.member_id)
    browser.client.cookies.set("homeshelf", web_token(running.signer, session, home.family_id))
    browser.client.headers["sec-fetch-site"] = "same-origin"
    said = {"Homeshelf-Member": home.admin.member_id, "Homeshelf-Family": home.family_id}
    answer = await browser.post("/shopping-list", MILK, headers=said)
    assert problem_of(answer) == (401, "unauthenticated")
    assert await names(home) == []
    said["Homeshelf-Member"] = kid.member_id.upper()
    assert (await browser.post("/shopping-list", MILK, headers=said)).status_code == 201


async def test_stored_response_is_refused_for_another_member_header(home: Home) -> None:
    kid = await home.with_member("kid", "suggester")
    sent = {"Idempotency-Key": "k", "Homeshelf-Member": home.admin.member_id}
    assert (await home.admin.post("/shopping-list", MILK, headers=sent)).status_code == 201
    assert (await home.admin.post("/shopping-list", MILK, headers=sent)).status_code == 201
    sent["Homeshelf-Member"] = kid.member_id
    answer = await home.admin.post("/shopping-list", MILK, headers=sent)
    assert problem_of(answer) == (401, "unauthenticated")
    assert await names(home) == ["Milk"]


async def test_tags_and_shared_lists_ignore_the_member_header(
    home: Home, running: RunningApp
) -> None:
    said = {"Homeshelf-Member": (await running.person("eve")).member_id}
    item = (await home.admin.post("/items", {"name": "Rice", "quantity": 2})).json()
    tag = (await home.admin.post(f"/items/{item['itemId']}/nfc-urls", {})).json()
    answer = await home.admin.post(f"/taps/{tag['urlId']}", {"delta": -1}, headers=said)
    assert answer.json()["quantity"] == 1
    made = await home.admin.post("/shareables", {"name": "Camping"}, headers=said)
    assert made.status_code == 201
    path = f"/shareables/{made.json()['shortId']}"
    assert (await home.admin.get(path, headers=said)).status_code == 200


@pytest.mark.parametrize("operation", SIGNED_IN, ids=lambda each: f"{each[1]} {each[0]}")
def test_openapi_declares_the_member_header_for_signed_in_operations(
    operation: tuple[str, str, dict[str, list[dict[str, str]]]],
) -> None:
    assert {"$ref": "#/components/parameters/Member"} in operation[2]["parameters"]


async def names(home: Home) -> list[str]:
    found = (await home.admin.get("/shopping-list")).json()["items"]
    return [entry["name"] for entry in found]
