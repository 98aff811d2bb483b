"""Books: adding, reading, finishing, and the year's statistics."""

import pytest
from playwright.async_api import FilePayload, expect

from homeshelf.books.covers import SOFT_HYPHEN
from tests.browser.accessibility import find_axe_violations, find_overflowing, find_small_targets
from tests.browser.family_home import Home
from tests.browser.screens import DARK_DESKTOP, PHONE
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import KeyboardVisitor, Visitors

PAGE_AT_HOME = """async () => {
  const home = await (await fetch("/")).text();
  const page = new DOMParser().parseFromString(home, "text/html");
  return page.querySelector("page-stepper input[type=number]").value;
}"""


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_book_is_read_from_shelf_to_last_page(visitors: Visitors, script: bool) -> None:
    title = f"The Paper Boat {script}"
    jonas = await visitors.arrive("Jonas", PHONE, script=script)
    page = jonas.page
    await page.goto("/books")
    await page.get_by_role("link", name="Add a book").click()
    await page.get_by_label("Title").fill(title)
    await page.get_by_label("Author").fill("Ida Falk")
    await page.get_by_label("Pages").fill("120")
    await page.get_by_label("Which shelf?").select_option("READING")
    await page.get_by_text("Where it came from").click()
    await page.get_by_label("Price").fill("12,90")
    await page.get_by_role("button", name="Add to shelf").click()
    await expect(page.get_by_text("Enter both a price and a currency")).to_be_visible()
    await page.get_by_label("Currency").fill("eur")
    await page.get_by_role("button", name="Add to shelf").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page.get_by_text("12.90 EUR")).to_be_visible()

    await page.get_by_label("I’m on page").fill("40")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Page 40 of 120")).to_be_visible()
    await page.get_by_role("button", name="Forward one page").click()
    if script:
        await expect(page.get_by_label("I’m on page")).to_have_value("41")
        await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Page 41 of 120")).to_be_visible()

    await page.get_by_label("A thought, or a line to remember").fill("It floats!")
    await page.get_by_role("button", name="Add note").click()
    await expect(page.get_by_role("paragraph").filter(has_text="It floats!")).to_be_visible()
    await page.get_by_text("Edit", exact=True).last.click()
    await page.get_by_label("Your note").fill("It sinks!")
    await page.get_by_role("button", name="Save note").click()
    await expect(page.get_by_role("paragraph").filter(has_text="It sinks!")).to_be_visible()

    await page.get_by_label("I’m on page").fill("120")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="I finished this book").click()
    await expect(page.get_by_role("heading", name="You finished it!")).to_be_visible()
    await page.get_by_role("radio", name="4.5 of 5 stars").check(force=True)
    await page.get_by_role("button", name="Save rating", exact=True).click()
    await expect(page.get_by_role("img", name="4.5 of 5 stars")).to_be_visible()
    await page.get_by_text("As a table").click()
    await expect(page.get_by_role("cell", name="120", exact=True)).to_be_visible()

    await page.goto("/books?show=READ")
    await page.get_by_role("searchbox").fill("paper boat")
    await page.get_by_role("button", name="Search").click()
    await expect(page.get_by_role("link", name=title)).to_be_visible()
    await page.get_by_role("link", name="Your year").click()
    await expect(page.get_by_text("books finished", exact=True)).to_be_visible()


async def test_home_shows_current_book(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva", PHONE)
    page = alva.page
    await page.goto("/")
    await expect(page.get_by_role("link", name="Otto and the Moon Bus")).to_be_visible()
    now = int(await page.get_by_label("I’m on page").input_value())
    await expect(page.get_by_role("button", name="Save")).to_be_hidden()
    await page.get_by_role("button", name="Forward one page").click()
    await expect(page.get_by_text(f"Saved page {now + 1}.")).to_be_visible()
    await page.reload()
    await expect(page.get_by_label("I’m on page")).to_have_value(str(now + 1))
    await page.get_by_label("I’m on page").fill("97")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("kept")).to_have_count(0)
    await page.get_by_label("I’m on page").fill(str(now))
    await page.keyboard.press("Enter")
    await expect(page.get_by_text(f"Saved page {now}.")).to_be_visible()


async def test_quick_page_presses_on_home_are_sent_after_leaving(
    visitors: Visitors,
) -> None:
    alva = await visitors.arrive("Alva", PHONE)
    page = alva.page
    sent: list[object] = []
    page.on("request", lambda each: sent.append(each.post_data_json) if each.post_data else None)
    await page.goto("/")
    now = int(await page.get_by_label("I’m on page").input_value())
    forward = page.get_by_role("button", name="Forward one page")
    await forward.evaluate("(button) => (button.click(), button.click())")
    await expect(page.get_by_text(f"Saved page {now + 2}.")).to_be_visible()
    assert sent == [{"page": now + 2}]
    await page.get_by_role("button", name="Back one page").click()
    await page.goto("/settings")
    await wait_until_equal(str(now + 1), lambda: page.evaluate(PAGE_AT_HOME))
    await page.goto("/")
    await page.get_by_label("I’m on page").fill(str(now))
    await page.keyboard.press("Tab")
    await expect(page.get_by_text(f"Saved page {now}.")).to_be_visible()


async def test_last_page_on_home_leads_to_book(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva", PHONE)
    page = alva.page
    await page.goto("/")
    field = page.get_by_label("I’m on page")
    now, last = await field.input_value(), await field.get_attribute("max")
    await field.fill(str(last))
    await page.keyboard.press("Enter")
    await alva.reads_above_all("Otto and the Moon Bus")
    await field.fill(now)
    await page.get_by_role("button", name="Save").click()
    await alva.sees(f"Page {now} of {last}")


async def test_failed_page_update_is_reported_and_saved_later(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva", PHONE)
    page = alva.page
    await page.goto("/")
    now = int(await page.get_by_label("I’m on page").input_value())
    await alva.context.set_offline(True)
    await page.get_by_role("button", name="Back one page").click()
    await expect(page.locator("page-stepper[data-waiting]")).to_be_visible()
    await expect(
        page.get_by_text("You’re offline, so that wasn’t saved. Try again.")
    ).to_be_visible()
    await expect(page.locator("page-stepper[data-waiting]")).to_have_count(0)
    await alva.context.set_offline(False)
    await page.get_by_label("I’m on page").press("Enter")
    await expect(page.get_by_text(f"Saved page {now - 1}.")).to_be_visible()
    visitors.complaints.clear()  # the browser reports requests that failed offline


async def test_page_beyond_the_last_shows_error_at_field(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva", PHONE, script=False)
    page = alva.page
    await page.goto("/books?show=READING")
    await page.get_by_role("link", name="Otto and the Moon Bus").click()
    where = page.url.rpartition("/")[2]
    answer = await alva.context.request.post(
        f"/books/{where}/page", form={"page": "97"}, headers={"Origin": visitors.household.url}
    )
    assert answer.status == 400
    assert "The book has 96 pages." in await answer.text()


async def test_edits_of_different_fields_in_two_tabs_are_merged(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", PHONE)
    book = visitors.household.ids["bookId"]
    other = await mina.context.new_page()
    for page in (mina.page, other):
        await page.goto(f"/books/{book}/edit")
    await mina.page.get_by_label("Author").fill("Ida F. Falk")
    await mina.page.get_by_role("button", name="Save").click()
    await expect(mina.page.locator(".book-head").get_by_text("Ida F. Falk").last).to_be_visible()
    await other.get_by_label("Details").fill("Storms.")
    await other.get_by_role("button", name="Save").click()
    await expect(other.get_by_text("Storms.")).to_be_visible()
    await expect(other.locator(".book-head").get_by_text("Ida F. Falk").last).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_book_import_fills_shelf(visitors: Visitors, script: bool) -> None:
    jonas = await visitors.arrive("Jonas", PHONE, script=script)
    page = jonas.page
    title = f"Driftwood {script}"
    content = f"Title,Authors,Read Status,Star Rating\n{title},Ida Falk,read,4.25\n"
    file: FilePayload = {
        "name": "books.csv",
        "mimeType": "text/csv",
        "buffer": content.encode(),
    }
    await page.goto("/books")
    await page.get_by_role("link", name="Import or export books").click()
    await page.get_by_label("A file from").set_input_files(file)
    await page.get_by_role("button", name="Preview").click()
    await expect(page.get_by_text("1 new book")).to_be_visible()
    await expect(page.get_by_text("Rounded 4.25 stars to 4.5.")).to_be_visible()
    if not script:
        await page.get_by_label("A file from").set_input_files(file)
    await page.get_by_role("button", name="Import").click()
    while not script and await page.get_by_role("link", name="Refresh").count():
        await page.get_by_role("link", name="Refresh").click()
    await expect(page.get_by_text("1 book added.")).to_be_visible()
    await page.get_by_role("link", name="Go to your shelf").click()
    await expect(page.get_by_role("link", name=title)).to_be_visible()


_DETECTOR = """
window.detections = 0;
window.BarcodeDetector = class {
  constructor({ formats }) { this.formats = formats; }
  async detect(video) {
    window.detections += 1;
    window.wide = video.videoWidth;
    if (window.detections === 1) return [];
    const noBook = { rawValue: "4006381333931", format: "ean_13" };
    const book = { rawValue: "9780441478125", format: "ean_13" };
    return window.detections === 2 ? [noBook] : [noBook, book];
  }
};
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wanted) => (window.stream = await ask(wanted));
"""
"""Stand-in for `BarcodeDetector`, which Chromium has only on phones."""


async def test_camera_scans_book_barcode(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", PHONE)
    page = mina.page
    await page.add_init_script(_DETECTOR)
    await page.goto("/books/new")
    await page.get_by_role("button", name="Scan barcode").click()
    await expect(page.locator("video")).to_be_visible()
    await expect(page.get_by_label("ISBN")).to_have_value("9780441478125")
    await expect(page.get_by_label("ISBN")).to_be_focused()
    await expect(page.locator("video")).to_be_hidden()
    assert await page.evaluate("stream.getTracks().map((each) => each.readyState)") == ["ended"]
    assert await page.evaluate("[detections, wide > 0]") == [3, True]
    await page.wait_for_timeout(500)
    assert await page.evaluate("detections") == 3, "nobody looks any more"


async def test_scan_button_stops_scanning(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", PHONE)
    page = mina.page
    await page.add_init_script(_DETECTOR.replace("window.detections === 1", "true"))
    await page.goto("/books/new")
    await page.get_by_role("button", name="Scan barcode").click()
    while not await page.evaluate("window.detections"):
        await page.wait_for_timeout(20)
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("video")).to_be_hidden()
    assert await page.evaluate("stream.getTracks().map((each) => each.readyState)") == ["ended"]
    await expect(page.get_by_role("button", name="Scan barcode")).to_be_visible()


async def test_scan_button_is_hidden_without_scripts(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", PHONE, script=False)
    await mina.go("/books/new")
    await expect(mina.page.get_by_label("ISBN")).to_be_visible()
    await expect(mina.page.get_by_role("button", name="Scan barcode")).to_be_hidden()
    await expect(mina.page.locator("video")).to_be_hidden()


async def test_book_is_read_and_finished_by_keyboard(visitors: Visitors) -> None:
    jonas = await visitors.arrive("Jonas", DARK_DESKTOP, kind=KeyboardVisitor)
    await jonas.go("/books/new")
    await jonas.write("Title", "Keys and Locks")
    await jonas.write("Pages", "12")
    await jonas.press("Add to shelf")
    await jonas.reads_above_all("Keys and Locks")
    await jonas.press("Start reading")
    await jonas.write("I’m on page", "12")
    await jonas.press("Save")
    await jonas.press("I finished this book")
    await expect(jonas.page.get_by_role("heading", name="You finished it!")).to_be_focused()
    assert await find_axe_violations(jonas.page) == []
    assert await find_small_targets(jonas.page) == []
    assert await find_overflowing(jonas.page, 320) == []
    first = jonas.page.get_by_role("radio", name="1 of 5 stars", exact=True)
    await first.focus()
    await jonas.page.keyboard.press("ArrowRight")
    await expect(jonas.page.get_by_role("radio", name="1.5 of 5 stars")).to_be_checked()
    await jonas.press("Save rating")
    await expect(jonas.page.get_by_role("img", name="1.5 of 5 stars")).to_be_visible()


async def test_cover_breaks_no_word_without_a_hyphen(home: Home, visitors: Visitors) -> None:
    for title in ("Understanding", "Weltanschauungen", "Geschirrspülmaschinentabs"):
        home.admin.ask("POST", "/books", {"title": title, "status": "SHELF"})
    phone = await home.phone(visitors)
    await phone.go("/books")
    lines: list[list[str]] = await phone.page.eval_on_selector_all(".cover-title", _LINES)
    assert len(lines) == 3
    assert [each for each in lines if any(line[-1] != SOFT_HYPHEN for line in each[:-1])] == []


_LINES = """titles => titles.map((title) => {
  const text = title.firstChild;
  const tops = [...text.data].map((_, at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return Math.round(range.getBoundingClientRect().top);
  });
  const breaks = (at) => (at && tops[at] > tops[at - 1] ? "|" : "");
  return [...text.data].map((sign, at) => breaks(at) + sign).join("").split("|");
})"""
"""The lines of each title on a cover."""
