"""Test the statistics of reading in the reader's time zone."""

from tests.api_client import add_book, edit_book, invalid_fields, parsed_body, reach_page
from tests.moment import DAY, HOUR, MINUTE, Moment
from tests.running import Person


async def test_statistics_are_zero_without_books(ada: Person) -> None:
    nothing = {"booksFinished": 0, "pagesRead": 0, "pagesPerDay": []}
    assert parsed_body(await ada.get("/books/stats")) == nothing
    assert parsed_body(await ada.get("/books/stats?year=2024")) == nothing


async def test_only_forward_steps_in_each_book_count(
    ada: Person, charles: Person, moment: Moment
) -> None:
    dune, emma = await add_book(ada), await add_book(ada, currentPage=100)
    for page in (10, 30, 20, 25, 25):
        await reach_page(ada, dune, page)
    moment.pass_by(DAY)
    await reach_page(ada, emma, 5)
    await reach_page(ada, dune, 26)
    await reach_page(charles, await add_book(charles), 500)
    assert parsed_body(await ada.get("/books/stats")) == {
        "booksFinished": 0,
        "pagesRead": 41,
        "pagesPerDay": [{"date": "2024-11-01", "pages": 35}, {"date": "2024-11-02", "pages": 6}],
    }


async def test_days_are_in_the_readers_time_zone(ada: Person, moment: Moment) -> None:
    book = await add_book(ada)
    await reach_page(ada, book, 10)
    moment.pass_by(11 * HOUR + 30 * MINUTE)
    await reach_page(ada, book, 30)
    days = parsed_body(await ada.get("/books/stats"))["pagesPerDay"]
    assert days == [{"date": "2024-11-01", "pages": 30}]
    berlin = parsed_body(await ada.get("/books/stats?timeZone=Europe/Berlin"))["pagesPerDay"]
    assert berlin == [{"date": "2024-11-01", "pages": 10}, {"date": "2024-11-02", "pages": 20}]
    parsed_body(await ada.patch("/me/preferences", {"timeZone": "Europe/Berlin"}))
    assert parsed_body(await ada.get("/books/stats"))["pagesPerDay"] == berlin
    assert parsed_body(await ada.get("/books/stats?timeZone=UTC"))["pagesPerDay"] == days
    assert invalid_fields(await ada.get("/books/stats?timeZone=Atlantis")) == ["timeZone"]


async def test_first_pages_of_a_year_count_from_the_last_year(ada: Person, moment: Moment) -> None:
    book = await add_book(ada)
    await reach_page(ada, book, 100)
    moment.pass_by(61 * DAY)
    await reach_page(ada, book, 130)
    of_2025 = parsed_body(await ada.get("/books/stats?year=2025"))
    assert (of_2025["pagesRead"], len(of_2025["pagesPerDay"])) == (30, 1)
    assert parsed_body(await ada.get("/books/stats?year=2024"))["pagesRead"] == 100
    assert parsed_body(await ada.get("/books/stats"))["pagesRead"] == 130
    assert invalid_fields(await ada.get("/books/stats?year=0")) == ["year"]


async def test_books_are_finished_in_a_year(ada: Person) -> None:
    await add_book(ada, status="READ", finishedAt="2023-12-31")
    await add_book(ada, status="READ", finishedAt="2024-01-01")
    await add_book(ada, status="READING")
    unknown = await add_book(ada, status="READ")
    await edit_book(ada, unknown, finishedAt=None)
    for question, count in (("?year=2023", 1), ("?year=2024", 1), ("?year=2022", 0), ("", 3)):
        assert parsed_body(await ada.get(f"/books/stats{question}"))["booksFinished"] == count


async def test_yearly_goal_is_set_and_removed(ada: Person, charles: Person) -> None:
    assert parsed_body(await ada.get("/books/settings")) == {"yearlyGoal": None}
    assert parsed_body(await ada.patch("/books/settings", {"yearlyGoal": 24})) == {"yearlyGoal": 24}
    assert parsed_body(await ada.patch("/books/settings", {})) == {"yearlyGoal": 24}
    assert parsed_body(await ada.get("/books/settings")) == {"yearlyGoal": 24}
    assert parsed_body(await charles.get("/books/settings")) == {"yearlyGoal": None}
    for goal in (0, 10_001, "3", 1.5):
        assert invalid_fields(await ada.patch("/books/settings", {"yearlyGoal": goal})) == [
            "yearlyGoal"
        ]
    assert parsed_body(await ada.patch("/books/settings", {"yearlyGoal": None})) == {
        "yearlyGoal": None
    }
