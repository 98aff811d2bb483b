"""Rows drawn by scripts equal those rendered by the server."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row
from tests.browser.visitor import Visitors

_BOTH = """async () => {
  const server = await (await fetch(location.href)).text();
  return [document, new DOMParser().parseFromString(server, "text/html")].map(looked);

  function looked(page) {
    const list = page.querySelector("shopping-list");
    const rows = [...list.querySelectorAll("li.entry")];
    return {
      rows: rows.map(rowOf),
      groups: [...list.querySelectorAll(".list-group ul")].map((group) => group.children.length),
      titles: texts(list, ".list-group h2"),
      bought: text(list, ".bought-count"),
      shops: links(page, ".shops a"),
      share: links(page, ".handover a"),
      isEmpty: Boolean(list.querySelector(".list-empty:not([hidden])")),
    };
  }

  function rowOf(row) {
    const picture = row.querySelector(".picture");
    const tick = row.querySelector("form.tick");
    const away = row.querySelector("form.away:not([hidden])");
    const isDone = row.matches(".entry-done");
    return {
      id: row.id,
      data: { ...row.dataset },
      isDone,
      picture: [[...picture.classList].sort(), picture.textContent.trim()],
      name: text(row, ".entry-name"),
      many: isDone ? text(row, ".badge:not([hidden])") : null,
      notes: text(row, ".entry-notes:not([hidden])"),
      tick: [tick.getAttribute("action"), tick.querySelector("button").ariaPressed],
      away: away && [away.getAttribute("action"), text(away, "button")],
      awayLooks: away && away.querySelector("button").className,
      aside: links(row, ".aside:not([hidden])"),
      change: links(row, ".change").concat(row.querySelector(".change").ariaLabel),
    };
  }

  function links(place, where) {
    return [...place.querySelectorAll(where)].map((link) =>
      [link.getAttribute("href"), link.textContent.trim(), link.getAttribute("aria-current")]);
  }

  function texts(place, where) {
    return [...place.querySelectorAll(where)].map((each) => each.textContent.trim());
  }

  function text(place, where) {
    return texts(place, where).join(" ");
  }
}"""


def buy(home: Home, name: str, **more: Any) -> dict[str, Any]:
    """Create an item with a purchased entry."""
    item_id = home.item(name, 1, 0)
    made = home.admin.ask("POST", "/shopping-list", {"name": name, "itemId": item_id, **more})
    return tick(home, made)


def tick(home: Home, entry: dict[str, Any]) -> dict[str, Any]:
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    known = {"status": "purchased", "version": entry["version"]}
    bought: dict[str, Any] = home.admin.ask("PATCH", path, known)
    return bought


def fill(home: Home) -> str:
    market, bakery = home.store("Market"), home.store("Bakery")
    for known in (
        {"name": "Milk"},
        {"name": "Tea", "quantity": 2, "notes": "green"},
        {"name": "Soap", "storeId": market},
        {"name": "🍎 apples", "storeId": bakery},
        {"name": "Zwiebelkuchen xy", "storeId": market, "notes": "<b>2</b>"},
        {"name": "über q"},
    ):
        home.admin.ask("POST", "/shopping-list", known)
    buy(home, "Salt")
    buy(home, "Rice", quantity=2, storeId=market)
    eggs = buy(home, "Eggs", quantity=4)
    path = f"/shopping-list/{eggs['shoppingItemId']}/put-away"
    home.admin.ask("POST", path, {"version": eggs["version"]})
    tick(home, home.admin.ask("POST", "/shopping-list", {"itemId": eggs["itemId"]}))
    for bought in (buy(home, "Yeast"), eggs):
        home.admin.ask("POST", f"/items/{bought['itemId']}/archive")
    return market


@pytest.mark.parametrize("is_at_store", [False, True], ids=["everywhere", "at a store"])
async def test_script_draws_rows_like_the_server(
    visitors: Visitors, home: Home, is_at_store: bool
) -> None:
    market = fill(home)
    phone = await home.phone(visitors)
    await phone.go(f"/list?at={market}" if is_at_store else "/list")
    await expect(entry_row(phone, "Soap").locator(".entry-count")).to_be_visible()
    drawn, written = await phone.page.evaluate(_BOTH)
    assert drawn["rows"]
    for one, other in zip(drawn["rows"], written["rows"], strict=True):
        assert one == other
    assert drawn == written


async def test_row_offers_the_actions_of_its_state(visitors: Visitors, home: Home) -> None:
    fill(home)
    phone = await home.phone(visitors)
    await phone.go("/list")
    tea, milk, salt = (entry_row(phone, name) for name in ("Tea", "Milk", "Salt"))
    await expect(tea.locator("output")).to_have_text("2")
    await expect(milk.locator("output")).to_be_hidden()
    await expect(tea).to_have_class("entry entry-multiple")
    await expect(milk).to_have_class("entry")
    for each in (tea, milk):
        await expect(
            each.locator(":is(.badge, .waits, .asked, .aside, .away):visible")
        ).to_have_count(0)
    await expect(salt.locator(".entry-count")).to_be_hidden()


async def test_script_draws_empty_list_like_the_server(visitors: Visitors, home: Home) -> None:
    phone = await home.phone(visitors)
    await phone.go("/list")
    await expect(phone.page.locator(".list-empty")).to_be_visible()
    drawn, written = await phone.page.evaluate(_BOTH)
    assert drawn == written
