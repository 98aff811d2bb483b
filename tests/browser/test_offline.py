"""Offline pages: visited pages are shown, and secret ones are never cached."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Literal

import pytest
from playwright.async_api import Error

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.storage import cached_paths, wait_for_worker, wait_until_equal
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

IMPORTANT = {"/", "/list", "/stock", "/books"}
MILLISECONDS_UNTIL_SHOWN = "performance.getEntriesByType('navigation')[0].responseEnd"


@pytest.fixture
async def mina_with_cache(visitors: Visitors) -> AsyncIterator[Visitor]:
    """A visitor whose phone caches pages."""
    mina = await visitors.arrive("Mina", offline_worker=True)
    await mina.go("/")
    await wait_for_worker(mina)
    yield mina
    await mina.context.set_offline(False)
    visitors.complaints.clear()  # the browser reports requests that failed offline


async def test_visited_page_is_shown_offline(mina_with_cache: Visitor) -> None:
    await mina_with_cache.go("/family")
    session = await mina_with_cache.context.new_cdp_session(mina_with_cache.page)
    await session.send("Network.clearBrowserCache")  # the worker has its own cache
    await mina_with_cache.context.set_offline(True)
    await mina_with_cache.go("/family")
    await mina_with_cache.reads_above_all("The Lindqvists")
    assert await mina_with_cache.page.evaluate("getComputedStyle(document.body).display") == "grid"
    await mina_with_cache.open("Mina: family and settings")
    await mina_with_cache.press("Family")
    await mina_with_cache.reads_above_all("The Lindqvists")


async def test_page_with_query_falls_back_to_cached_page_without_it(
    mina_with_cache: Visitor,
) -> None:
    await mina_with_cache.go("/family")
    await mina_with_cache.context.set_offline(True)
    await mina_with_cache.go("/family?said=saved")
    await mina_with_cache.reads_above_all("The Lindqvists")
    await mina_with_cache.sees_nothing_of("Saved.")


@pytest.mark.parametrize("trouble", ["cut", "hang"])
async def test_unvisited_page_shows_offline_page_and_opens_once_connected(
    phone: Visitor, line: Line, trouble: Literal["cut", "hang"]
) -> None:
    line.becomes(trouble)
    await phone.go("/settings")
    await phone.reads_above_all("You’re offline")
    assert await phone.page.evaluate(MILLISECONDS_UNTIL_SHOWN) < 5000
    line.becomes("open")
    await phone.reads_above_all("Settings")


async def test_most_important_pages_are_cached_from_first_visit(
    home: Home, visitors: Visitors, line: Line
) -> None:
    """The first page was opened before there was a worker to cache it."""
    home.item("Rice", 5, 0)
    phone = await home.phone(visitors, url=line.url, offline_worker=True, new=True)
    await phone.go("/family?said=saved")
    await wait_until_equal(IMPORTANT | {"/family"}, lambda: cached_paths(phone))
    line.becomes("cut")
    for path, heading in (("/family", f"House of {home.admin.name}"), ("/stock", "Stock")):
        await phone.go(path)
        await phone.reads_above_all(heading)
    await phone.sees("Rice")
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


async def test_first_page_is_not_cached_if_it_is_secret(
    home: Home, visitors: Visitors, line: Line
) -> None:
    phone = await home.phone(visitors, url=line.url, offline_worker=True, new=True)

    async def open_again() -> set[str]:
        await phone.go("/tags")
        return await cached_paths(phone)

    await wait_until_equal(IMPORTANT, open_again, 60)


async def test_offline_form_is_not_answered_from_cache(
    mina_with_cache: Visitor,
) -> None:
    await mina_with_cache.go("/settings")
    await mina_with_cache.context.set_offline(True)
    await mina_with_cache.press("Save name")
    await mina_with_cache.is_at("chrome-error://chromewebdata/")


async def test_opening_list_deletes_caches_of_other_versions(mina_with_cache: Visitor) -> None:
    await mina_with_cache.go("/list")
    await mina_with_cache.page.evaluate("caches.open('homeshelf-older-pages')")
    await mina_with_cache.go("/list")
    await wait_until_equal(
        False, lambda: mina_with_cache.page.evaluate("caches.has('homeshelf-older-pages')")
    )


async def test_cached_page_is_shown_if_server_hangs(
    mina_with_cache: Visitor, household: DemoHousehold
) -> None:
    await mina_with_cache.go("/family")
    os.kill(household.pid, signal.SIGSTOP)
    try:
        await mina_with_cache.go("/family")
        await mina_with_cache.reads_above_all("The Lindqvists")
    finally:
        os.kill(household.pid, signal.SIGCONT)


async def test_secret_pages_are_never_cached(
    mina_with_cache: Visitor, household: DemoHousehold
) -> None:
    ids = household.ids
    secret = [
        "/sign-in",
        "/sign-up",
        "/forgotten",
        f"/join/{ids['join']}",
        f"/sign-in-link/{ids['link']}",
        f"/family/children/{ids['memberId of a child']}",
        f"/reset/{ids['reset']}",
        f"/verify/{ids['verify']}",
        f"/family/invitations/{ids['invitationId']}",
        f"/t/{ids['urlId']}",
        f"/stock/{ids['itemId']}/tags",
        "/tags",
        "/tags/print",
    ]
    for path in [*secret, "/family"]:
        await mina_with_cache.go(path)
    assert await cached_paths(mina_with_cache) <= IMPORTANT | {"/family"}


async def test_withdrawn_page_is_removed_from_cache(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    """A removed member's phone must not show the family's pages."""
    person = household.create_account(unique_name)
    invited = household.people["Mina"].ask(
        "POST", "/invitations", {"email": person.email, "role": "admin"}
    )
    person.ask("POST", "/invitations/accept", {"token": invited["link"].rpartition("/")[2]})
    phone = await visitors.arrive(offline_worker=True)
    await person.sign_in_to(phone.context)
    await phone.go("/")
    await wait_for_worker(phone)
    await phone.go("/family")
    assert "/family" in await cached_paths(phone)
    household.people["Mina"].ask("DELETE", f"/members/{person.member_id}")
    person.api.close()
    await phone.go("/family")
    await phone.reads_above_all("What is your home called?")
    assert "/family" not in await cached_paths(phone)


async def test_sign_out_deletes_cached_pages(mina_with_cache: Visitor) -> None:
    for path in ("/family", "/settings"):
        await mina_with_cache.go(path)
    await mina_with_cache.open("Mina: family and settings")
    await mina_with_cache.press("Sign out")
    await mina_with_cache.reads_above_all("Your household’s shared memory")
    assert await cached_paths(mina_with_cache) <= {"/"}
    await mina_with_cache.context.set_offline(True)
    for path in ("/family", "/settings"):
        with suppress(Error):  # the worker may have stopped
            await mina_with_cache.go(path)
            await mina_with_cache.reads_above_all("You’re offline")
        await mina_with_cache.sees_nothing_of("Mina")


async def test_next_sign_in_finds_no_cached_pages(
    mina_with_cache: Visitor, household: DemoHousehold
) -> None:
    """Mina's session ends elsewhere, then Jonas uses the tablet."""
    await mina_with_cache.go("/settings")
    await mina_with_cache.context.clear_cookies()
    await mina_with_cache.go("/sign-in")
    jonas = household.people["Jonas"]
    await mina_with_cache.write("E-mail", jonas.email)
    await mina_with_cache.write("Password", jonas.password)
    await mina_with_cache.press("Sign in")
    await mina_with_cache.reads_above_all("Hello Jonas")
    await mina_with_cache.context.set_offline(True)
    await mina_with_cache.go("/settings")
    await mina_with_cache.reads_above_all("You’re offline")
