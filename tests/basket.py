"""Putting things on a household's shopping list, and looking at what is there, through the API.

milk = await add_entry(home.admin, name="Milk")
milk = await mark(home.admin, milk, "purchased")
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from homeshelf.coordination.changes import changes_since
from homeshelf.shopping.store import pending_entries
from tests.cupboard import Shown, every_page
from tests.home import Home
from tests.running import Person


def path_of(entry: Shown, more: str = "") -> str:
    return f"/shopping-list/{entry['shoppingItemId']}{more}"


async def add_entry(person: Person, **body: Any) -> Shown:
    answer = await person.post("/shopping-list", body)
    assert answer.status_code == 201, answer.text
    entry: Shown = answer.json()
    return entry


async def entry_now(person: Person, entry: Shown) -> Shown:
    answer = await person.get(path_of(entry))
    assert answer.status_code == 200, answer.text
    found: Shown = answer.json()
    return found


async def mark(person: Person, entry: Shown, status: str) -> Shown:
    """At the version that was seen."""
    asked = {"status": status, "version": entry["version"]}
    answer = await person.patch(path_of(entry, "/status"), asked)
    assert answer.status_code == 200, answer.text
    marked: Shown = answer.json()
    return marked


async def bought(person: Person, **body: Any) -> Shown:
    """An entry that is checked off already."""
    return await mark(person, await add_entry(person, **body), "purchased")


async def put_away(person: Person, entry: Shown, **body: Any) -> tuple[Shown, Shown]:
    """The entry and its item, as they became."""
    asked = body | {"version": entry["version"]}
    answer = await person.post(path_of(entry, "/put-away"), asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["shoppingItem"], answer.json()["item"]


async def take_back(person: Person, entry: Shown) -> tuple[Shown, Shown]:
    answer = await person.delete(path_of(entry, "/put-away"), {"version": entry["version"]})
    assert answer.status_code == 200, answer.text
    return answer.json()["shoppingItem"], answer.json()["item"]


async def whole_list(person: Person, question: str = "") -> list[Shown]:
    return await every_page(person, f"/shopping-list{question}", 100)


async def waiting(home: Home, item: Shown) -> list[str]:
    """The entries that the item's claim names, which must be those that are pending."""
    claim = await pending_entries(home.running.db, home.family_id, item["itemId"])
    pending = {
        entry["shoppingItemId"]
        for entry in await whole_list(home.admin)
        if (entry["itemId"], entry["status"]) == (item["itemId"], "pending")
    }
    assert set(claim.members) == pending
    assert len(claim.members) == len(pending)
    return list(claim.members)


async def told(home: Home) -> list[tuple[str, str, int | None]]:
    """What listeners were told, by type, id and version."""
    changes = await changes_since(home.running.db, home.family_id, None)
    return [(change.type, change.id, change.version) for change in changes]


@asynccontextmanager
async def nothing_changes(home: Home) -> AsyncIterator[None]:
    """Whatever is tried inside, the list and the cupboard are what they were."""
    paths = ("/shopping-list", "/items?status=all", "/notifications")
    before = [await every_page(home.admin, path, 100) for path in paths]
    yield
    assert [await every_page(home.admin, path, 100) for path in paths] == before


def page_of(entry: Shown, more: str = "") -> str:
    return f"/list/{entry['shoppingItemId']}{more}"
