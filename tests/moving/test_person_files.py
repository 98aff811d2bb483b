"""A person moves into another house: with their books and the lists they made."""

import json
from typing import Any

import pytest

from homeshelf.accounts.store import get_account
from homeshelf.app import SLICES
from homeshelf.commands.files import import_records
from homeshelf.moving.export import export_records
from homeshelf.moving.file_import import BadFile, read_file
from homeshelf.shares.saved_lists import kept_lists
from homeshelf.table import TABLES
from tests.home import NOBODYS, Home
from tests.moving.houses import TwoHouses, elsewhere, everything, let_in, two_houses
from tests.running import Person, RunningApp

__all__ = ["elsewhere", "two_houses"]


async def file_of(running: RunningApp, person: Person) -> bytes:
    text, _ = await export_records(running.db, SLICES, "person", person.member_id)
    return text


async def moved(there: RunningApp, text: bytes) -> list[str]:
    _, said = await import_records(there.services, read_file(text, SLICES))
    return said


async def with_books_and_lists(ada: Person) -> dict[str, Any]:
    book = {"title": "Emma", "totalPages": 200, "rating": 4.5, "price": 12.3, "currency": "EUR"}
    emma = (await ada.post("/books", book)).json()
    read = {"title": "Ulysses", "status": "READ", "finishedAt": "2025-01-15"}
    bought = {"boughtAt": "the corner", "purchaseDate": "2024-12-24"}
    assert (await ada.post("/books", {**read, **bought})).is_success
    await ada.post(f"/books/{emma['id']}/notes", {"content": "Handsome, clever, and rich"})
    await ada.post(f"/books/{emma['id']}/progress", {"page": 20})
    trip = {"name": "Trip", "items": [{"name": "Tent"}, {"name": "Rope"}]}
    closed = {"name": "Gifts", "items": [{"name": "Kite"}], "viewPasscode": "lakeside"}
    lists = [(await ada.post("/shareables", each)).json() for each in (trip, closed)]
    return {"book": emma, "lists": lists}


@pytest.fixture(scope="module")
async def text(two_houses: TwoHouses) -> bytes:
    """The file of somebody who has books and lists."""
    ada = await two_houses.here.person("ada", verified=True)
    await with_books_and_lists(ada)
    return await file_of(two_houses.here, ada)


async def test_books_and_lists_are_there_and_theirs(home: Home, elsewhere: RunningApp) -> None:
    made = await with_books_and_lists(home.admin)
    said = await moved(elsewhere, await file_of(home.running, home.admin))
    assert said[0].endswith(f"homeshelf user reset-password {home.admin.member_id}")
    ada = await let_in(elsewhere, home.admin.member_id)
    path = f"/books/{made['book']['id']}"
    before = (await home.admin.get(path)).json()
    assert (await ada.get(path)).json() == before
    shelf = sorted((await ada.get("/books")).json()["items"], key=lambda each: str(each["id"]))
    theirs = (await home.admin.get("/books")).json()["items"]
    assert shelf == sorted(theirs, key=lambda each: str(each["id"]))
    assert {each.get("boughtAt") for each in shelf} == {None, "the corner"}
    assert (await ada.get(f"{path}/notes")).text == (await home.admin.get(f"{path}/notes")).text
    mine = (await ada.get("/me/shareables")).json()["items"]
    assert sorted(each["name"] for each in mine) == ["Gifts", "Trip"]
    kept = await elsewhere.db.all(kept_lists(home.admin.member_id))
    assert [each.made for each in kept] == [True, True]
    old = {each["shortId"] for each in made["lists"]}
    new = {each["name"]: each["shortId"] for each in mine}
    assert old.isdisjoint(new.values())
    for short_id in old:
        assert (await elsewhere.visitor().get(f"/shareables/{short_id}")).status_code == 404
    trip = (await ada.get(f"/shareables/{new['Trip']}")).json()
    assert [each["name"] for each in trip["items"]] == ["Tent", "Rope"]
    renamed = {"name": "Presents", "version": 1}
    assert (await ada.patch(f"/shareables/{new['Gifts']}", renamed)).is_success


async def test_they_come_without_a_way_in_and_without_families(
    home: Home, elsewhere: RunningApp
) -> None:
    await with_books_and_lists(home.admin)
    await moved(elsewhere, await file_of(home.running, home.admin))
    came = await get_account(elsewhere.db, home.admin.member_id)
    assert came is not None
    assert (came.password_hash, came.families, came.origin) == (None, (), "password")
    assert not came.email_verified


async def test_neither_passcodes_nor_short_ids_are_in_it(home: Home) -> None:
    made = await with_books_and_lists(home.admin)
    text = (await file_of(home.running, home.admin)).decode()
    for each in made["lists"]:
        assert each["shortId"] not in text
        assert each["shortId"].replace("-", "") not in text
    for word in ("argon2", "asscode", "Hash", "PK"):
        assert word not in text
    assert '"rating": 4.5' in text


@pytest.mark.parametrize("by", ["id", "address"])
async def test_somebody_who_is_here_stays_as_they_are(
    home: Home, elsewhere: RunningApp, by: str
) -> None:
    await with_books_and_lists(home.admin)
    text = await file_of(home.running, home.admin)
    there = home.running if by == "id" else elsewhere
    if by == "address":
        await elsewhere.person(home.admin.name)
    before = await everything(there.db)
    with pytest.raises(BadFile, match=r"is here already|has the address ada@home\.local"):
        await moved(there, text)
    assert await everything(there.db) == before


@pytest.mark.parametrize(
    ("kind", "values", "why"),
    [
        ("Book", {"finishedAt": "soon"}, "no date"),
        ("Book", {"purchaseDate": "2025-02-30"}, "day is out of range"),
        ("Book", {"createdAt": "soon"}, "Invalid isoformat"),
        ("Book", {"rating": "many"}, "Book has rating"),
        ("Book", {"id": "1#NOTE"}, "nothing that a key can hold"),
        ("Account", {"memberId": NOBODYS}, "a record of somebody else"),
        ("Account", {"passwordHash": "x"}, "Account has no passwordHash"),
        ("Account", {"families": [NOBODYS]}, "Account has no families"),
        ("Shareable", {"viewPasscode": "x"}, "Shareable has no viewPasscode"),
        ("Shareable", {"hidden": True}, "Shareable has no hidden"),
        ("Shareable", {"shortId": ""}, "nothing that a key can hold"),
        ("ChecklistItem", {"shortId": "abc-def-12345"}, "belongs to none of its lists"),
    ],
)
async def test_a_broken_file_changes_nothing(
    text: bytes, two_houses: TwoHouses, kind: str, values: dict[str, Any], why: str
) -> None:
    file = json.loads(text)
    file["records"][kind][0].update(values)
    with pytest.raises(BadFile, match=why):
        await moved(two_houses.there, json.dumps(file).encode())
    assert await everything(two_houses.there.db) == [[]] * len(TABLES)


async def test_a_list_of_somebody_here_is_not_taken_over(home: Home, elsewhere: RunningApp) -> None:
    """Whatever short id the file claims, it gets another."""
    bob = await elsewhere.person("bob")
    theirs = (await bob.post("/shareables", {"name": "Bob's", "items": [{"name": "Nail"}]})).json()
    await with_books_and_lists(home.admin)
    file = json.loads(await file_of(home.running, home.admin))
    shared = file["records"]["Shareable"][0]
    for each in file["records"]["ChecklistItem"]:
        if each["shortId"] == shared["shortId"]:
            each["shortId"] = theirs["shortId"]
    shared["shortId"] = theirs["shortId"]
    before = (await bob.get(f"/shareables/{theirs['shortId']}")).json()
    await moved(elsewhere, json.dumps(file).encode())
    assert (await bob.get(f"/shareables/{theirs['shortId']}")).json() == before
    ada = await let_in(elsewhere, home.admin.member_id)
    mine = (await ada.get("/me/shareables")).json()["items"]
    assert theirs["shortId"] not in {each["shortId"] for each in mine}


async def test_books_of_somebody_else_are_refused(
    home: Home, neighbour: Person, elsewhere: RunningApp
) -> None:
    await with_books_and_lists(home.admin)
    file = json.loads(await file_of(home.running, home.admin))
    file["records"]["Book"][0]["userId"] = neighbour.member_id
    with pytest.raises(BadFile, match="Book has a record of somebody else"):
        await moved(elsewhere, json.dumps(file).encode())
    assert await everything(elsewhere.db) == [[]] * len(TABLES)
