"""A shopping trip on every kind of bad connection while another member edits the list."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, expect

from tests.browser.demo_household import DemoHousehold, Resident
from tests.browser.family_home import Home, create_home
from tests.browser.list_page import add, entry_row, tick, wait_until_all_sent
from tests.browser.storage import open_phone, pending_names, wait_until_equal
from tests.browser.visitor import Visitor, Visitors
from tests.forked_processes import served
from tests.network import Line, line_to
from tests.processes import Served

Trouble = Literal["cut", "hang", "deaf", "flap"]
FLAPS_SECONDS = 0.7
THINGS = ("Apples", "Bread", "Cheese", "Dates", "Eggs", "Flour", "Grapes")
BOUGHT, ADDED = THINGS[:5], ("Jam", "Rice", "Tea")
AT_HOME_BOUGHT, AT_HOME_REMOVED = ("Bread", "Cheese"), "Eggs"
TOLD = f"Someone removed {AT_HOME_REMOVED} from the list."
AT_THE_END = [
    *("Apples purchased 2", "Bread purchased 2", "Cheese purchased 2", "Dates purchased 2"),
    *("Flour pending the dark one 2", "Grapes pending 1"),
    *("Jam pending 1", "Rice pending 1", "Tea pending 1"),
]
"""The expected entries with their versions, which show that no change was applied twice."""
_ROWS = """rows => rows.map((row) => {
  const { name, status, version } = row.dataset;
  const notes = row.querySelector(".entry-notes:not([hidden])")?.textContent.trim();
  return [name, status, notes, version].filter(Boolean).join(" ");
}).sort()"""


@pytest.mark.parametrize("trouble", ["cut", "hang", "deaf", "flap"])
async def test_unreliable_connections_apply_every_change_exactly_once(
    home: Home, visitors: Visitors, line: Line, line_at_home: Line, trouble: Trouble
) -> None:
    phone, other = await _open_on_two_phones(home, visitors, line, line_at_home)
    async with AsyncExitStack() as stack:
        if trouble == "flap":
            await stack.enter_async_context(line.flapping(FLAPS_SECONDS))
        else:
            line.becomes(trouble)
        line_at_home.becomes("hang")
        await _go_shopping(phone)
        await _change_at_home(other)
        if trouble == "deaf":
            await wait_until_equal(len(THINGS) + 1, lambda: _count(home.admin))
        line_at_home.becomes("open")
        await wait_until_all_sent(other)
        await _reopen(phone)
    line.becomes("open")
    await _end_alike(home.admin, phone, other)
    if trouble != "flap":
        await phone.sees(TOLD)
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def test_server_killed_during_sending_applies_change_once(
    browser: Browser, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        line, line_at_home = [
            await stack.enter_async_context(line_to("http://127.0.0.1:9")) for _ in range(2)
        ]
        with served(tmp_path) as first:
            line.upstream = line_at_home.upstream = first.url
            home = create_home(_as_household(first, tmp_path), "Ada")
            visitors = Visitors(browser, home.household)
            phone, other = await _open_on_two_phones(home, visitors, line, line_at_home)
            for each in (line, line_at_home):
                each.becomes("cut")
            await _go_shopping(phone)
            await _change_at_home(other)
            await _reopen(phone)
            before = _entry_texts(home.admin)
            line.becomes("open")
            await wait_until_equal(True, lambda: _is_another(home.admin, before))
            first.process.kill()
            first.process.wait(10)
            home.admin.api.close()
            assert await pending_names(phone)
        with served(tmp_path) as second:
            line.upstream = line_at_home.upstream = second.url
            line_at_home.becomes("open")
            ada = Resident(second.url, "Ada", home.admin.email, home.admin.password)
            await _end_alike(ada, phone, other)
            ada.api.close()
            await visitors.leave()


async def _open_on_two_phones(
    home: Home, visitors: Visitors, line: Line, line_at_home: Line
) -> tuple[Visitor, Visitor]:
    """Open the list on both phones; the one that leaves knows the server's time."""
    for name in THINGS:
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await open_phone(home, visitors, line, "/list")
    other = await home.phone(visitors, url=line_at_home.url)
    await other.go("/list")
    for each in (phone, other):
        await expect(each.page.locator("li.entry")).to_have_count(len(THINGS))
    await add(phone, "Salt")
    await expect(entry_row(other, "Salt")).to_have_count(1)
    await wait_until_all_sent(phone)
    await _take_off(phone, "Salt")
    await wait_until_equal(len(THINGS), lambda: _count(home.admin))
    await expect(entry_row(other, "Salt")).to_have_count(0)
    return phone, other


async def _go_shopping(phone: Visitor) -> None:
    """Add first, because a repeated addition would be visible."""
    for name in ADDED:
        await add(phone, name)
    for name in BOUGHT:
        await tick(phone, name)
    await entry_row(phone, "Flour").get_by_role("link", name="Edit Flour").click()
    await phone.write("Notes", "the dark one")
    await phone.press("Save")
    await expect(entry_row(phone, "Flour")).to_contain_text("the dark one")


async def _change_at_home(other: Visitor) -> None:
    for name in AT_HOME_BOUGHT:
        await tick(other, name)
    await _take_off(other, AT_HOME_REMOVED)


async def _take_off(visitor: Visitor, name: str) -> None:
    await entry_row(visitor, name).get_by_role("link", name=f"Edit {name}").click()
    await visitor.press("Remove from list")
    await expect(entry_row(visitor, name)).to_have_count(0)


async def _reopen(phone: Visitor) -> None:
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    for name in ADDED:
        await expect(entry_row(phone, name)).to_have_attribute("data-status", "pending")
    await expect(entry_row(phone, "Flour")).to_contain_text("the dark one")
    for name in set(BOUGHT) - {AT_HOME_REMOVED}:
        await expect(entry_row(phone, name)).to_have_attribute("data-status", "purchased")


async def _end_alike(person: Resident, *visitors: Visitor) -> None:
    async def server_state() -> list[str]:
        return _entry_texts(person)

    await wait_until_equal(AT_THE_END, server_state, 40)
    for visitor in visitors:
        rows = visitor.page.locator("li.entry")
        await wait_until_equal(AT_THE_END, partial(rows.evaluate_all, _ROWS))
        await wait_until_all_sent(visitor)


def _entry_texts(person: Resident) -> list[str]:
    parts = ("name", "status", "notes", "version")
    return sorted(
        " ".join(str(entry[part]) for part in parts if entry[part]) for entry in _entries(person)
    )


def _entries(person: Resident) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = person.ask("GET", "/shopping-list?limit=100")["items"]
    return entries


async def _count(person: Resident) -> int:
    return len(_entries(person))


async def _is_another(person: Resident, before: list[str]) -> bool:
    return _entry_texts(person) != before


def _as_household(running: Served, folder: Path) -> DemoHousehold:
    return DemoHousehold(running.url, running.process.pid, {}, folder / "data", {})
