"""Touching a tag where there is no signal: it is kept on the phone, and done once."""

from collections.abc import AsyncIterator

import pytest

from tests.browser.lindqvists import Lindqvists
from tests.browser.storage import CHANGES, becomes, keeps_pages
from tests.browser.tags import TAPS, Tagged, came, each_tagged, says, shows, touches, waits_with
from tests.browser.visitor import Visitor, Visitors, expect
from tests.cases import case
from tests.network import Line

KEPT = "No signal. It is kept and will be sent."


@pytest.fixture
async def phone(visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    """Of somebody whom nobody knows, but who has been here before."""
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    await phone.go("/sign-in")
    await keeps_pages(phone)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # a browser complains about a line that is bad


async def history(tagged: Tagged) -> list[tuple[str, int]]:
    return tagged.history


async def test_a_tap_without_a_signal_outlives_its_page_and_is_sent_once(
    phone: Visitor, household: Lindqvists, fresh: str, line: Line
) -> None:
    for state, tagged in each_tagged(household, fresh, "cut", "deaf"):
        with case(state):
            await touches(phone, tagged, line, state)
            await says(phone.page, KEPT)
            await waits_with(phone.page, 3)
            assert tagged.history == ([("tap", -1)] if state == "deaf" else [])
            await phone.page.close()
            phone.page = await phone.context.new_page()
            line.becomes("open")
            await phone.go("/sign-in")
            await becomes([], lambda: phone.page.evaluate(CHANGES))
            assert tagged.history == [("tap", -1)]


async def test_who_stays_reads_that_it_is_sent(
    phone: Visitor, household: Lindqvists, fresh: str, line: Line
) -> None:
    for state, tagged in each_tagged(household, fresh, "cut", "deaf", "hang"):
        with case(state):
            await touches(phone, tagged, line, state)
            await says(phone.page, KEPT)
            await waits_with(phone.page, 3)
            line.becomes("open")
            await says(phone.page, "It is sent. 3 left.")
            await shows(phone.page, 3)
            await phone.press("Add 1")
            await says(phone.page, "Added 1 Paper Towels, 4 left.")
            assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_a_reload_and_the_way_back_do_not_repeat_what_waits(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await touches(phone, tagged, line, "deaf")
    await says(phone.page, KEPT)
    line.becomes("open")
    await phone.page.reload()
    await becomes([], lambda: phone.page.evaluate(CHANGES))
    await shows(phone.page, 3)
    await phone.go("/sign-in")
    await phone.page.go_back()
    await says(phone.page, "Nothing more was taken.")
    await shows(phone.page, 3)
    assert tagged.history == [("tap", -1)]


async def test_what_was_not_sent_is_dropped_by_undo(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await touches(phone, tagged, line, "cut")
    await says(phone.page, KEPT)
    await expect(phone.found("Undo")).to_be_hidden()
    for count in (4, 5):
        await phone.press("Add 1")
        await waits_with(phone.page, count)
    await phone.press("Undo")
    await waits_with(phone.page, 3)
    await expect(phone.found("Undo")).to_be_hidden()
    await phone.press("Take 1")
    await waits_with(phone.page, 2)
    line.becomes("open")
    await says(phone.page, "It is sent. 2 left.")
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_without_a_network_not_even_the_tap_was_sent_and_undo_drops_it(
    visitors: Visitors, tagged: Tagged
) -> None:
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    await becomes(True, lambda: visitor.page.evaluate(KEEPS))
    await visitor.context.set_offline(True)
    await visitor.press("Add 1")
    await says(visitor.page, KEPT)
    await waits_with(visitor.page, 4)
    await visitor.press("Undo")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    await visitor.context.set_offline(False)
    await visitor.press("Take 1")
    await shows(visitor.page, 2)
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_what_was_pressed_while_nothing_is_heard_is_kept_in_order(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await phone.go(tagged.path)
    await shows(phone.page, 3)
    line.becomes("deaf")
    await phone.press("Undo")
    for _ in range(2):
        await phone.press("Add 1")
    await says(phone.page, KEPT)
    await waits_with(phone.page, 6)
    line.becomes("open")
    await says(phone.page, "It is sent. 6 left.")
    assert tagged.history == [("tap", -1), ("undo", 1), ("tap", 2)]


async def test_what_was_pressed_is_kept_before_anything_is_heard_if_somebody_looks_away(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    """To another app, which may cost the page its life."""
    await phone.go(tagged.path)
    await shows(phone.page, 3)
    await becomes(True, lambda: phone.page.evaluate(KEEPS))
    line.becomes("hang")
    await phone.page.evaluate(LOOKS_AWAY)
    await becomes(2, lambda: _kept(phone), seconds=6)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    line.becomes("open")
    await phone.go("/sign-in")
    await becomes([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 20), ("tap", 2)]


async def test_what_is_pressed_while_something_waits_is_kept_at_once(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await touches(phone, tagged, line, "cut")
    await says(phone.page, KEPT)
    await phone.press("Add 1")
    await waits_with(phone.page, 4)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    line.becomes("open")
    await phone.go("/sign-in")
    await becomes([], lambda: phone.page.evaluate(CHANGES))
    assert tagged.history == [("tap", -1), ("tap", 1)]


async def test_a_tag_that_died_meanwhile_is_said_on_its_page(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await touches(phone, tagged, line, "cut")
    await says(phone.page, KEPT)
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    line.becomes("open")
    await says(phone.page, "This tag does not work any more.")
    await shows(phone.page, 4)
    await expect(phone.found("Add 1")).to_be_disabled()
    await becomes([], lambda: phone.page.evaluate(CHANGES))


async def test_a_tag_that_died_meanwhile_is_said_elsewhere_if_its_page_is_closed(
    phone: Visitor, tagged: Tagged, line: Line
) -> None:
    await touches(phone, tagged, line, "cut")
    await says(phone.page, KEPT)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    tagged.admin.ask("DELETE", f"/nfc-urls/{tagged.url_id}")
    line.becomes("open")
    await phone.go("/sign-in")
    await phone.sees("Paper Towels was not counted: its tag does not work any more.")
    await becomes([], lambda: phone.page.evaluate(CHANGES))


async def test_what_was_sent_a_day_ago_is_asked_about(visitors: Visitors, tagged: Tagged) -> None:
    """Whether it was heard cannot be known any more."""
    visitor = await came(visitors, tagged)
    await shows(visitor.page, 3)
    await becomes(True, lambda: visitor.page.evaluate(KEEPS))
    await visitor.page.evaluate(SENT_LONG_AGO, tagged.url_id)
    await visitor.page.reload()
    await says(visitor.page, "You were here a while ago.")
    await expect(visitor.page.locator(".tap-count")).to_have_text("3")
    assert tagged.history == [("tap", -1)]
    await visitor.press("Take 1 now")
    await says(visitor.page, "It is sent. 2 left.")
    assert tagged.history == [("tap", -1), ("tap", -1)]


async def test_where_nothing_can_be_kept_what_was_meant_is_one_button_away(
    visitors: Visitors, tagged: Tagged
) -> None:
    """What keeps it never came."""
    visitor = await visitors.arrive()
    for path in (TAPS, "**/tap/keeping.js"):
        await visitor.page.route(path, lambda route: route.abort())
    await visitor.go(tagged.path)
    await says(visitor.page, "No signal. Nothing was changed yet.")
    await shows(visitor.page, 4)
    for name in ("Take 1", "Add 1"):
        await expect(visitor.found(name)).to_be_disabled()
    await visitor.page.unroute(TAPS)
    await visitor.press("Take 1 now")
    await says(visitor.page, "Took 1 Paper Towels, 3 left.")
    await visitor.page.reload()
    await says(visitor.page, "Nothing more was taken.")
    assert tagged.history == [("tap", -1)]


async def _kept(phone: Visitor) -> int:
    return len(await phone.page.evaluate(CHANGES))


LOOKS_AWAY = """() => {
  for (let i = 0; i < 22; i++) document.querySelector("[value='1']").click();
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
KEEPS = "() => Boolean(document.querySelector('tap-page').keeping)"
SENT_LONG_AGO = """(about) => new Promise((done) => {
  indexedDB.open("homeshelf").onsuccess = ({ target }) => {
    const writing = target.result.transaction("changes", "readwrite");
    writing.objectStore("changes").put({
      kind: "tap", about, who: "", family: "", label: "Paper Towels", method: "POST",
      key: "k".repeat(32), path: `/api/v1/taps/${about}`, body: { delta: -1, undo: false },
      seen: null, question: null, over: null, sent: "2020-01-01T00:00:00.000Z",
    });
    writing.oncomplete = done;
  };
})"""
