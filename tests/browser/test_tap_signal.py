"""Touching a tag where there is no signal: nothing is lost, and nothing is done twice."""

import asyncio

from playwright.async_api import Route

from tests.browser.tags import Tagged, came, says, shows
from tests.browser.visitor import Visitors, expect


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


async def test_nothing_that_was_pressed_is_lost_or_done_twice_without_signal(
    visitors: Visitors, tagged: Tagged
) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    refused = asyncio.Event()

    async def lost(route: Route) -> None:
        await refused.wait()
        await route.fetch()
        await route.abort()

    await visitor.page.route("**/api/v1/taps/**", lost)
    async with visitor.page.expect_request(lambda sent: sent.method == "POST"):
        await visitor.press("Add 1")
    for _ in range(2):
        await visitor.press("Add 1")
    refused.set()
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await shows(visitor.page, 3)
    for name in ("Take 1", "Add 1"):
        await expect(visitor.found(name)).to_be_disabled()
    await visitor.page.unroute("**/api/v1/taps/**")
    await visitor.press("Add 3 now")
    await says(visitor.page, "Added 2 Paper Towels, 6 left.")
    await expect(visitor.found("Take 1")).to_be_enabled()
    assert tagged.history == [("tap", -1), ("tap", 1), ("tap", 2)]


async def test_it_says_when_there_is_signal_again(visitors: Visitors, tagged: Tagged) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    await visitor.context.set_offline(True)
    await visitor.press("Undo")
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await visitor.context.set_offline(False)
    await says(visitor.page, "There is signal again.")
    await visitor.press("Undo")
    await says(visitor.page, "Put 1 Paper Towels back, 4 left.")
    assert tagged.history == [("tap", -1), ("undo", 1)]


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
