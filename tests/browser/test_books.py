"""A shelf in a browser: putting a book on it, reading, finishing, and looking at the year."""

import pytest
from playwright.async_api import FilePayload, expect

from tests.browser.screens import PHONE
from tests.browser.visitor import Visitors


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_a_book_from_the_shelf_to_its_last_page(visitors: Visitors, script: bool) -> None:
    title = f"The Paper Boat {script}"
    jonas = await visitors.arrive("Jonas", PHONE, script=script)
    page = jonas.page
    await page.goto("/books")
    await page.get_by_role("link", name="Add a book").click()
    await page.get_by_label("Title").fill(title)
    await page.get_by_label("Who wrote it?").fill("Ida Falk")
    await page.get_by_label("Pages").fill("120")
    await page.get_by_label("Where is it?").select_option("READING")
    await page.get_by_text("Where it came from").click()
    await page.get_by_label("Price").fill("12,90")
    await page.get_by_role("button", name="Put on the shelf").click()
    await expect(page.get_by_text("A price needs a currency")).to_be_visible()
    await page.get_by_label("Currency").fill("eur")
    await page.get_by_role("button", name="Put on the shelf").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page.get_by_text("12.90 EUR")).to_be_visible()

    await page.get_by_label("I'm on page").fill("40")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Page 40 of 120")).to_be_visible()
    await page.get_by_role("button", name="One page on").click()
    if script:
        await expect(page.get_by_label("I'm on page")).to_have_value("41")
        await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Page 41 of 120")).to_be_visible()

    await page.get_by_label("A thought, a line to keep").fill("It floats!")
    await page.get_by_role("button", name="Keep the note").click()
    await expect(page.get_by_text("It floats!")).to_be_visible()

    await page.get_by_label("I'm on page").fill("120")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="I finished it").click()
    await expect(page.get_by_role("heading", name="You finished it!")).to_be_visible()
    await page.get_by_role("radio", name="4.5 of 5 stars").check(force=True)
    await page.get_by_role("button", name="Keep", exact=True).click()
    await expect(page.get_by_role("img", name="4.5 of 5 stars")).to_be_visible()
    await page.get_by_text("As a table").click()
    await expect(page.get_by_role("cell", name="120", exact=True)).to_be_visible()

    await page.goto("/books?show=READ")
    await page.get_by_role("searchbox").fill("paper boat")
    await page.get_by_role("button", name="Find").click()
    await expect(page.get_by_role("link", name=title)).to_be_visible()
    await page.get_by_role("link", name="Your year").click()
    await expect(page.get_by_text("books finished", exact=True)).to_be_visible()


async def test_home_shows_the_book_one_is_in(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva", PHONE)
    page = alva.page
    await page.goto("/")
    await expect(page.get_by_role("link", name="Otto and the Moon Bus")).to_be_visible()
    now = int(await page.get_by_label("I'm on page").input_value())
    await page.get_by_role("button", name="One page on").click()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Hello Alva")).to_be_visible()
    await expect(page.get_by_label("I'm on page")).to_have_value(str(now + 1))


async def test_a_page_that_the_book_has_not_is_said_where_it_was_typed(visitors: Visitors) -> None:
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


async def test_two_tabs_that_change_different_fields_both_count(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina", PHONE)
    book = visitors.household.ids["bookId"]
    other = await mina.context.new_page()
    for page in (mina.page, other):
        await page.goto(f"/books/{book}/edit")
    await mina.page.get_by_label("Who wrote it?").fill("Ida F. Falk")
    await mina.page.get_by_role("button", name="Save").click()
    await expect(mina.page.locator(".book-head").get_by_text("Ida F. Falk").last).to_be_visible()
    await other.get_by_label("About it").fill("Storms.")
    await other.get_by_role("button", name="Save").click()
    await expect(other.get_by_text("Storms.")).to_be_visible()
    await expect(other.locator(".book-head").get_by_text("Ida F. Falk").last).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_books_from_elsewhere_come_onto_the_shelf(visitors: Visitors, script: bool) -> None:
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
    await page.get_by_role("link", name="Bring books in").click()
    await page.get_by_label("A file from").set_input_files(file)
    await page.get_by_role("button", name="Look first").click()
    await expect(page.get_by_text("1 new book")).to_be_visible()
    await expect(page.get_by_text("4.25 stars became 4.5.")).to_be_visible()
    await page.get_by_label("A file from").set_input_files(file)
    await page.get_by_role("button", name="Bring them in").click()
    while not script and await page.get_by_role("link", name="Look again").count():
        await page.get_by_role("link", name="Look again").click()
    await expect(page.get_by_text("1 book came onto your shelf")).to_be_visible()
    await page.get_by_role("link", name="To the shelf").click()
    await expect(page.get_by_role("link", name=title)).to_be_visible()
