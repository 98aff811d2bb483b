"""Which language somebody is spoken to: the one they chose, else their browser's, else the house's,
else English."""

import re

import httpx
import pytest

from homeshelf.accounts.store import account
from homeshelf.languages import LANGUAGES, Language
from homeshelf.table import Database
from tests.api_client import add_item
from tests.home import Home
from tests.pages import OURS, send
from tests.pseudo_language import accented
from tests.running import RunningApp, Visitor, problem_of, running_app
from tests.taps.tags import make_tag


async def opened(who: Visitor, path: str, asked: str = "") -> httpx.Response:
    headers = OURS | ({"Accept-Language": asked} if asked else {})
    return await who.client.get(path, headers=headers)


def spoken(answer: httpx.Response) -> str:
    """The language of a page, which all that says so agrees on."""
    found = re.search(r'<html lang="(\w+)" dir="(\w+)"', answer.text)
    assert found, answer.text
    assert LANGUAGES[found[1]].direction == found[2]
    assert answer.headers["content-language"] == found[1]
    assert "Accept-Language" in answer.headers["vary"]
    return found[1]


async def test_a_stranger_is_spoken_to_as_the_browser_asks(
    running: RunningApp, pseudo: Language
) -> None:
    stranger = running.visitor()
    page = await opened(stranger, "/sign-in", "el-GR, en;q=0.5")
    assert spoken(page) == pseudo.code
    assert accented("Welcome back") in page.text
    assert spoken(await opened(stranger, "/sign-in")) == "en"
    assert spoken(await opened(stranger, "/sign-in", "zh, *")) == "en"


async def test_who_chose_a_language_is_spoken_to_in_it_whatever_the_browser_asks(
    home: Home, pseudo: Language
) -> None:
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"
    chosen = await home.admin.patch("/me/preferences", {"language": pseudo.code})
    assert chosen.json()["language"] == pseudo.code
    page = await opened(home.admin, "/stock", "de")
    assert spoken(page) == pseudo.code
    assert accented("Running low") in page.text
    await home.admin.patch("/me/preferences", {"language": "auto"})
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"


async def test_who_is_refused_is_told_so_in_the_language_they_chose(
    home: Home, pseudo: Language
) -> None:
    kid = await home.with_member("kid", "suggester")
    await kid.patch("/me/preferences", {"language": pseudo.code})
    page = await opened(kid, "/family/invite")
    assert page.status_code == 403
    assert spoken(page) == pseudo.code
    assert accented("This is not for you") in page.text


async def test_the_house_has_a_language_for_those_who_ask_for_none(
    database: Database, pseudo: Language
) -> None:
    async with running_app(database, language=pseudo) as running:
        stranger = running.visitor()
        assert spoken(await opened(stranger, "/sign-in")) == pseudo.code
        assert spoken(await opened(stranger, "/sign-in", "zh")) == pseudo.code
        assert spoken(await opened(stranger, "/sign-in", "de")) == "de"
        assert spoken(await opened(stranger, "/t/nothing")) == pseudo.code
        assert spoken(await opened(stranger, "/no/such/page")) == pseudo.code
        refused = await stranger.get("/me")
        assert refused.json()["detail"] == "Sign in first."
        assert refused.headers["content-language"] == "en"


async def test_one_request_says_nothing_about_the_next(home: Home, pseudo: Language) -> None:
    stranger = home.running.visitor()
    await home.admin.patch("/me/preferences", {"language": pseudo.code})
    await opened(home.admin, "/stock")
    assert spoken(await opened(stranger, "/sign-in")) == "en"
    assert (await stranger.get("/me")).json()["detail"] == "Sign in first."


async def test_the_page_of_a_tag_is_in_the_browsers_language(home: Home, pseudo: Language) -> None:
    tag = await make_tag(home.admin, await add_item(home.admin))
    for path in (f"/t/{tag['urlId']}", "/t/nothing"):
        stranger = home.running.visitor()
        assert spoken(await opened(stranger, path)) == "en"
        assert spoken(await opened(stranger, path, pseudo.code)) == pseudo.code
        assert spoken(await opened(stranger, path, "zh, ar;q=0.2")) == "ar"


async def test_it_is_chosen_on_the_settings_page(home: Home, pseudo: Language) -> None:
    page = await opened(home.admin, "/settings")
    (choice,) = re.findall(r'<select[^>]* name="language".*?</select>', page.text, re.DOTALL)
    assert '<option value="de" lang="de">Deutsch</option>' in choice
    saved = await send(home.admin, "/settings/preferences", language=pseudo.code)
    assert saved.status_code == 303
    page = await opened(home.admin, saved.headers["location"])
    assert spoken(page) == pseudo.code
    assert re.search(r'<option value="el" lang="el"\s+selected>', page.text)


@pytest.mark.parametrize("wrong", ["xx", "EN", "de-DE", "", 5])
async def test_another_is_refused_and_nothing_changes(home: Home, wrong: object) -> None:
    refused = await home.admin.patch("/me/preferences", {"language": wrong})
    assert problem_of(refused) == (400, "validation")
    assert [each["field"] for each in refused.json()["errors"]] == ["language"]
    assert (await home.admin.get("/me/preferences")).json()["language"] == "auto"


async def test_one_that_is_spoken_no_longer_is_as_if_none_was_chosen(
    home: Home, pseudo: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.admin.patch("/me/preferences", {"language": pseudo.code})
    monkeypatch.delitem(LANGUAGES, pseudo.code)
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"


async def test_what_the_browser_asked_for_is_remembered_for_letters(running: RunningApp) -> None:
    known = {"email": "ada@home.local", "password": "correct horse battery", "name": "Ada"}
    visitor = running.visitor()
    german = OURS | {"Accept-Language": "de-DE"}
    await visitor.client.post("/sign-up", data=known, headers=german)
    assert await came_with(running, visitor) == "de"
    again = running.visitor()
    del known["name"]
    await again.client.post("/sign-in", data=known, headers=OURS | {"Accept-Language": "sv"})
    assert await came_with(running, again) == "sv"
    await again.client.post("/sign-in", data=known, headers=OURS)
    assert await came_with(running, again) == "sv"


async def came_with(running: RunningApp, visitor: Visitor) -> str | None:
    me = await visitor.get("/me", headers={"Origin": "http://home.test"})
    found = await account(running.db, me.json()["memberId"])
    assert found is not None
    return found.came_with


async def test_the_page_without_a_signal_is_in_the_language_of_the_others(
    running: RunningApp, pseudo: Language
) -> None:
    stranger = running.visitor()
    assert spoken(await opened(stranger, f"/offline?language={pseudo.code}", "de")) == pseudo.code
    assert spoken(await opened(stranger, "/offline?language=xx", "de")) == "de"
    assert spoken(await opened(stranger, "/offline")) == "en"


async def test_the_name_of_the_app_is_described_in_it_too(
    running: RunningApp, pseudo: Language
) -> None:
    asked = {"Accept-Language": pseudo.code}
    manifest = (await running.visitor().client.get("/manifest.webmanifest", headers=asked)).json()
    assert (manifest["lang"], manifest["dir"]) == (pseudo.code, "ltr")
    assert manifest["description"].startswith(accented("What is at home"))
