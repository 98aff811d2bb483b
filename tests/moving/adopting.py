"""What `homeshelf adopt` does, what is in the tables then, and the Smiths, who were adopted."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from homeshelf.app import SLICES
from homeshelf.moving.adopting import Adopting, Summary
from homeshelf.table import TABLES, Database, Item, key_in
from tests.moment import Moment
from tests.moving.elsewhere import let_in
from tests.moving.foreign import EMMA, JOHN, WHEN, smiths, write_raw
from tests.running import RunningApp, Visitor, running_app

OPEN_LIST = "ope-nli-00001"
OTHER_FAMILY = "a47ac10b-58cc-4372-a567-0e02b2c3d479"
WRITES = ("put", "update", "delete", "transact", "batch")


async def adopt(db: Database, issuer: str | None = None) -> Summary:
    return await Adopting(db, SLICES, issuer).carry_out(silent)


def silent(_done: int, _of: int) -> None:
    pass


async def everything(db: Database) -> dict[Any, Item]:
    """What is in the tables, by where it stands."""
    found: dict[Any, Item] = {}
    for table in TABLES:
        page = await db.engine.scan(table, 1000)
        while True:
            found |= {key_in(table, item): item for item in page.items}
            if page.next is None:
                break
            page = await db.engine.scan(table, 1000, page.next)
    return found


@pytest.fixture(autouse=True)
def then(moment: Moment) -> None:
    moment.move(WHEN)


@pytest.fixture
async def house(database: Database) -> AsyncIterator[RunningApp]:
    """The Smiths', adopted and served."""
    await write_raw(database, smiths())
    await adopt(database)
    async with running_app(database) as running:
        yield running


@pytest.fixture
async def john(house: RunningApp) -> Visitor:
    return await let_in(house, JOHN)


@pytest.fixture
async def emma(house: RunningApp) -> Visitor:
    return await let_in(house, EMMA)
