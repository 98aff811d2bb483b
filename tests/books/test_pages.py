"""Test the pages of books."""

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser

import pytest

from tests.api_client import (
    add_book,
    add_note,
    edit_book,
    get_book,
    get_reader_records,
    parsed_body,
    reach_page,
)
from tests.books.client import FULL_BOOK, get_page, send_form, submit_form
from tests.moment import DAY, HOUR, Moment
from tests.running import Person, RunningApp

OURS = {"Origin": "http://home.test", "Accept": "text/html"}


class Fields(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._name: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name")
        if tag == "input" and name and given.get("type") != "radio":
            self.found[name] = given.get("value") or ""
        elif tag in ("textarea", "select") and name:
            self.found[name], self._name = "", name
        elif tag == "option" and "selected" in given and self._name:
            self.found[self._name] = given.get("value") or ""

    def handle_data(self, data: str) -> None:
        if self._name and self.lasttag == "textarea":
            self.found[self._name] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "select"):
            self._name = None


def form_values(page: str) -> dict[str, str]:
    main = page[page.index('<form class="form"') :]
    return Fields(main[: main.index("</form>")]).found


def book_titles(page: str) -> list[str]:
    return [unescape(each) for each in re.findall(r'<strong dir="auto">([^<]*)', page)]


@pytest.fixture
async def shelf(ada: Person, moment: Moment) -> None:
    for title, status in (("Emma", "SHELF"), ("Dune", "READING"), ("Waves", "READ")):
        moment.pass_by(1)
        await add_book(ada, title=title, status=status, author=f"by {title}")


@pytest.mark.usefixtures("shelf")
async def test_the_shelf_has_tabs_orders_and_a_search(ada: Person, charles: Person) -> None:
    assert book_titles(await get_page(ada, "")) == ["Waves", "Dune", "Emma"]
    assert book_titles(await get_page(ada, "?sort=updatedAt_asc")) == ["Emma", "Dune", "Waves"]
    assert book_titles(await get_page(ada, "?sort=title")) == ["Dune", "Emma", "Waves"]
    assert book_titles(await get_page(ada, "?sort=nonsense&show=nonsense")) == [
        "Waves",
        "Dune",
        "Emma",
    ]
    for show, title in (("SHELF", "Emma"), ("READING", "Dune"), ("READ", "Waves")):
        page = await get_page(ada, f"?show={show}&sort=title&q={title}")
        assert book_titles(page) == [title]
        assert f'?show={show}&amp;sort=title&amp;q={title}" aria-current="page"' in page
        assert '<option value="title" selected>' in page
    assert book_titles(await get_page(ada, "?q=by+d")) == ["Dune"]
    assert "No books found" in await get_page(ada, "?q=nothing")
    assert "Your shelf is empty" in await get_page(charles, "")
    assert "No books here yet" in await get_page(charles, "?show=READ")


@pytest.mark.usefixtures("shelf")
async def test_shelf_has_a_next_page(ada: Person) -> None:
    page = await get_page(ada, "?limit=2&sort=title&q=by")
    assert book_titles(page) == ["Dune", "Emma"]
    more = unescape(re.findall(r'href="/books([^"]*nextToken[^"]*)"', page)[0])
    assert book_titles(await get_page(ada, more)) == ["Waves"]
    first = await get_page(ada, "?limit=2")
    more = unescape(re.findall(r'href="/books([^"]*nextToken[^"]*)"', first)[0])
    assert book_titles(await get_page(ada, more)) == ["Emma"]


async def test_shelf_shows_the_progress_of_each_book(ada: Person) -> None:
    await add_book(ada, title="Half", status="READING", currentPage=206, totalPages=412)
    await add_book(ada, title="Over", status="READ", rating=3.5)
    await add_book(ada, title="Later", status="SHELF", currentPage=3, totalPages=4)
    page = await get_page(ada, "")
    assert "Page 206 of 412" in page
    assert re.findall(r'cover-progress.*?<rect width="(\d+)"', page) == ["50"]
    assert 'aria-label="3.5 of 5 stars">★★★½<' in page
    assert page.count("To read</small>") == 1


async def test_cover_depends_on_the_title(ada: Person) -> None:
    for title in ("Dune", "Dune", "Emma"):
        await add_book(ada, title=title)
    covers = re.findall(
        r'<span class="(cover cover-\d+)" aria-hidden="true">(.*?)<span',
        await get_page(ada, ""),
        re.DOTALL,
    )
    assert sorted(Counter(covers).values()) == [1, 2]


FORM = {
    name: str(value) for name, value in FULL_BOOK.items() if name not in ("rating", "currentPage")
}


async def test_new_book_has_all_typed_fields(ada: Person) -> None:
    where = await submit_form(ada, "/new", **FORM | {"price": "12,99"})
    book = parsed_body(await ada.get(where))
    expected = FULL_BOOK | {
        "rating": None,
        "currentPage": None,
        "isbn": "9780441478125",
        "currency": "EUR",
    }
    assert {name: book[name] for name in FULL_BOOK} == expected
    page = await get_page(ada, where.removeprefix("/books"))
    for shown in (
        "The Left Hand of Darkness",
        "Ursula K. Le Guin",
        "Winter.",
        "12.99 EUR",
        "Corner Books",
        "29 February 2024",
        "on the way home",
        "9780441478125",
        "Finished on 9 March 2024",
    ):
        assert shown in unescape(page)


async def test_errors_are_shown_at_their_fields(running: RunningApp, ada: Person) -> None:
    for typed, sentence in (
        ({"title": ""}, "Enter a title of up to 500 characters."),
        ({"title": "\u200b"}, "Enter a title of up to 500 characters."),
        ({"title": "Dune", "isbn": "1"}, "That isn’t an ISBN. Check the digits."),
        ({"title": "Dune", "price": "3"}, "Enter both a price and a currency."),
        ({"title": "Dune", "totalPages": "-1"}, "Enter a page, 0 or more"),
        ({"title": "Dune", "purchaseDate": "1"}, "Enter a date, like 2025-01-15"),
        ({"title": "Dune", "finishedAt": "2024-01-01"}, "Only a book you’ve finished has"),
        ({"title": "Dune", "status": "LOST"}, "Status must be SHELF, READING or READ"),
        ({"title": "Dune", "description": "x" * 10_001}, "Description must be 10,000"),
        ({"title": "Dune", "store": "x" * 201}, "Store must be 200 characters or less"),
        ({"title": "Dune", "boughtAt": "x" * 201}, "Where it was bought must be 200"),
    ):
        answer = await send_form(ada, "/new", **typed)
        assert answer.status_code == 400
        assert sentence in unescape(answer.text)
        assert form_values(answer.text).items() >= typed.items() - {("status", "LOST")}
    assert await get_reader_records(running.db, ada) == []
    assert form_values(await get_page(ada, "/new?title=Emma"))["title"] == "Emma"


async def test_edit_form_changes_only_edited_fields(
    ada: Person,
) -> None:
    book = await add_book(ada, **FULL_BOOK)
    path = f"/{book['id']}/edit"
    form = form_values(await get_page(ada, path))
    shown = FULL_BOOK | {"isbn": "9780441478125", "currency": "EUR"}
    assert {name: form[name] for name in FORM} == {name: str(shown[name]) for name in FORM}
    assert await submit_form(ada, path, **form) == f"/books/{book['id']}"
    assert await get_book(ada, book) == book, "what was not touched is not changed"
    await edit_book(ada, book, author="Another")
    for name, typed, kept in (
        ("title", "Winter", "Winter"),
        ("description", "", None),
        ("price", "3,50", 3.5),
        ("currency", "SEK", "SEK"),
        ("finishedAt", "2024-05-06", "2024-05-06"),
        ("totalPages", "300", 300),
        ("purchaseDate", "2020-01-02", "2020-01-02"),
        ("isbn", "", None),
        ("store", "Elsewhere", "Elsewhere"),
        ("boughtAt", "", None),
    ):
        await submit_form(ada, path, **form | {name: typed})
        assert (await get_book(ada, book))[name] == kept
    assert (await get_book(ada, book))["author"] == "Another"
    await submit_form(ada, path, **form | {"status": "READING"})
    now = await get_book(ada, book)
    assert (now["status"], now["finishedAt"]) == ("READING", None)
    wrong = await send_form(ada, path, **form | {"totalPages": "3"})
    assert (wrong.status_code, "The book has 3 pages." in wrong.text) == (400, True)
    assert form_values(wrong.text)["before"] == form["before"]


async def test_page_is_set_by_typing_or_a_button(ada: Person) -> None:
    book = await add_book(ada, status="READING", totalPages=100)
    path = f"/{book['id']}"
    assert await submit_form(ada, f"{path}/page", page="40") == f"/books{path}"
    assert await submit_form(ada, f"{path}/page", page="40", to="41", back="home") == "/"
    page = await get_page(ada, path)
    assert re.findall(r'name="to" value="(\d+)"', page) == ["40", "42"]
    assert 'name="page" type="number" inputmode="numeric" min="0" max="100" value="41"' in page
    for typed, sentence in (("101", "The book has 100 pages."), ("", "Which page are you on?")):
        answer = await send_form(ada, f"{path}/page", page=typed)
        assert (answer.status_code, sentence in answer.text) == (400, True)
    answer = await send_form(ada, f"{path}/page", page="x")
    assert (answer.status_code, "Enter a page, 0 or more" in answer.text) == (400, True)
    assert (await get_book(ada, book))["currentPage"] == 41


@pytest.mark.usefixtures("moment")
async def test_last_page_offers_to_finish_the_book(ada: Person) -> None:
    book = await add_book(ada, status="READING", totalPages=100)
    path = f"/{book['id']}"
    assert "I finished this book" not in await get_page(ada, path)
    assert await submit_form(ada, f"{path}/page", page="100", back="home") == f"/books{path}"
    page = await get_page(ada, path)
    assert "That was the last page" in page
    assert "I finished this book" in page
    assert "Your rating" not in page
    after = await submit_form(ada, f"{path}/status", status="READ")
    celebrated = await get_page(ada, after.removeprefix("/books"))
    assert "You finished it!" in celebrated
    assert "all 100 pages of it" in celebrated
    assert "You finished it!" not in await get_page(ada, path)
    assert (await get_book(ada, book))["finishedAt"] == "2024-11-01"
    assert await submit_form(ada, f"{path}/rating", rating="4.5") == f"/books{path}"
    page = await get_page(ada, path)
    assert re.findall(r'value="([\d.]+)" checked', page) == ["4.5"]
    assert re.findall(r'type="radio" name="rating" value="([\d.]+)"', page) == [
        str(half / 2) for half in range(2, 11)
    ]
    await send_form(ada, f"{path}/rating", rating="4.25")
    await send_form(ada, f"{path}/status", status="LOST")
    now = await get_book(ada, book)
    assert (now["rating"], now["status"]) == (4.5, "READ")
    assert await submit_form(ada, f"{path}/status", status="READING") == f"/books{path}"
    assert "You finished it!" not in await get_page(ada, f"{path}?said=finished")


async def test_notes_are_written_changed_and_deleted(ada: Person, moment: Moment) -> None:
    book = await add_book(ada)
    path = f"/{book['id']}"
    assert await submit_form(ada, f"{path}/notes", content="one") == f"/books{path}#notes"
    (note,) = parsed_body(await ada.get(f"/books{path}/notes"))["items"]
    moment.pass_by(HOUR)
    await submit_form(ada, f"{path}/notes/{note['id']}", content="ONE <b>")
    page = await get_page(ada, path)
    assert ">ONE &lt;b&gt;</p>" in page
    assert ">ONE &lt;b&gt;</textarea>" in page
    assert "1 hour ago, edited just now" in page
    too_long = {"content": "x" * 10_001}
    added, changed = [
        await send_form(ada, f"{path}/{where}", **too_long)
        for where in ("notes", f"notes/{note['id']}")
    ]
    for answer in (added, changed):
        assert (answer.status_code, "Enter a note of up to 10,000 characters" in answer.text) == (
            400,
            True,
        )
        assert answer.text.count("x" * 10_001) == 1
    assert ("<details open>" in added.text, "<details open>" in changed.text) == (False, True)
    assert "ONE &lt;b&gt;</p>" in changed.text
    await submit_form(ada, f"{path}/notes/{note['id']}/delete")
    assert parsed_body(await ada.get(f"/books{path}/notes"))["items"] == []
    gone = await send_form(ada, f"{path}/notes/{note['id']}", content="x")
    assert gone.status_code == 404


async def test_older_notes_are_on_the_next_page(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homeshelf.books.pages.NOTES_PER_PAGE", 2)
    book = await add_book(ada)
    for content in ("one", "two", "three"):
        await add_note(ada, book, content)
    page = await get_page(ada, f"/{book['id']}")
    assert re.findall(r'plain-text">(\w+)<', page) == ["three", "two"]
    older = unescape(re.findall(r'href="/books(/[^"]*nextToken=[^"#]*)', page)[0])
    page = await get_page(ada, older)
    assert re.findall(r'plain-text">(\w+)<', page) == ["one"]
    assert "Older notes" not in page


async def test_timeline_dates_are_in_the_readers_time_zone(ada: Person, moment: Moment) -> None:
    book = await add_book(ada, status="READING", totalPages=200)
    await reach_page(ada, book, 50)
    assert "Pages over time" not in await get_page(ada, f"/{book['id']}"), "one point is no line"
    moment.pass_by(10 * DAY)
    await reach_page(ada, book, 100)
    moment.pass_by(10 * DAY)
    parsed_body(await ada.patch("/me/preferences", {"timeZone": "Pacific/Auckland"}))
    page = await get_page(ada, f"/{book['id']}")
    assert 'd="M0.0 90.0L320.0 60.0"' in page
    assert ">page 200</text>" in page
    assert (">2 Nov 2024</text>" in page, ">12 Nov 2024</text>" in page) == (True, True)
    rows = re.findall(r'<th scope="row">([^<]*)</th><td>(\d+)</td>', page)
    assert rows == [("12 November 2024", "100"), ("2 November 2024", "50")]
    assert "At about 5 pages a day, 20 days to go." in page
    parsed_body(await ada.patch(f"/books/{book['id']}", {"status": "SHELF"}))
    assert "a day," not in await get_page(ada, f"/{book['id']}")


async def test_a_book_is_deleted_from_its_page(running: RunningApp, ada: Person) -> None:
    book = await add_book(ada)
    await reach_page(ada, book, 3)
    assert await submit_form(ada, f"/{book['id']}/delete") == "/books"
    assert await get_reader_records(running.db, ada) == []


async def test_pages_of_a_book_are_for_its_reader_only(
    running: RunningApp, ada: Person, charles: Person
) -> None:
    book = await add_book(ada, status="READING")
    note = await add_note(ada, book)
    before, path = await get_reader_records(running.db, ada), f"/{book['id']}"
    for where in ("", "/edit"):
        answer = await charles.client.get(f"/books{path}{where}", headers=OURS)
        assert answer.status_code == 404
    for where, typed in (
        ("/edit", {"title": "Mine"}),
        ("/page", {"page": "3"}),
        ("/status", {"status": "READ"}),
        ("/rating", {"rating": "1"}),
        ("/notes", {"content": "x"}),
        (f"/notes/{note['id']}", {"content": "x"}),
        (f"/notes/{note['id']}/delete", {}),
        ("/delete", {}),
    ):
        assert (await send_form(charles, f"{path}{where}", **typed)).status_code == 404
        elsewhere = {"Origin": "http://evil.test", "Accept": "text/html"}
        forged = await ada.client.post(f"/books{path}{where}", data=typed, headers=elsewhere)
        assert forged.status_code == 403
    assert await get_reader_records(running.db, ada) == before
