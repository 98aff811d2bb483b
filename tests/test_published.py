"""Test that OpenAPI documents every response and error of every operation."""

from typing import Any

import pytest
from fastapi import Request

from homeshelf.accounts import browsers, profile
from homeshelf.shares import dependencies
from homeshelf.shares.checklist.model import MAX_ITEMS
from tests.home import Home
from tests.routes import Route, app, document, every_route
from tests.running import Person

OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, found in document()["paths"].items()
    for method, operation in found.items()
}
ROUTES = [route for route in every_route(app()) if str(route) in OPERATIONS]
HOST = [(b"host", b"home.test")]
BODILESS = {"202", "204"}


def test_every_api_operation_is_documented() -> None:
    known = {str(route) for route in every_route(app()) if route.path.startswith("/api/v1")}
    assert set(OPERATIONS) == known - {"GET /api/v1/openapi.json"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_documents_its_response_and_errors(name: str) -> None:
    responses: dict[str, Any] = OPERATIONS[name]["responses"]
    good = {status: said for status, said in responses.items() if status < "400"}
    assert good
    for status, said in good.items():
        kinds = said.get("content", {})
        assert all(kind["schema"] for kind in kinds.values())
        assert kinds or status in BODILESS, status
    for status, said in responses.items():
        if status >= "400":
            assert list(said["content"]) == ["application/problem+json"], status
            assert said["content"]["application/problem+json"]["schema"]


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_operation_documents_its_access(route: Route) -> None:
    found = OPERATIONS[str(route)].get("security")
    if route.access is not None:
        assert found == [{"token": []}, {"cookie": []}]
        assert "401" in OPERATIONS[str(route)]["responses"]
    elif route.path == "/api/v1/shareables":
        assert found == [{}, {"token": []}, {"cookie": []}]
    elif route.path.startswith("/api/v1/shareables/"):
        assert found == [{}, {"listToken": []}, {"listCookie": []}]
    else:
        assert found is None


def test_every_security_scheme_is_described() -> None:
    named = {
        name for each in OPERATIONS.values() for way in each.get("security", ()) for name in way
    }
    assert named == set(document()["components"]["securitySchemes"])


def test_documented_cookies_equal_the_code() -> None:
    schemes = document()["components"]["securitySchemes"]
    names = (schemes["cookie"]["name"], schemes["listCookie"]["name"])
    for prefix, scheme in (("", "http"), ("__Host-", "https")):
        request = Request({"type": "http", "scheme": scheme, "path": "/", "headers": HOST})
        read = (browsers.cookie_name(request), browsers.cookie_name(request, dependencies.COOKIE))
        assert read == tuple(f"{prefix}{name}" for name in names)


async def test_422_is_documented_only_where_it_is_sent(
    home: Home, kid: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = home.admin
    item = {"itemId": (await ada.post("/items", {"name": "Milk", "quantity": 3})).json()["itemId"]}
    bought, away = [await _bought(ada, item) for _ in range(2)]
    put = await ada.post(f"/shopping-list/{away['shoppingItemId']}/put-away", {"version": 2})
    wish = (await kid.post("/suggestions", {"type": "add_to_shopping", **item})).json()
    await ada.post(f"/items/{item['itemId']}/archive")
    full = {"name": "Trip", "items": [{"name": "a sock"}] * MAX_ITEMS}
    shared = (await ada.post("/shareables", full)).json()
    monkeypatch.setattr(profile, "MAX_FAMILIES", 0)
    ids = item | bought | wish | shared
    refused = {
        "POST /items/{itemId}/adjust": {"delta": 1},
        "POST /items/{itemId}/nfc-urls": None,
        "POST /shopping-list": item,
        "POST /shopping-list/{shoppingItemId}/put-away": {"version": bought["version"]},
        "DELETE /shopping-list/{shoppingItemId}/put-away": {
            "version": put.json()["shoppingItem"]["version"]
        },
        "POST /suggestions": {"type": "add_to_shopping", **item},
        "POST /suggestions/{suggestionId}/approve": {"version": wish["version"]},
        "POST /shareables/{shortId}/items": {"name": "one more"},
        "DELETE /me": {"password": ada.password},
    }
    for name, body in refused.items():
        method, path = name.split()
        where = ids | away if method == "DELETE" else ids
        person = kid if path == "/suggestions" else ada
        answer = await person.ask(method, path.format(**where), body)
        assert answer.status_code == 422, f"{name}: {answer.text}"
    said = {name for name, each in OPERATIONS.items() if "422" in each["responses"]}
    by_id = {name for name in OPERATIONS if "{" in name}  # where a record may be unreadable
    assert said == {name.replace(" ", " /api/v1", 1) for name in refused} | by_id


async def _bought(ada: Person, item: dict[str, str]) -> dict[str, Any]:
    entry = (await ada.post("/shopping-list", {**item, "force": True})).json()
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    answer = await ada.patch(path, {"status": "purchased", "version": entry["version"]})
    bought: dict[str, Any] = answer.json()
    return bought


def test_document_has_no_framework_defaults() -> None:
    assert not {"HTTPValidationError", "ValidationError"} & set(document()["components"]["schemas"])
