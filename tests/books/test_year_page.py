"""Test the page of a reading year."""

import re

from tests.api_client import add_book, parsed_body, reach_page
from tests.books.client import get_page, send_form, submit_form
from tests.moment import DAY, Moment
from tests.running import Person


async def test_the_year_shows_each_day_and_month(ada: Person, moment: Moment) -> None:
    parsed_body(await ada.patch("/me/preferences", {"timeZone": "Pacific/Auckland"}))
    book = await add_book(ada, status="READING", totalPages=200, title="Dune")
    await reach_page(ada, book, 40)
    moment.pass_by(DAY)
    await reach_page(ada, book, 50)
    await add_book(ada, status="READ", finishedAt="2024-03-09")
    await add_book(ada, status="READ", finishedAt="2023-03-09")
    assert await submit_form(ada, "/goal", yearlyGoal="4") == "/books/year"
    page = await get_page(ada, "/year")
    figures = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    assert figures == {
        "book finished": "1",
        "pages read": "50",
        "pages a day": "0",
        "days in a row": "2",
        "longest streak": "2",
    }
    assert "1 of 4 books" in page
    assert '<rect width="25" height="4"' in page
    assert "up to 40 pages on 2 November 2024" in page
    assert "at about 50 pages a day, 3 days to go" in page
    rows = re.findall(r'<th scope="row">([^<]*)</th><td>(\d+)</td>', page)
    assert rows[:2] == [("3 November 2024", "10"), ("2 November 2024", "40")]
    months = re.findall(r'<th scope="row">(\w{3})</th><td>(\d+)</td><td>(\d+)</td>', page)
    assert [each for each in months if each[1:] != ("0", "0")] == [
        ("Mar", "0", "1"),
        ("Nov", "50", "0"),
    ]
    # The second half of 2024 begins on a Monday: 2 November is the Saturday of its 18th week.
    assert re.findall(r'heat heat-([1-4])" x="(\d+)" y="(\d+)"', page) == [
        ("4", "102", "30"),
        ("1", "102", "36"),
    ]
    assert len(re.findall(r'class="heat heat-\d" x="\d+" y="\d+"', page)) == 366
    assert re.findall(r'class="bar" x="57" y="([\d.]+)" width="18" height="([\d.]+)"', page) == [
        ("4.0", "80.0")
    ]
    other = await get_page(ada, "/year?year=2023")
    assert ("1</dd>" in other, "Your goal" in other, "days in a row" in other) == (
        True,
        False,
        False,
    )
    wrong = await send_form(ada, "/goal", yearlyGoal="0")
    assert (wrong.status_code, "Choose a goal from 1 to 10,000" in wrong.text) == (400, True)
    await submit_form(ada, "/goal", yearlyGoal="")
    assert parsed_body(await ada.get("/books/settings")) == {"yearlyGoal": None}


async def test_year_counts_pages_of_finished_books_without_reading_days(ada: Person) -> None:
    for pages in (300, 120, None):
        more = {} if pages is None else {"totalPages": pages}
        await add_book(ada, title=f"Book {pages}", status="READ", finishedAt="2024-03-09", **more)
    page = await get_page(ada, "/year?year=2024")
    figures = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    assert (figures["books finished"], figures["pages read"]) == ("3", "420")
    assert "from finished books without reading days: 420" in page
    assert "Finished books whose pages are unknown: 1" in page
    assert "Nothing read yet" not in page
    assert "reading days: " not in await get_page(ada, "/year?year=2023")
