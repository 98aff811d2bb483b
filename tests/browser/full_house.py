"""A home with so much in it that nobody would type it."""

import asyncio
from collections.abc import Sequence
from threading import Thread

from homeshelf.config import SqliteAt
from homeshelf.inventory.model import new_item
from homeshelf.table import Record, open_database
from tests.browser.home import Home

PLACES = ("Attic", "Cellar", "Fridge", "Kitchen", "Pantry")


def fill(home: Home, things: int) -> list[str]:
    """ "Thing 0000" and so on, as many in each place; their names in the order of the page."""
    family_id, by = home.admin.ask("GET", "/family")["familyId"], home.admin.member_id
    places = [home.admin.ask("POST", "/locations", {"name": name}) for name in PLACES]
    items = [
        new_item(
            family_id,
            by,
            {
                "name": f"Thing {number:04}",
                "quantity": number % 7,
                "threshold": 0,
                "location_id": places[number * len(places) // things]["locationId"],
            },
        )
        for number in range(things)
    ]
    _put(home, items)
    return [item.name for item in items]


def _put(home: Home, records: Sequence[Record]) -> None:
    """In a thread of its own: some who ask run a loop already."""

    async def put() -> None:
        db = open_database(SqliteAt(home.household.data / "homeshelf.db"))
        await db.batch([record.put() for record in records])
        await db.close()

    thread = Thread(target=lambda: asyncio.run(put()))
    thread.start()
    thread.join()
