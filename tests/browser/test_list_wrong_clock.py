"""A phone with a wrong clock sends its queue without questions."""

import pytest
from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row, listed_entries, tick, wait_until_all_sent
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

DAY = 25
"""Hours after which the server no longer keeps responses."""
_WRONG = """(hours) => {
  const Right = Date;
  const now = () => Right.now() + hours * 3_600_000;
  globalThis.Date = class extends Right {
    constructor(...given) {
      super(...(given.length ? given : [now()]));
    }
    static now() {
      return now();
    }
  };
}"""


@pytest.mark.parametrize("hours", [-DAY, DAY], ids=["slow", "fast"])
async def test_clock_off_by_a_day_changes_nothing(
    home: Home, visitors: Visitors, line: Line, hours: int
) -> None:
    """The clock is right when the change is sent without a response, and wrong afterwards.

    By then the entry is off the list again: a phone that believed its clock would ask the user or
    add the entry twice.
    """
    for name in ("Apples", "Bread"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await open_phone(home, visitors, line, "/list", new=True)
    await tick(phone, "Apples")  # lets the phone learn the server's time
    await wait_until_equal(["Apples purchased", "Bread"], lambda: _server_entries(home))
    await wait_until_all_sent(phone)
    line.becomes("deaf")
    await add(phone, "Jam")
    await wait_until_equal(["Apples purchased", "Bread", "Jam"], lambda: _server_entries(home))
    _take_off(home, "Jam")
    line.becomes("cut")
    await _set_wrong_clock(phone, hours)
    await expect(entry_row(phone, "Jam").locator(".waits")).to_be_visible()
    await tick(phone, "Bread")
    await add(phone, "Tea")
    await expect(entry_row(phone, "Tea")).to_be_visible()
    line.becomes("open")
    await wait_until_equal(
        ["Apples purchased", "Bread purchased", "Tea"], lambda: _server_entries(home), 40
    )
    await wait_until_all_sent(phone)
    await expect(entry_row(phone, "Jam")).to_have_count(0)
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def _set_wrong_clock(phone: Visitor, hours: int) -> None:
    """Set the clock of a new page and of the service worker."""
    await phone.context.add_init_script(f"({_WRONG})({hours})")
    (worker,) = phone.context.service_workers
    await worker.evaluate(_WRONG, hours)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    wrong = await phone.page.evaluate("(Date.now() - performance.timeOrigin) / 3_600_000")
    assert round(wrong) == hours


def _take_off(home: Home, name: str) -> None:
    entries = home.admin.ask("GET", "/shopping-list")["items"]
    (found,) = [entry["shoppingItemId"] for entry in entries if entry["name"] == name]
    home.admin.ask("DELETE", f"/shopping-list/{found}")


async def _server_entries(home: Home) -> list[str]:
    return listed_entries(home)
