"""The read and write units that DynamoDB charges for each operation."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

from bench import operations, sample
from bench.figures import Figure
from bench.household import Household
from bench.operations import PAGE, Ask
from bench.part import Part, Report
from bench.remote import Remote, serving_remotely
from bench.rounds import Work
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.taps.model import NFCUrl
from tests.costs import Units

NAMES = (
    f"list {PAGE} entries",
    f"list {PAGE} items",
    "read an item",
    "tick an entry",
    "adjust an item",
    "tap a tag",
    "open a tag's page",
    "open Home",
    "open the list",
    "open the stock",
    "add free text",
    "add an item to the list",
    "add an item",
)
"""Operations that add records come last, so that all others read the same records."""


@dataclass(frozen=True)
class Sizes:
    times: int = 20
    settled_seconds: float = 1.5
    idle_seconds: float = 10.0


def run(report: Report, sizes: Sizes) -> None:
    asyncio.run(_run(report, sizes))


async def _run(report: Report, sizes: Sizes) -> None:
    home = Household()
    items = sample.items(home.family_id, home.member_id, PAGE + sizes.times + 1)
    entries = sample.entries(home.family_id, home.member_id, PAGE)
    tags, stores = sample.tags(items[:1]), sample.stores(items)
    async with serving_remotely() as remote:
        await remote.seed([*home.records(), *items, *entries, *tags, *stores])
        connection = remote.connect(home)
        report.step("nothing")
        idle = await _spent_idle(remote, sizes)
        works = _works(connection.send, items, entries[0], tags[0])
        for what, work in zip(NAMES, works, strict=True):
            report.step(what)
            read, write = await _spent(remote, work, sizes, idle)
            report.measured(_reading(what), read)
            report.measured(_writing(what), write)
        connection.close()


def _works(
    ask: Ask, items: list[InventoryItem], entry: ShoppingListItem, tag: NFCUrl
) -> Iterator[Work]:
    yield operations.list_entries(ask)
    yield operations.list_items(ask)
    yield operations.open_page(ask, f"/api/v1/items/{items[1].item_id}")
    yield operations.tick_entry(ask, entry)
    yield operations.adjust_item(ask, items[1])
    yield operations.tap_tag(ask, tag)
    yield operations.open_page(ask, tag.path)
    yield operations.open_page(ask, "/")
    yield operations.open_page(ask, "/list")
    yield operations.open_page(ask, "/stock")
    yield operations.add_text_entries(ask)
    yield operations.add_item_entries(ask, items[PAGE:])
    yield operations.add_new_items(ask)


async def _spent_idle(remote: Remote, sizes: Sizes) -> Units:
    """Return the units of an idle second."""
    before = remote.meter.units
    await asyncio.sleep(sizes.idle_seconds)
    spent = remote.meter.units - before
    return Units(spent.read / sizes.idle_seconds, spent.write / sizes.idle_seconds)


async def _spent(remote: Remote, work: Work, sizes: Sizes, idle: Units) -> Units:
    """Return the units of a repeated operation and its background work, without those of idling."""
    await work(1)
    await asyncio.sleep(sizes.settled_seconds)
    before, began = remote.meter.units, monotonic()
    await work(sizes.times)
    await asyncio.sleep(sizes.settled_seconds)
    spent, seconds = remote.meter.units - before, monotonic() - began
    read, write = spent.read - idle.read * seconds, spent.write - idle.write * seconds
    return Units(max(0.0, read / sizes.times), max(0.0, write / sizes.times))


def _reading(what: str) -> str:
    return f"{what}, read units"


def _writing(what: str) -> str:
    return f"{what}, write units"


PART = Part(
    about=(
        "The units that DynamoDB charges for one operation, including the work after its "
        "response: the capacity that dynoxide, the server of the tests, reports for the real "
        "server's requests, less what an idle server uses. A refused write is charged as "
        "DynamoDB does, because no test server reports that."
    ),
    figures=[Figure(named(what), "units") for what in NAMES for named in (_reading, _writing)],
    run=run,
    full=Sizes(),
    tiny=Sizes(1, 0, 0.1),
    seconds=120,
)
