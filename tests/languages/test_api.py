"""The API answers in English unless a client requests a supported language; codes never change."""

import pytest

from homeshelf.coordination.idempotency import StoredResponse
from homeshelf.languages import Language
from tests.api_client import add_item
from tests.home import Home
from tests.pseudo_language import accented
from tests.running import RunningApp, problem_of
from tests.taps.tags import make_tag


async def test_api_error_is_in_the_requested_language(
    running: RunningApp, pseudo: Language
) -> None:
    asked = {"Accept-Language": f"zh, {pseudo.code};q=0.9"}
    refused = await running.visitor().get("/me", headers=asked)
    assert problem_of(refused) == (401, "unauthenticated")
    assert refused.json()["detail"] == accented("Sign in first.")
    assert refused.json()["title"] == "Unauthorized"
    assert refused.headers["content-language"] == pseudo.code
    assert refused.headers["vary"] == "Accept-Language"


@pytest.mark.parametrize("asked", [None, "", "*", "zh", "el;q=0", "en", "*, el;q=0.1"])
async def test_api_error_is_english_by_default(running: RunningApp, asked: str | None) -> None:
    headers = {} if asked is None else {"Accept-Language": asked}
    refused = await running.visitor().get("/me", headers=headers)
    assert refused.json()["detail"] == "Sign in first."
    assert refused.headers["content-language"] == "en"
    assert refused.headers["vary"] == "Accept-Language"


async def test_field_errors_are_in_the_requested_language(home: Home, pseudo: Language) -> None:
    asked = {"Accept-Language": pseudo.code}
    refused = await home.admin.post(
        "/items", {"name": "", "quantity": -1, "more": 1}, headers=asked
    )
    assert problem_of(refused) == (400, "validation")
    said = {each["field"]: each["message"] for each in refused.json()["errors"]}
    assert said["name"] == accented("Name must be 1-100 characters")
    assert said["more"] == accented("There’s no such field.")
    assert said["quantity"] == accented("Quantity must be a non-negative integer")


async def test_language_chosen_for_pages_does_not_affect_the_api(
    home: Home, pseudo: Language
) -> None:
    await home.admin.patch("/me/preferences", {"language": pseudo.code})
    refused = await home.admin.post("/items", {})
    assert refused.headers["content-language"] == "en"
    assert refused.json()["detail"] == "Name must be 1-100 characters"


async def test_replayed_response_keeps_its_language(home: Home, pseudo: Language) -> None:
    item = await add_item(home.admin, name="Milk", quantity=3)
    path = f"/taps/{(await make_tag(home.admin, item))['urlId']}"
    visitor = home.running.visitor()
    asked = {"Accept-Language": pseudo.code}
    first = await visitor.post(path, {"delta": -1}, key="once", headers=asked)
    assert first.json()["message"] == f"{accented('Took')} 1 Milk, 2 {accented('left')}"
    for headers in ({}, {"Accept-Language": "de"}, asked):
        again = await visitor.post(path, {"delta": -1}, key="once", headers=headers)
        assert again.content == first.content
        assert again.headers["content-language"] == pseudo.code
    other = await visitor.post(path, {"delta": -1}, key="twice")
    assert other.json()["message"] == "Took 1 Milk, 1 left"


async def test_stored_response_without_a_language_is_english(home: Home, pseudo: Language) -> None:
    asked = {"Accept-Language": pseudo.code}
    added = await home.admin.post("/stores", {"name": "Market"}, key="once")
    kept = await home.running.db.all(StoredResponse.where(caller=home.admin.member_id))
    assert [each.language for each in kept][-1:] == ["en"]
    await home.running.db.batch([each.changed(language=None).put() for each in kept])
    again = await home.admin.post("/stores", {"name": "Market"}, key="once", headers=asked)
    assert again.content == added.content
    assert again.headers["content-language"] == "en"
