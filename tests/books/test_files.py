"""Test exporting and importing a shelf, and importing files of other programs."""

import csv
import gc
import io
import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf import clock
from homeshelf.books import file_rows
from homeshelf.books.export import FORMULA, escape_cell, unescape_cell
from homeshelf.books.import_jobs import Imports
from tests.api_client import (
    add_book,
    get_reader_records,
    get_titles,
    invalid_fields,
    parsed_body,
    wait_until,
)
from tests.books.client import CSV, JSON, export_shelf, fill_shelf, get_events, import_shelf, send
from tests.home import NOBODYS
from tests.running import Person, RunningApp, problem_of

GOODREADS = '''Book Id,Title,Author,ISBN,ISBN13,My Rating,Number of Pages,Date Read,Date Added,\
Exclusive Shelf,My Review
1,"Dune, again",Frank Herbert,"=""0441172717""","=""9780441172719""",4,412,2024/03/09,\
2024/01/02,read,"Sand.<br/>""More"" sand."
2,Emma,Jane Austen,"=""""","=""""",0,,,2024/01/03,to-read,
3,Waves,Virginia Woolf,,"=""123""",0,,,2024/01/03,abandoned,
'''
STORYGRAPH = """Title,Authors,ISBN/UID,Read Status,Date Added,Last Date Read,Star Rating,Review
Dune,Frank Herbert,9780441172719,read,2024/01/02,2024/03/09,3.75,
Emma,Jane Austen,,did-not-finish,2024/01/02,,,
Waves,Virginia Woolf,abc-uid,currently-reading,2024/01/02,,4.5,
"""


async def test_json_export_and_import_restore_the_same_bytes(ada: Person, charles: Person) -> None:
    await fill_shelf(ada)
    before = await export_shelf(ada, "json")
    assert await import_shelf(charles, before, JSON) == {
        "done": 3,
        "total": 3,
        "added": 3,
        "skipped": 0,
        "problems": [],
    }
    assert await export_shelf(charles, "json") == before
    again = await import_shelf(charles, before, JSON)
    assert (again["added"], again["skipped"]) == (0, 3)
    assert await export_shelf(charles, "json") == before


async def test_import_removes_control_characters_from_texts_of_one_line(ada: Person) -> None:
    times = dict.fromkeys(("createdAt", "updatedAt"), "2024-03-09T12:00:00.000Z")
    note = {"content": "Sand.\x1b\nMore \u202esand.", **times}
    book = {"title": "Du\x1b[2Jne\nagain", "author": "Her\u202ebert\x9b", "notes": [note]}
    done = await import_shelf(ada, json.dumps({"books": [book]}).encode(), JSON)
    assert (done["added"], done["problems"]) == (1, [])
    done = await import_shelf(ada, b'title,store\n"Em\x07ma","Cor\tner"\n', CSV)
    assert (done["added"], done["problems"]) == (1, [])
    kept = {each["title"]: each for each in (await ada.get("/books")).json()["items"]}
    assert kept.keys() == {"Du[2Jne again", "Emma"}
    assert (kept["Emma"]["store"], kept["Du[2Jne again"]["author"]) == ("Cor ner", "Herbert")
    notes = (await ada.get(f"/books/{kept['Du[2Jne again']['id']}/notes")).json()["items"]
    assert [each["content"] for each in notes] == [note["content"]]


async def test_csv_export_and_import_restore_the_same_books(ada: Person, charles: Person) -> None:
    await fill_shelf(ada)
    before = await export_shelf(ada, "csv")
    done = await import_shelf(charles, before, CSV)
    assert (done["added"], done["problems"]) == (3, [])
    assert await export_shelf(charles, "csv") == before
    cells = [cell for row in csv.reader(io.StringIO(before.decode(), newline="")) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


@given(st.text())
def test_escaped_cell_restores_its_text(text: str) -> None:
    assert unescape_cell(escape_cell(text)) == text
    assert not escape_cell(text).startswith(tuple(set(FORMULA) - {"'"}))


async def test_goodreads_export_is_imported(ada: Person) -> None:
    done = await import_shelf(ada, GOODREADS, CSV)
    assert (done["added"], done["skipped"]) == (3, 0)
    assert done["problems"] == [
        {
            "line": 4,
            "message": "There’s no shelf called “abandoned” here, so this went to To read.",
        },
        {"line": 4, "message": "The number isn’t an ISBN and was left out."},
    ]
    books = {book["title"]: book for book in parsed_body(await ada.get("/books"))["items"]}
    dune = books["Dune, again"]
    seen = {name: dune[name] for name in ("isbn", "rating", "totalPages", "finishedAt", "status")}
    assert seen == {
        "isbn": "9780441172719",
        "rating": 4,
        "totalPages": 412,
        "finishedAt": "2024-03-09",
        "status": "READ",
    }
    assert dune["createdAt"] == "2024-01-02T00:00:00.000Z"
    notes = parsed_body(await ada.get(f"/books/{dune['id']}/notes"))["items"]
    assert [note["content"] for note in notes] == ['Sand.\n"More" sand.']
    assert (books["Emma"]["status"], books["Waves"]["status"]) == ("SHELF", "SHELF")
    again = await import_shelf(ada, GOODREADS, CSV)
    assert (again["added"], again["skipped"], again["problems"]) == (0, 3, [])


async def test_minimal_goodreads_row_with_isbn10_is_imported(ada: Person) -> None:
    least = "Title,Exclusive Shelf\nEmma,currently-reading\n"
    assert (await import_shelf(ada, least, CSV))["added"] == 1
    short = 'Title,ISBN,ISBN13,Exclusive Shelf\nDune,"=""0441172717""","=""""",read\n'
    assert (await import_shelf(ada, short, CSV))["added"] == 1
    books = {book["title"]: book for book in parsed_body(await ada.get("/books"))["items"]}
    assert (books["Emma"]["status"], books["Dune"]["isbn"]) == ("READING", "9780441172719")


async def test_long_texts_of_other_programs_are_cut_with_a_remark(ada: Person) -> None:
    header, long = "Title,Author,Exclusive Shelf,My Review\n", "x" * 10_001
    rows = f"Emma,Jane,read,{long}\nDune,{'y' * 301},read,\nWaves,Virginia,read,{long[1:]}\n"
    done = await import_shelf(ada, header + rows, CSV)
    too_long = "Some text was too long and was cut off."
    assert done["problems"] == [{"line": line, "message": too_long} for line in (2, 3)]
    books = {book["title"]: book for book in parsed_body(await ada.get("/books"))["items"]}
    notes = parsed_body(await ada.get(f"/books/{books['Emma']['id']}/notes"))["items"]
    assert [len(note["content"]) for note in notes] == [10_000]
    assert books["Dune"]["author"] == "y" * 300


async def test_invisible_review_does_not_reject_its_book(ada: Person) -> None:
    done = await import_shelf(ada, "Title,Exclusive Shelf,My Review\nEmma,read,\u200b\n", CSV)
    assert (done["added"], done["problems"]) == (1, [])
    (emma,) = parsed_body(await ada.get("/books"))["items"]
    assert parsed_body(await ada.get(f"/books/{emma['id']}/notes"))["items"] == []


async def test_storygraph_export_is_imported_with_rounded_ratings(ada: Person) -> None:
    done = await import_shelf(ada, STORYGRAPH, CSV)
    assert done["added"] == 3
    assert "Rounded 3.75 stars to 4." in [problem["message"] for problem in done["problems"]]
    books = {book["title"]: book for book in parsed_body(await ada.get("/books"))["items"]}
    assert (books["Dune"]["rating"], books["Waves"]["rating"]) == (4, 4.5)
    assert (books["Emma"]["status"], books["Waves"]["status"]) == ("SHELF", "READING")
    assert books["Waves"]["isbn"] is None


async def test_lowest_ratings_stay_low(ada: Person) -> None:
    stars = ("0", "0.25", "1", "1.25", "1.5")
    rows = "".join(f"{each},read,{each}\n" for each in stars)
    done = await import_shelf(ada, f"Title,Read Status,Star Rating\n{rows}", CSV)
    assert [problem["message"] for problem in done["problems"]] == [
        "Rounded 0.25 stars to 1.",
        "Rounded 1.25 stars to 1.5.",
    ]
    books = {
        book["title"]: book["rating"] for book in parsed_body(await ada.get("/books"))["items"]
    }
    assert [books[each] for each in stars] == [None, 1, 1, 1.5, 1.5]


async def test_existing_books_are_skipped(ada: Person) -> None:
    await add_book(ada, title="EMMA", author="jane austen")
    await add_book(ada, title="Wüste", isbn="0441172717")
    done = await import_shelf(ada, STORYGRAPH, CSV)
    assert (done["added"], done["skipped"]) == (1, 2)


async def test_json_book_without_id_gets_a_derived_id(ada: Person, charles: Person) -> None:
    at = "2023-05-01T10:00:00.000Z"
    read = {"page": 3, "occurredAt": at}
    note = {"content": "Good", "createdAt": at, "updatedAt": at}
    emma = {"id": None, "title": "Emma", "rating": 4.5, "events": [read, read], "notes": [note]}
    file = json.dumps({"books": [emma, {"title": "Dune", "createdAt": at}]})
    before = clock.timestamp()
    report = await import_shelf(ada, file, JSON)
    assert (report["added"], report["skipped"], report["problems"]) == (2, 0, [])
    found = {book["title"]: book for book in parsed_body(await ada.get("/books"))["items"]}
    assert found["Dune"]["createdAt"] == at
    assert found["Dune"]["updatedAt"] == found["Emma"]["createdAt"] >= before
    assert len(await get_events(ada, found["Emma"])) == 2
    first = await export_shelf(ada, "json")
    again = await import_shelf(ada, file, JSON)
    assert (again["added"], again["skipped"], again["problems"]) == (0, 2, [])
    assert await export_shelf(ada, "json") == first
    await import_shelf(charles, file, JSON)
    theirs = parsed_body(await charles.get("/books"))["items"]
    assert not {book["id"] for book in theirs} & {book["id"] for book in found.values()}


async def test_preview_changes_nothing(running: RunningApp, ada: Person) -> None:
    seen = parsed_body(await send(ada, GOODREADS, CSV, "?dryRun=true"))
    assert (seen["added"], seen["skipped"], len(seen["problems"])) == (3, 0, 2)
    assert await get_reader_records(running.db, ada) == []


async def test_invalid_rows_are_reported_and_the_others_imported(ada: Person) -> None:
    at = "2024-01-01T00:00:00.000Z"
    ours = {"id": NOBODYS, "title": "Good", "createdAt": at, "updatedAt": at}
    later = {**ours, "id": clock.new_id(), "updatedAt": "2999-01-01T00:00:00.000Z"}
    note = {"id": clock.new_id(), "content": "x", "createdAt": at, "updatedAt": later["updatedAt"]}
    event = {"id": clock.new_id(), "page": 3, "occurredAt": "2999-01-01T00:00:00.000Z"}
    books = [
        ours,
        {**ours, "id": "x"},
        later,
        3,
        {**ours, "id": clock.new_id(), "rating": 9},
        {**ours, "id": clock.new_id(), "events": [event]},
        {**ours, "id": clock.new_id(), "price": 3},
        {**ours, "id": clock.new_id(), "notes": [note]},
    ]
    content = httpx.Request("POST", "http://x", json={"books": books}).content
    done = await import_shelf(ada, content, JSON)
    assert (done["added"], done["done"]) == (1, 8)
    yet_to_come = "One of the times is in the future."
    assert [(problem["line"], problem["message"]) for problem in done["problems"]] == [
        (2, "id: This must be a UUID"),
        (3, yet_to_come),
        (4, "This isn’t a book."),
        (5, "Rating must be from 1 to 5, in halves"),
        (6, yet_to_come),
        (7, "currency: Enter both a price and a currency."),
        (8, yet_to_come),
    ]
    assert await get_titles(ada) == ["Good"]


async def test_invalid_page_number_rejects_only_its_row(ada: Person) -> None:
    content = "title,currentPage,totalPages\nDune,some,\nEmma,3,90\nWaves,,many\n"
    done = await import_shelf(ada, content, CSV)
    assert [problem["line"] for problem in done["problems"]] == [2, 4]
    (book,) = parsed_body(await ada.get("/books"))["items"]
    assert (book["title"], book["currentPage"], book["totalPages"]) == ("Emma", 3, 90)


async def test_unknown_file_format_is_refused(running: RunningApp, ada: Person) -> None:
    for content, headers in (
        ("", CSV),
        ("a,b\n1,2\n", CSV),
        ("{", JSON),
        ("[]", JSON),
        (b"\xff\xfetitle", CSV),
    ):
        assert invalid_fields(await send(ada, content, headers, "?dryRun=true")) == ["body"]
    other = await send(ada, "x", {"content-type": "text/html"})
    assert invalid_fields(other) == ["Content-Type"]
    assert await get_reader_records(running.db, ada) == []


async def test_json_without_books_is_refused(ada: Person) -> None:
    for content in ('{"yearlyGoal": 3}', "{}"):
        assert invalid_fields(await send(ada, content, JSON, "?dryRun=true")) == ["body"]
    assert parsed_body(await send(ada, '{"books": []}', JSON, "?dryRun=true"))["added"] == 0


@pytest.mark.parametrize("at", ["0999-12-31T23:00:00Z", "0001-01-01T00:00:00+01:00", "1000-1-1"])
async def test_time_out_of_range_is_refused(ada: Person, at: str) -> None:
    book = {"id": NOBODYS, "title": "Old", "createdAt": at, "updatedAt": at}
    done = await import_shelf(ada, json.dumps({"books": [book]}), JSON)
    why = "Enter a time, like 2025-01-15T10:00:00.000Z"
    assert (done["added"], done["problems"]) == (
        0,
        [{"line": 1, "message": f"createdAt: {why}; updatedAt: {why}"}],
    )


async def test_repeated_idempotency_key_starts_one_import(ada: Person) -> None:
    key = {**CSV, "Idempotency-Key": "k"}
    first, again = [await send(ada, GOODREADS, key) for _ in range(2)]
    assert parsed_body(first, 202) == parsed_body(again, 202)
    assert problem_of(await send(ada, "title\nDune\n", key)) == (409, "idempotency_mismatch")
    assert "Dune" not in await get_titles(ada)


async def test_file_is_closed_when_its_request_fails(ada: Person) -> None:
    key = {**CSV, "Idempotency-Key": "k"}
    await import_shelf(ada, "title\nDune\n", key)
    gc.collect()
    gc.disable()
    try:
        before = count_deleted_open_files()
        assert (await send(ada, "title\nDune\n", key)).status_code == 202
        assert invalid_fields(
            await send(ada, "title\nEmma\n", {**key, "Idempotency-Key": "other"}, "?dryRun=so")
        ) == ["dryRun"]
        assert invalid_fields(await send(ada, "", {**key, "Idempotency-Key": "other"})) == ["body"]
        assert count_deleted_open_files() == before
    finally:
        gc.enable()


def count_deleted_open_files() -> int:
    open_now = [each for each in Path("/proc/self/fd").iterdir() if each.exists()]
    return sum("(deleted)" in str(each.readlink()) for each in open_now)


async def test_finished_import_leaves_no_task_or_file(running: RunningApp, ada: Person) -> None:
    before = count_deleted_open_files()
    await import_shelf(ada, "title\nDune\n", CSV)

    async def is_over() -> bool:
        return not running.services.of(Imports).tasks

    await wait_until(is_over)
    assert count_deleted_open_files() == before


async def test_import_is_visible_to_its_reader_only(ada: Person, charles: Person) -> None:
    begun = parsed_body(await send(ada, GOODREADS, CSV), 202)
    answer = await charles.get(f"/books/imports/{begun['importId']}")
    assert problem_of(answer) == (404, "not_found")


async def test_imports_are_limited_to_five_an_hour(ada: Person) -> None:
    for _ in range(5):
        await import_shelf(ada, "title\nDune\n", CSV)
    answer = await send(ada, "title\nDune\n", CSV)
    assert problem_of(answer) == (429, "rate_limited")
    assert await get_titles(ada) == ["Dune"]


async def test_file_beyond_the_size_limit_is_refused(ada: Person) -> None:
    row = f"title,description\nDune,{'x' * 9_000}\n"
    large = row + f"Emma,{'y' * 9_000}\n" * 600
    seen = parsed_body(await send(ada, large, CSV, "?dryRun=true"))
    assert (seen["added"], seen["skipped"]) == (2, 599)
    too_large = await send(ada, b"x" * 20_000_001, CSV)
    assert problem_of(too_large) == (413, "too_large")


@pytest.mark.parametrize("format_", ["", "?format=xml"])
async def test_export_requires_a_format(ada: Person, format_: str) -> None:
    assert invalid_fields(await ada.get(f"/books/export{format_}")) == ["format"]


@pytest.mark.usefixtures("moment")
async def test_date_of_tomorrow_elsewhere_is_accepted(ada: Person) -> None:
    content = "Title,Exclusive Shelf,Date Added\nDune,read,2024/11/02\n"
    assert (await import_shelf(ada, content, CSV))["problems"] == []
    (book,) = parsed_body(await ada.get("/books"))["items"]
    assert book["createdAt"] == "2024-11-01T12:00:00.000Z"


async def test_report_has_at_most_a_thousand_problems(ada: Person) -> None:
    strange = {"title": "Dune", "\N{BOOKS}" * 300: 1}
    content = json.dumps({"books": [strange] * 1_001}).encode()
    done = await import_shelf(ada, content, JSON)
    assert (done["done"], done["added"], len(done["problems"])) == (1_001, 0, 1_000)
    seen = parsed_body(await send(ada, content, JSON, "?dryRun=true"))
    assert seen["problems"] == done["problems"]


async def test_too_many_books_for_one_file_are_refused(
    running: RunningApp, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_rows, "MAX_ROWS", 3)
    assert parsed_body(await send(ada, "title\na\nb\nc\n", CSV, "?dryRun=true"))["added"] == 3
    assert invalid_fields(await send(ada, "title\na\nb\nc\nd\n", CSV)) == ["body"]
    assert await get_reader_records(running.db, ada) == []


async def test_book_without_title_is_skipped_and_named_by_its_line(ada: Person) -> None:
    text = b'title,author\nEmma,Austen\n\n"Dune\n2",Herbert\n" ",Nobody\n,Nobody\n'
    done = await import_shelf(ada, text, CSV)
    assert done["added"] == 2
    assert done["problems"] == [{"line": line, "message": "No title; skipped."} for line in (6, 7)]
