"""A phone that is wrong about the time sends what waits as any other does, and asks nothing."""

import pytest
from playwright.async_api import expect

from tests.browser.home import Home
from tests.browser.listed import add, all_sent, on_list, row, tick
from tests.browser.storage import becomes, phone_of
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

DAY = 25
"""So many hours, more than an answer is kept for."""
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
    """It is right when something is sent unheard, and wrong ever after.

    What was sent unheard is off the list again by then: who believes that clock has to ask, or
    puts it there once more.
    """
    for name in ("Apples", "Bread"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await phone_of(home, visitors, line, "/list", new=True)
    await tick(phone, "Apples")  # and so it hears the server's time
    await becomes(["Apples purchased", "Bread"], lambda: _served(home))
    await all_sent(phone)
    line.becomes("deaf")
    await add(phone, "Jam")
    await becomes(["Apples purchased", "Bread", "Jam"], lambda: _served(home))
    _take_off(home, "Jam")
    line.becomes("cut")
    await _become_wrong(phone, hours)
    await expect(row(phone, "Jam").locator(".waits")).to_be_visible()
    await tick(phone, "Bread")
    await add(phone, "Tea")
    await expect(row(phone, "Tea")).to_be_visible()
    line.becomes("open")
    await becomes(["Apples purchased", "Bread purchased", "Tea"], lambda: _served(home), 40)
    await all_sent(phone)
    await expect(row(phone, "Jam")).to_have_count(0)
    await expect(phone.page.locator(".to-decide")).to_be_hidden()
    visitors.complaints.clear()  # a browser complains about a line that is bad


async def _become_wrong(phone: Visitor, hours: int) -> None:
    """In a new page, and in the worker."""
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


async def _served(home: Home) -> list[str]:
    return on_list(home)
