"""Reused browser contexts contain no data of earlier tests."""

import pytest
from playwright.async_api import Browser

from tests.browser.contexts import Contexts
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.screens import PHONE
from tests.browser.storage import CHANGES, cached_paths, queue_addition, wait_for_worker
from tests.browser.visitor import Visitors, expect

_STORES = "localStorage.setItem('mine', '1'), sessionStorage.setItem('mine', '1')"
_STORED = "[{ ...localStorage }, { ...sessionStorage }]"
_STORES_MORE = """async () => {
  await (await caches.open("mine-pages")).put("/mine", new Response("mine"));
  await new Promise((done) => { indexedDB.open("mine").onsuccess = done; });
}"""
_STORED_MORE = """async () => [
  await caches.keys(), (await indexedDB.databases()).map(({ name }) => name)]"""


@pytest.fixture
async def visitors_of_first_test(
    browser: Browser, household: DemoHousehold, used_contexts: Contexts
) -> Visitors:
    return Visitors(browser, household, used_contexts)


@pytest.fixture
async def visitors_of_next_test(
    browser: Browser, household: DemoHousehold, used_contexts: Contexts
) -> Visitors:
    return Visitors(browser, household, used_contexts)


async def test_reused_context_has_no_data_of_previous_test(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors, home: Home
) -> None:
    first = await home.phone(visitors_of_first_test, offline_worker=True)
    await first.go("/family")
    await wait_for_worker(first)
    await first.page.evaluate(_STORES)
    await first.context.set_offline(True)
    await queue_addition(first, "Milk")
    assert await first.page.evaluate(CHANGES)
    assert "/family" in await cached_paths(first)
    await visitors_of_first_test.leave()

    second = await visitors_of_next_test.arrive(offline_worker=True)
    assert second.context is first.context
    await second.go("/")
    await second.reads_above_all("Your household’s shared memory")
    assert await second.page.evaluate(_STORED) == [{}, {}]
    assert await second.page.evaluate(CHANGES) == []
    assert await cached_paths(second) <= {"/"}
    assert await second.context.cookies() == []
    await wait_for_worker(second)
    await visitors_of_next_test.leave()


async def test_reused_context_without_worker_has_no_data(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors
) -> None:
    first = await visitors_of_first_test.arrive("Mina")
    await first.go("/list")
    for script in (_STORES, _STORES_MORE):
        await first.page.evaluate(script)
    await visitors_of_first_test.leave()

    second = await visitors_of_next_test.arrive()
    assert second.context is first.context
    assert second.page is first.page
    await second.go("/api/v1/me")  # no script stores anything there
    assert await second.page.evaluate(_STORED) == [{}, {}]
    assert await second.page.evaluate(_STORED_MORE) == [[], []]
    assert await second.context.cookies() == []
    assert await second.page.go_back() is None
    await visitors_of_next_test.leave()


async def test_reused_tab_resets_size_and_listeners(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors
) -> None:
    first = await visitors_of_first_test.arrive()
    await first.page.set_viewport_size({"width": 320, "height": 256})
    await visitors_of_first_test.leave()
    second = await visitors_of_next_test.arrive()
    assert second.page is first.page
    assert second.page.viewport_size == PHONE.viewport
    await second.go("/sign-in")
    await second.page.evaluate("console.error('of the second')")
    await second.page.evaluate("1")  # earlier messages arrive before this response
    assert [each.partition(": ")[2] for each in visitors_of_next_test.complaints] == [
        "of the second"
    ]
    assert visitors_of_first_test.complaints == []
    await visitors_of_next_test.leave()


@pytest.mark.parametrize("left", ["changed", "closed"])
async def test_permanently_changed_tab_is_not_reused(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors, left: str
) -> None:
    first = await visitors_of_first_test.arrive()
    await first.page.add_init_script("window.mine = 1")
    await first.go("/sign-in")
    assert await first.page.evaluate("window.mine") == 1
    if left == "closed":
        await first.page.close()
    await visitors_of_first_test.leave()
    second = await visitors_of_next_test.arrive()
    assert second.context is first.context
    assert second.page is not first.page
    assert second.context.pages == [second.page]
    await second.go("/sign-in")
    assert await second.page.evaluate("window.mine") is None
    await visitors_of_next_test.leave()


async def test_concurrent_visitors_get_separate_contexts(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors
) -> None:
    first, second = await visitors_of_first_test.arrive(), await visitors_of_first_test.arrive()
    alone = await visitors_of_first_test.arrive(new=True)
    assert len({first.context, second.context, alone.context}) == 3
    await visitors_of_first_test.leave()
    later = [await visitors_of_next_test.arrive() for _ in range(3)]
    contexts = {each.context for each in later}
    assert {first.context, second.context} < contexts
    assert alone.context not in contexts
    await visitors_of_next_test.leave()


async def test_reuse_of_context_with_fake_clock_fails(
    visitors_of_first_test: Visitors, visitors_of_next_test: Visitors
) -> None:
    first = await visitors_of_first_test.arrive(
        url=visitors_of_first_test.household.url.replace("127.0.0.1", "home.test"), pixels=2
    )
    await first.page.clock.install()
    await first.go("/sign-in")
    await expect(first.field("E-mail")).to_be_visible()
    await visitors_of_first_test.leave()
    with pytest.raises(AssertionError, match="has to arrive with `new`"):
        await visitors_of_next_test.arrive(
            url=visitors_of_first_test.household.url.replace("127.0.0.1", "home.test"), pixels=2
        )
    await visitors_of_next_test.leave()
