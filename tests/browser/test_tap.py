"""Somebody touches a tag: one is taken, once, and only when they really came."""

from typing import Any

import pytest
from playwright.async_api import Page, Response, Route

from tests.browser.home import Home, found_home
from tests.browser.lindqvists import Household
from tests.browser.visitor import Visitor, Visitors, expect

PRERENDERED = """
  let prepared = true;
  Object.defineProperty(document, "prerendering", { get: () => prepared });
  window.activate = () => {
    prepared = false;
    document.dispatchEvent(new Event("prerenderingchange"));
  };
"""
HIDDEN = """
  let state = "hidden";
  Object.defineProperty(document, "visibilityState", { get: () => state });
  window.turnUp = () => {
    state = "visible";
    document.dispatchEvent(new Event("visibilitychange"));
  };
"""


class Tagged:
    """A thing with a tag on it."""

    def __init__(self, home: Home, quantity: int) -> None:
        self.admin = home.admin
        self.item_id = home.item("Paper Towels", quantity, 0)
        made = home.admin.ask("POST", f"/items/{self.item_id}/nfc-urls", {})
        self.path = f"/t/{made['urlId']}"
        self.url_id = made["urlId"]

    @property
    def quantity(self) -> int:
        count: int = self.admin.ask("GET", f"/items/{self.item_id}")["quantity"]
        return count

    @property
    def history(self) -> list[tuple[str, int]]:
        found = self.admin.ask("GET", f"/items/{self.item_id}/history")["items"]
        return [(each["source"], each["delta"]) for each in reversed(found)][1:]


@pytest.fixture
def tagged(household: Household, fresh: str) -> Tagged:
    return Tagged(found_home(household, fresh), 4)


async def says(page: Page, text: str) -> None:
    await expect(page.get_by_role("status").and_(page.locator(".tap-said"))).to_have_text(text)


async def shows(page: Page, count: int) -> None:
    await expect(page.locator(".tap-count")).to_have_text(str(count))
    await expect(page.locator(".tap-count[data-waiting]")).to_have_count(0)


async def came(visitors: Visitors, tagged: Tagged, **more: Any) -> Visitor:
    visitor = await visitors.arrive(**more)
    await visitor.go(tagged.path)
    return visitor


async def test_a_tap_takes_one_and_says_so(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    await shows(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_it_can_be_undone(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await visitor.press("Undo")
    await says(visitor.page, "Put 1 Paper Towels back, 4 left.")
    await shows(visitor.page, 4)
    await expect(visitor.found("Undo")).to_be_hidden()
    assert tagged.history == [("tap", -1), ("undo", 1)]


async def test_quick_presses_are_one_request(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    for _ in range(5):
        await visitor.press("Add 1")
    await says(visitor.page, "Added 5 Paper Towels, 8 left.")
    for _ in range(2):
        await visitor.press("Take 1")
    await says(visitor.page, "Took 2 Paper Towels, 6 left.")
    await visitor.press("Undo")
    await shows(visitor.page, 8)
    assert tagged.history == [("tap", -1), ("tap", 5), ("tap", -2), ("undo", 2)]


async def test_a_reload_takes_nothing_more(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    for _ in range(2):
        await visitor.page.reload()
        await visitor.page.wait_for_load_state("networkidle")
    await shows(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_the_way_back_takes_nothing_more(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    await visitor.go("/sign-in")
    await visitor.page.go_back()
    await visitor.page.wait_for_load_state("networkidle")
    await shows(visitor.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_another_visit_takes_another(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    await visitor.go("/sign-in")
    await visitor.go(tagged.path)
    await says(visitor.page, "Took 1 Paper Towels, 2 left.")
    assert tagged.quantity == 2


@pytest.mark.parametrize(
    ("before", "then"),
    [(PRERENDERED, "activate()"), (HIDDEN, "turnUp()")],
    ids=["prepared", "hidden"],
)
async def test_what_nobody_sees_yet_takes_nothing(
    visitors: Visitors, tagged: Tagged, before: str, then: str
) -> None:
    visitor = await visitors.arrive()
    await visitor.page.add_init_script(before)
    await visitor.go(tagged.path)
    await visitor.page.wait_for_load_state("networkidle")
    assert tagged.history == []
    await visitor.page.evaluate(then)
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")


async def test_without_any_script_a_form_does_it(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged, script=False)
    assert tagged.history == []
    await visitor.press("Take 1")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    await visitor.is_at(tagged.path)
    await visitor.press("Add 1")
    await expect(visitor.page.locator(".tap-count")).to_have_text("4")
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_without_signal_it_says_so_and_what_was_meant_is_one_button_away(
    visitors: Visitors, tagged: Tagged
) -> None:
    visitor = await visitors.arrive()
    await visitor.page.route("**/api/v1/taps/**", lambda route: route.abort())
    await visitor.go(tagged.path)
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await shows(visitor.page, 4)
    await visitor.page.unroute("**/api/v1/taps/**")
    await visitor.press("Take 1 now")
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    await visitor.context.set_offline(True)
    await visitor.press("Add 1")
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await shows(visitor.page, 3)
    await visitor.context.set_offline(False)
    await visitor.press("Add 1 now")
    await shows(visitor.page, 4)
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_an_answer_that_never_came_is_asked_for_again_and_not_done_twice(
    visitors: Visitors, tagged: Tagged
) -> None:
    visitor = await visitors.arrive()

    async def lost(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await visitor.page.route("**/api/v1/taps/**", lost)
    await visitor.go(tagged.path)
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await visitor.page.unroute("**/api/v1/taps/**")
    await visitor.page.reload()
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    assert tagged.history == [("tap", -1)]


async def test_at_nothing_it_says_so(visitors: Visitors, household: Household, fresh: str) -> None:
    visitor = await came(visitors, Tagged(found_home(household, fresh), 0))
    await says(visitor.page, "Paper Towels: already at 0.")
    await expect(visitor.found("Undo")).to_be_hidden()


async def test_a_dead_tag_says_what_to_do(visitors: Visitors, tagged: Tagged) -> None:
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    visitor = await came(visitors, tagged)
    await visitor.reads_above_all("There is nothing here")


async def test_it_is_small_and_asks_for_little(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await visitors.arrive()
    loaded: list[Response] = []
    visitor.page.on("response", lambda response: loaded.append(response))  # noqa: PLW0108  # marked by Playwright
    await visitor.go(tagged.path)
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    needed = [each for each in loaded if "/api/" not in each.url]
    sizes = [(await each.request.sizes())["responseBodySize"] for each in needed]
    assert len(sizes) == 3
    assert sum(sizes) < 10_000
