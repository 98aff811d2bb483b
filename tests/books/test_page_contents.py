"""Test the contents and the forms of each page of books."""

import hashlib
import re
from datetime import date

import pytest

from homeshelf.books.covers import cover
from homeshelf.books.import_jobs import LOCK_SECONDS, RESULT_SECONDS
from homeshelf.books.model import Import, Importing, ReadingEvent
from homeshelf.books.statistics import heat_map, month_bars, timeline_chart
from homeshelf.clock import seconds, zone_of
from tests.api_client import (
    add_book,
    add_note,
    get_book,
    get_titles,
    parsed_body,
    reach_page,
    wait_until,
)
from tests.books.client import FULL_BOOK
from tests.home import NOBODYS
from tests.moment import DAY, HOUR, Moment
from tests.pages import OURS, Page, led_to, look, read
from tests.records import make_record as record
from tests.running import Person, RunningApp


def page_title(page: Page) -> str:
    found = re.search("<title>(.*?)</title>", page.text)
    return found[1] if found else ""


async def test_page_of_the_shelf(ada: Person) -> None:
    empty = await look(ada, "/books")
    assert empty.in_order("Your shelf is empty", "Only you see this shelf.")
    book = await add_book(ada, title="Dune", author="Frank Herbert")
    page = await look(ada, "/books")
    assert page_title(page) == "Books · Homeshelf"
    assert page.in_order("Books", "Your year", "All", "Reading", "To read", "Read", "Dune")
    for link in (f"/books/{book['id']}", "/books/year", "/books/import", "/books/new"):
        assert link in page.links
    assert page.in_order("Frank Herbert", "Dune", "To read")
    found = await look(ada, "/books?q=du+ne&show=SHELF&sort=title")
    assert "No books found" in found.words
    assert "/books/new?title=du%20ne" in found.links
    assert "Add “du ne”" in found.words
    assert found.form("/books").fields == {
        "q": "du ne",
        "show": "SHELF",
        "sort": "title",
    }
    for status, word in (("", "All"), ("READING", "Reading"), ("SHELF", "To read")):
        assert f"/books?show={status}&sort=title&q=du%20ne" in found.links, word
    assert "To read" in re.findall('aria-current="page">([^<]+)<', found.text)
    options = re.findall('<option value="([^"]*)"( selected)?>([^<]*)<', found.text)
    assert options == [
        ("updatedAt_desc", "", "Newest first"),
        ("updatedAt_asc", "", "Oldest first"),
        ("title", " selected", "By title"),
    ]


async def test_page_of_a_finished_book(ada: Person, moment: Moment) -> None:
    book = await add_book(ada, **FULL_BOOK | {"finishedAt": "2024-03-09"})
    path = f"/books/{book['id']}"
    page = await look(ada, path)
    assert page_title(page) == f"{book['title']} · Homeshelf"
    assert page.in_order(
        book["title"], book["author"], "Finished on 9 March 2024", "Your rating", "Details",
        "Winter.", "Notes", "Where it came from", "12.99 EUR", "Corner Books", "29 February 2024",
        "on the way home", "9780441478125", "Its notes and reading history are deleted too",
    )  # fmt: skip
    assert f"{path}/edit" in page.links
    assert {f"{half / 2:g} of 5 stars" for half in range(2, 11)} <= set(page.spoken)
    stars = re.findall(r'<span aria-hidden="true">([★½]+)</span>', page.text)
    assert stars == ["★" * (half // 2) + "½" * (half % 2) for half in range(2, 11)]
    finished = await look(ada, f"{path}?said=finished")
    assert f"{book['title']}, all 286 pages of it. How was it?" in finished.words
    assert led_to(await page.send(f"{path}/rating", rating="2.0")) == path
    assert (await get_book(ada, book))["rating"] == 2
    assert led_to(await page.send(f"{path}/notes", content="Cold")) == f"{path}#notes"
    moment.pass_by(HOUR)
    (note,) = parsed_body(await ada.get(f"{path}/notes"))["items"]
    page = await look(ada, path)
    assert page.in_order("Cold", "1 hour ago", "Edit", ": edit the note Cold", "Your note")
    assert f'id="note-{note["id"]}"' in page.text
    form = page.form(f"{path}/notes/{note['id']}")
    assert form.fields == {"content": "Cold"}
    assert f"{path}/notes/{note['id']}/delete" in [each.get("formaction") for each in form.buttons]
    assert led_to(await page.send(f"{path}/notes/{note['id']}", content="Colder"))
    page = await look(ada, path)
    assert page.in_order("Colder", "1 hour ago", ", edited just now")
    again = await page.send(f"{path}/status", status="READING")
    assert led_to(again) == path
    assert led_to(await page.send(f"{path}/delete")) == "/books"
    assert await get_titles(ada) == []


async def test_page_of_a_book_in_progress(ada: Person, moment: Moment) -> None:
    book = await add_book(ada, status="READING", totalPages=100, title="Dune")
    path = f"/books/{book['id']}"
    await reach_page(ada, book, 20)
    moment.pass_by(4 * DAY + HOUR)
    await reach_page(ada, book, 60)
    page = await look(ada, path)
    assert page.in_order("Page 60 of 100", "I’m on page", "At about 15 pages a day, 3 days to go.")
    assert page.in_order("Pages over time", "just now", "60", "4 days ago", "20")
    assert "Pages of Dune over time, from 20 to 60" in page.spoken
    assert {"Back one page", "Forward one page"} <= set(page.spoken)
    form = page.form(f"{path}/page")
    assert form.fields == {"back": "", "page": "60"}
    assert [each["value"] for each in form.buttons if "name" in each] == ["59", "61"]
    assert [each.get("value") for each in page.form(f"{path}/status").buttons] == ["READ", "SHELF"]
    assert led_to(await page.send(f"{path}/page", to="61")) == path
    refused = read(ada, await page.send(f"{path}/page", page="101"), 400)
    assert "The book has 100 pages." in refused.words
    assert refused.form(f"{path}/page").fields["page"] == "101"
    await page.send(f"{path}/page", page="100")
    last = await look(ada, path)
    assert last.in_order("That was the last page", "I finished this book", "Put back on the shelf")
    ends = [each for each in last.form(f"{path}/page").buttons if "disabled" in each]
    assert [each["aria-label"] for each in ends] == ["Forward one page"]
    assert led_to(await last.send(f"{path}/status", status="READ")) == f"{path}?said=finished"


async def test_page_of_an_unread_book(ada: Person) -> None:
    book = await add_book(ada, title="Dune")
    page = await look(ada, f"/books/{book['id']}")
    assert page.in_order("To read", "I’m on page", "Start reading", "Finished", "Notes")
    form = page.form(f"/books/{book['id']}/page")
    ends = [each["aria-label"] for each in form.buttons if "disabled" in each]
    assert ends == ["Back one page"]
    for missing in ("Where it came from", "Details", "Pages over time", "Put back on the shelf"):
        assert missing not in page.words


async def test_invalid_note_keeps_the_typed_text(ada: Person) -> None:
    book = await add_book(ada)
    note = await add_note(ada, book, "Sand")
    path = f"/books/{book['id']}/notes"
    page = await look(ada, f"/books/{book['id']}")
    long = "x" * 10_001
    new = read(ada, await page.send(path, content=long), 400)
    assert "Enter a note of up to 10,000 characters" in new.words
    assert new.form(path).fields["content"] == long
    assert new.form(f"{path}/{note['id']}").fields["content"] == "Sand"
    old = read(ada, await page.send(f"{path}/{note['id']}", content=long), 400)
    assert "Enter a note of up to 10,000 characters" in old.words
    assert old.form(path).fields["content"] == ""
    assert old.form(f"{path}/{note['id']}").fields["content"] == long


async def test_form_of_a_book(ada: Person) -> None:
    new = await look(ada, "/books/new")
    assert page_title(new) == "New book · Homeshelf"
    assert new.in_order(
        "New book", "Title", "Author", "ISBN", "The number under the barcode",
        "Which shelf?", "Reading", "To read", "Read", "Pages", "Finished on", "Details",
        "Where it came from", "Price", "Currency", "Shop", "Bought", "Where, or who from",
        "Add to shelf",
    )  # fmt: skip
    assert "/books" in new.links
    assert new.form("/books/new").fields["status"] == "SHELF"
    path = led_to(await new.send("/books/new", title="Dune", totalPages="412"))
    page = await look(ada, f"{path}/edit")
    assert page_title(page) == "Dune · Homeshelf"
    assert (page.in_order("Dune", "Title", "Save"), path in page.links) == (True, True)
    typed = {"title": "", "description": "y" * 10_001, "price": "x", "isbn": "1"}
    wrong = read(ada, await page.send(f"{path}/edit", **typed), 400)
    assert wrong.in_order("Enter a title", "isn’t an ISBN", "Description must be", "Price must be")
    kept = wrong.form(f"{path}/edit").fields
    assert {name: kept[name] for name in typed} == typed
    assert "<details open>" in wrong.text


async def test_daily_average_counts_days_until_today(ada: Person, moment: Moment) -> None:
    book = await add_book(ada, status="READING", totalPages=200)
    moment.move("2025-01-01T12:00:00Z")
    await reach_page(ada, book, 49)
    assert "<dt>pages a day</dt><dd>49</dd>" in (await look(ada, "/books/year")).text
    moment.move("2025-01-20T12:00:00Z")
    assert "<dt>pages a day</dt><dd>2</dd>" in (await look(ada, "/books/year")).text


@pytest.mark.usefixtures("moment")
async def test_year_page_shows_reading_and_saves_goal(ada: Person) -> None:
    book = await add_book(ada, status="READING", totalPages=200, title="Dune")
    await reach_page(ada, book, 40)
    for day in ("2024-03-09", "2024-03-10"):
        await add_book(ada, status="READ", finishedAt=day)
    page = await look(ada, "/books/year")
    assert page_title(page) == "2024 in books · Homeshelf"
    assert page.in_order(
        "2024 in books", "Your goal", "Currently reading", "Dune: at about 40 pages a day",
        "4 days to go", "up to 40 pages on 1 November 2024",
    )  # fmt: skip
    assert {f"/books/{book['id']}", "/books/year?year=2023"} <= set(page.links)
    assert "/books/year?year=2025" not in page.links
    halves = ("January to June", "July to December")
    heats = {f"Pages read each day of 2024, {half}" for half in halves}
    assert heats | {"Books finished in each month of 2024"} <= set(page.spoken)
    assert page.form("/books/goal").fields == {"yearlyGoal": ""}
    assert led_to(await page.send("/books/goal", yearlyGoal="2")) == "/books/year"
    page = await look(ada, "/books/year")
    assert "2 of 2 books: you made it!" in page.words
    assert page.form("/books/goal").fields == {"yearlyGoal": "2"}
    wrong = read(ada, await page.send("/books/goal", yearlyGoal="10001"), 400)
    assert "Choose a goal from 1 to 10,000 books" in wrong.words
    assert wrong.form("/books/goal").fields == {"yearlyGoal": "10001"}
    key = re.findall(r'class="heat heat-(\d)" x="(\d+)" width', page.text)
    assert key == [(str(level), str(level * 6)) for level in range(5)]
    before = await look(ada, "/books/year?year=2023")
    assert {"/books/year?year=2022", "/books/year?year=2024"} <= set(before.links)
    assert "Nothing read yet." in before.words


async def test_imports_run_one_at_a_time_and_five_an_hour(running: RunningApp, ada: Person) -> None:
    ttl = seconds() + LOCK_SECONDS
    await running.db.put(Importing(user_id=ada.member_id, import_id=NOBODYS, ttl=ttl))
    file, form = {"file": ("books.csv", "title\nDune\n", "text/csv")}, {"do": "import"}
    for _ in range(5):
        answer = await ada.client.post("/books/import", files=file, data=form, headers=OURS)
        assert "An import is still running." in read(ada, answer, 400).words
    answer = await ada.client.post("/books/import", files=file, data=form, headers=OURS)
    assert answer.status_code == 429


async def test_page_of_an_import(running: RunningApp, ada: Person) -> None:
    page = await look(ada, "/books/import")
    assert page.in_order("Import books", "CSV or JSON, up to 20 MB.", "Export")
    exports = [f"/api/v1/books/export?format={kind}" for kind in ("json", "csv")]
    assert {*exports, "/books"} <= set(page.links)
    await add_book(ada, title="Dune")
    rows = "title,rating\nDune,\nEmma,\n" + "Lost,9\n" * 101
    file = {"file": ("books.csv", rows, "text/csv")}
    seen = read(ada, await ada.client.post("/books/import", files=file, headers=OURS))
    assert seen.in_order(
        "In this file", "1 new book, 1 book you already have. Nothing has been added yet.",
        "Notes", "Rating must be from 1 to 5, in halves", "Line 4", "Line 103",
        "And 1 more like these.",
    )  # fmt: skip
    ours = {"file": ("Books.JSON", (await ada.get("/books/export?format=json")).content)}
    known = read(ada, await ada.client.post("/books/import", files=ours, headers=OURS))
    assert known.in_order("In this file", "0 new books, 1 book you already have.")
    nothing = await ada.client.post("/books/import", data={"do": "look"}, headers=OURS)
    assert "Choose a file first." in read(ada, nothing, 400).words
    done = await ada.client.post("/books/import", files=file, data={"do": "import"}, headers=OURS)
    path = led_to(done)
    (begun,) = re.findall("[0-9a-f-]{36}", path)

    async def is_done() -> bool:
        state = parsed_body(await ada.get(f"/books/imports/{begun}"))
        return bool(state["done"] == state["total"])

    await wait_until(is_done)
    over = await look(ada, path)
    assert page_title(over) == "Importing your books · Homeshelf"
    assert over.in_order(
        "Import finished", "1 book added, 1 book you already had.",
        "Notes", "Line 4", "And 1 more like these.", "Go to your shelf",
    )  # fmt: skip
    key = Import.key(user_id=ada.member_id, import_id=begun)
    stored = await running.db.get(key)
    assert stored is not None
    await running.db.put(stored.changed(done=3, ttl=stored.ttl + RESULT_SECONDS))
    going = await look(ada, path)
    assert going.in_order("Importing your books", "3 of 103", "Refresh")
    assert path in going.links
    assert f'data-import="{begun}"' in going.text
    assert '<progress id="done" max="103" value="3">' in going.text


def test_covers_do_not_change_between_versions() -> None:
    drawn = [cover(f"Title {number}", "An author") for number in range(40)]
    shapes = {re.sub(r"[-\d.]+", "", each.drawing.partition("<g")[2])[:80] for each in drawn}
    assert len(shapes) == 6
    state = "".join(f"{each.hue} {each.drawing}" for each in drawn)
    assert hashlib.sha256(state.encode()).hexdigest()[:16] == "4694f10987d55bc4"


@pytest.mark.parametrize(
    ("most", "levels"),
    [(8, [1, 1, 2, 2, 3, 3, 4, 4]), (4, [1, 2, 3, 4]), (1, [1])],
)
def test_heat_map_colour_grows_with_pages(most: int, levels: list[int]) -> None:
    pages = {date(2024, 1, number): number for number in range(1, most + 1)}
    found = re.findall(r"heat heat-([1-4])", heat_map(2024, pages))
    assert [int(level) for level in found] == levels


def test_month_labels_are_at_their_weeks_and_bars() -> None:
    months = re.findall(r'<text x="(\d+)" y="-3">(\w+)</text>', heat_map(2024, {}))
    assert months == [
        ("0", "Jan"), ("24", "Feb"), ("48", "Mar"), ("78", "Apr"), ("102", "May"), ("126", "Jun"),
        ("0", "Jul"), ("24", "Aug"), ("48", "Sep"), ("78", "Oct"), ("102", "Nov"), ("126", "Dec"),
    ]  # fmt: skip
    bars = month_bars([0, 4, *[1] * 10], "Books")
    numbers = re.findall(r'<text x="(\d+)" y="([\d.]+)" text-anchor="middle">(\w*)</text>', bars)
    assert numbers[:4] == [
        ("14", "80.0", ""), ("14", "98", "J"), ("40", "0.0", "4"), ("40", "98", "F"),
    ]  # fmt: skip
    heights = re.findall(r'y="([\d.]+)" width="18" height="([\d.]+)"', bars)
    assert heights[:3] == [("84.0", "0.0"), ("4.0", "80.0"), ("64.0", "20.0")]
    uneven = month_bars([7, 3, *[0] * 10], "Books")
    assert 'y="49.7" width="18" height="34.3"' in uneven


def test_timeline_ends_with_a_dot_at_the_current_page() -> None:
    events = [
        record(ReadingEvent, page=page, occurred_at=f"2024-01-{day:02}T00:00:00Z")
        for day, page in ((1, 0), (2, 25), (5, 50))
    ]
    drawn = timeline_chart(events, 100, "Pages", zone_of("UTC"))
    assert 'd="M0.0 120.0L80.0 90.0L320.0 60.0"' in drawn
    assert 'd="M0.0 120.0L80.0 90.0L320.0 60.0V120.0H0Z"' in drawn
    assert 'cx="320.0" cy="60.0"' in drawn
    texts = re.findall(r"<text[^>]*>([^<]*)<", drawn)
    assert texts == ["page 100", "1 Jan 2024", "5 Jan 2024"]
    at_once = timeline_chart([events[2], events[2]], None, "Pages", zone_of("UTC"))
    assert 'd="M0.0 0.0L0.0 0.0"' in at_once
    assert ">page 50<" in at_once
