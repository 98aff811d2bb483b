"""The language of a page: the chosen one, else the browser's, else that of the settings, else
English."""

import re

import httpx
import pytest

from homeshelf.accounts.store import get_account
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
    """Return the language of a page, which its header and its `lang` agree on."""
    found = re.search(r'<html lang="(\w+)" dir="(\w+)"', answer.text)
    assert found, answer.text
    assert LANGUAGES[found[1]].direction == found[2]
    assert answer.headers["content-language"] == found[1]
    assert "Accept-Language" in answer.headers["vary"]
    return found[1]


async def test_anonymous_visitor_gets_the_language_of_the_browser(
    running: RunningApp, pseudo: Language
) -> None:
    stranger = running.visitor()
    page = await opened(stranger, "/sign-in", "el-GR, en;q=0.5")
    assert spoken(page) == pseudo.code
    assert accented("Welcome back") in page.text
    assert spoken(await opened(stranger, "/sign-in")) == "en"
    assert spoken(await opened(stranger, "/sign-in", "zh, *")) == "en"


async def test_chosen_language_overrides_that_of_the_browser(home: Home, pseudo: Language) -> None:
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"
    chosen = await home.admin.patch("/me/preferences", {"language": pseudo.code})
    assert chosen.json()["language"] == pseudo.code
    page = await opened(home.admin, "/stock", "de")
    assert spoken(page) == pseudo.code
    assert accented("Running low") in page.text
    await home.admin.patch("/me/preferences", {"language": "auto"})
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"


async def test_error_page_is_in_the_chosen_language(home: Home, pseudo: Language) -> None:
    kid = await home.with_member("kid", "suggester")
    await kid.patch("/me/preferences", {"language": pseudo.code})
    page = await opened(kid, "/family/invite")
    assert page.status_code == 403
    assert spoken(page) == pseudo.code
    assert accented("You don’t have access") in page.text


async def test_default_language_is_that_of_the_settings(
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


async def test_language_of_a_request_does_not_affect_the_next(home: Home, pseudo: Language) -> None:
    stranger = home.running.visitor()
    await home.admin.patch("/me/preferences", {"language": pseudo.code})
    await opened(home.admin, "/stock")
    assert spoken(await opened(stranger, "/sign-in")) == "en"
    assert (await stranger.get("/me")).json()["detail"] == "Sign in first."


async def test_tag_page_is_in_the_language_of_the_browser(home: Home, pseudo: Language) -> None:
    tag = await make_tag(home.admin, await add_item(home.admin))
    for path in (f"/t/{tag['urlId']}", "/t/nothing"):
        stranger = home.running.visitor()
        assert spoken(await opened(stranger, path)) == "en"
        assert spoken(await opened(stranger, path, pseudo.code)) == pseudo.code
        assert spoken(await opened(stranger, path, "zh, ar;q=0.2")) == "ar"


async def test_language_can_be_chosen_on_the_settings_page(home: Home, pseudo: Language) -> None:
    page = await opened(home.admin, "/settings")
    (choice,) = re.findall(r'<select[^>]* name="language".*?</select>', page.text, re.DOTALL)
    assert '<option value="de" lang="de">Deutsch</option>' in choice
    saved = await send(home.admin, "/settings/preferences", language=pseudo.code)
    assert saved.status_code == 303
    page = await opened(home.admin, saved.headers["location"])
    assert spoken(page) == pseudo.code
    assert re.search(r'<option value="el" lang="el"\s+selected>', page.text)


@pytest.mark.parametrize("wrong", ["xx", "EN", "de-DE", "", 5])
async def test_unknown_language_is_refused_without_a_change(home: Home, wrong: object) -> None:
    refused = await home.admin.patch("/me/preferences", {"language": wrong})
    assert problem_of(refused) == (400, "validation")
    assert [each["field"] for each in refused.json()["errors"]] == ["language"]
    assert (await home.admin.get("/me/preferences")).json()["language"] == "auto"


async def test_unsupported_stored_language_is_ignored(
    home: Home, pseudo: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.admin.patch("/me/preferences", {"language": pseudo.code})
    monkeypatch.delitem(LANGUAGES, pseudo.code)
    assert spoken(await opened(home.admin, "/stock", "de")) == "de"


async def test_language_of_the_browser_is_stored_for_mail(running: RunningApp) -> None:
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
    found = await get_account(running.db, me.json()["memberId"])
    assert found is not None
    return found.came_with


async def test_offline_page_is_in_the_language_of_the_other_pages(
    running: RunningApp, pseudo: Language
) -> None:
    stranger = running.visitor()
    assert spoken(await opened(stranger, f"/offline?language={pseudo.code}", "de")) == pseudo.code
    assert spoken(await opened(stranger, "/offline?language=xx", "de")) == "de"
    assert spoken(await opened(stranger, "/offline")) == "en"


async def test_manifest_is_in_the_chosen_language(running: RunningApp, pseudo: Language) -> None:
    asked = {"Accept-Language": pseudo.code}
    manifest = (await running.visitor().client.get("/manifest.webmanifest", headers=asked)).json()
    assert (manifest["lang"], manifest["dir"]) == (pseudo.code, "ltr")
    assert manifest["description"].startswith(accented("What’s at home"))
