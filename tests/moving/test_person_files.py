"""Test that a person moves to another house with their books and lists."""

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
from tests.moving.households import TwoHouses, all_records, other_house, sign_in_member, two_houses
from tests.running import Person, RunningApp

__all__ = ["other_house", "two_houses"]


async def export_person(running: RunningApp, person: Person) -> bytes:
    text, _ = await export_records(running.db, SLICES, "person", person.member_id)
    return text


async def import_person(there: RunningApp, text: bytes) -> list[str]:
    _, said = await import_records(there.services, read_file(text, SLICES))
    return said


async def add_books_and_lists(ada: Person) -> dict[str, Any]:
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
    """The file of a person with books and lists."""
    ada = await two_houses.here.person("ada", verified=True)
    await add_books_and_lists(ada)
    return await export_person(two_houses.here, ada)


async def test_imported_person_has_their_books_and_lists(
    home: Home, other_house: RunningApp
) -> None:
    made = await add_books_and_lists(home.admin)
    said = await import_person(other_house, await export_person(home.running, home.admin))
    assert said[0].endswith(f"homeshelf user reset-password {home.admin.member_id}")
    ada = await sign_in_member(other_house, home.admin.member_id)
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
    kept = await other_house.db.all(kept_lists(home.admin.member_id))
    assert [each.made for each in kept] == [True, True]
    old = {each["shortId"] for each in made["lists"]}
    new = {each["name"]: each["shortId"] for each in mine}
    assert old.isdisjoint(new.values())
    for short_id in old:
        assert (await other_house.visitor().get(f"/shareables/{short_id}")).status_code == 404
    trip = (await ada.get(f"/shareables/{new['Trip']}")).json()
    assert [each["name"] for each in trip["items"]] == ["Tent", "Rope"]
    renamed = {"name": "Presents", "version": 1}
    assert (await ada.patch(f"/shareables/{new['Gifts']}", renamed)).is_success


async def test_imported_person_has_no_password_and_no_families(
    home: Home, other_house: RunningApp
) -> None:
    await add_books_and_lists(home.admin)
    await import_person(other_house, await export_person(home.running, home.admin))
    came = await get_account(other_house.db, home.admin.member_id)
    assert came is not None
    assert (came.password_hash, came.families, came.origin) == (None, (), "password")
    assert not came.email_verified


async def test_person_file_holds_no_passcodes_or_short_ids(home: Home) -> None:
    made = await add_books_and_lists(home.admin)
    text = (await export_person(home.running, home.admin)).decode()
    for each in made["lists"]:
        assert each["shortId"] not in text
        assert each["shortId"].replace("-", "") not in text
    for word in ("argon2", "asscode", "Hash", "PK"):
        assert word not in text
    assert '"rating": 4.5' in text


@pytest.mark.parametrize("by", ["id", "address"])
async def test_import_of_existing_person_changes_nothing(
    home: Home, other_house: RunningApp, by: str
) -> None:
    await add_books_and_lists(home.admin)
    text = await export_person(home.running, home.admin)
    there = home.running if by == "id" else other_house
    if by == "address":
        await other_house.person(home.admin.name)
    before = await all_records(there.db)
    with pytest.raises(BadFile, match=r"is here already|has the address ada@home\.local"):
        await import_person(there, text)
    assert await all_records(there.db) == before


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
async def test_import_of_broken_file_changes_nothing(
    text: bytes, two_houses: TwoHouses, kind: str, values: dict[str, Any], why: str
) -> None:
    file = json.loads(text)
    file["records"][kind][0].update(values)
    with pytest.raises(BadFile, match=why):
        await import_person(two_houses.there, json.dumps(file).encode())
    assert await all_records(two_houses.there.db) == [[]] * len(TABLES)


async def test_imported_list_cannot_take_over_an_existing_short_id(
    home: Home, other_house: RunningApp
) -> None:
    """Every imported list gets a new short id."""
    bob = await other_house.person("bob")
    theirs = (await bob.post("/shareables", {"name": "Bob's", "items": [{"name": "Nail"}]})).json()
    await add_books_and_lists(home.admin)
    file = json.loads(await export_person(home.running, home.admin))
    shared = file["records"]["Shareable"][0]
    for each in file["records"]["ChecklistItem"]:
        if each["shortId"] == shared["shortId"]:
            each["shortId"] = theirs["shortId"]
    shared["shortId"] = theirs["shortId"]
    before = (await bob.get(f"/shareables/{theirs['shortId']}")).json()
    await import_person(other_house, json.dumps(file).encode())
    assert (await bob.get(f"/shareables/{theirs['shortId']}")).json() == before
    ada = await sign_in_member(other_house, home.admin.member_id)
    mine = (await ada.get("/me/shareables")).json()["items"]
    assert theirs["shortId"] not in {each["shortId"] for each in mine}


async def test_import_of_another_persons_books_is_refused(
    home: Home, neighbour: Person, other_house: RunningApp
) -> None:
    await add_books_and_lists(home.admin)
    file = json.loads(await export_person(home.running, home.admin))
    file["records"]["Book"][0]["userId"] = neighbour.member_id
    with pytest.raises(BadFile, match="Book has a record of somebody else"):
        await import_person(other_house, json.dumps(file).encode())
    assert await all_records(other_house.db) == [[]] * len(TABLES)
