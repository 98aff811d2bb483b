"""The CPU of a request on the real server, beside a constant response on the same connection."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from bench import operations, sample
from bench.figures import Figure
from bench.operations import PAGE, Ask
from bench.part import Part, Report
from bench.rounds import WARM_UP, Work, measure_pair
from bench.server import Server, serving
from homeshelf.inventory.model import InventoryItem
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Record

LIST_SECONDS, CHANGE_SECONDS = 0.001, 0.0013
BARS = {
    f"list {PAGE} entries": LIST_SECONDS,
    f"list {PAGE} items": LIST_SECONDS,
    "tick an entry": CHANGE_SECONDS,
    "adjust an item": CHANGE_SECONDS,
    "add free text": CHANGE_SECONDS,
    "add an item to the list": CHANGE_SECONDS,
}


@dataclass(frozen=True)
class Sizes:
    times: int = 10
    rounds: int = 40


def run(report: Report, sizes: Sizes) -> None:
    with serving() as server:
        took = asyncio.run(_measure_all(server, sizes))
    for what, (ours, beside) in took.items():
        report.measured(what, ours, beside)


async def _measure_all(server: Server, sizes: Sizes) -> dict[str, tuple[float, float]]:
    home = await server.create_household()
    given = _SampleRecords.to(home.family_id, home.member_id, sizes)
    await server.seed(given.records)
    connection = server.connect(home)
    constant = operations.open_page(connection.send, "/healthz")
    took = {}
    for what, work in given.operations(connection.send):
        took[what] = await measure_pair(
            work, constant, times=sizes.times, rounds=sizes.rounds, timer=server.cpu_seconds
        )
    connection.close()
    return took


@dataclass(frozen=True)
class _SampleRecords:
    """The records of the household before the measurement."""

    items: list[InventoryItem]
    extra: list[InventoryItem]
    entries: list[ShoppingListItem]

    @classmethod
    def to(cls, family_id: str, member_id: str, sizes: Sizes) -> "_SampleRecords":
        return cls(
            sample.items(family_id, member_id, PAGE),
            sample.items(family_id, member_id, sizes.times * (sizes.rounds + WARM_UP)),
            sample.entries(family_id, member_id, PAGE),
        )

    @property
    def records(self) -> list[Record]:
        return [*self.items, *self.extra, *self.entries, *sample.stores(self.extra)]

    def operations(self, ask: Ask) -> Iterator[tuple[str, Work]]:
        works = (
            operations.list_entries(ask),
            operations.list_items(ask),
            operations.tick_entry(ask, self.entries[0]),
            operations.adjust_item(ask, self.items[0]),
            operations.add_text_entries(ask),
            operations.add_item_entries(ask, self.extra),
        )
        yield from zip(BARS, works, strict=True)


PART = Part(
    about=(
        "The CPU of the server's process for a request: all threads, in the program and in "
        "the system, including the check of the token, the log line and the durable change. "
        "The reference is the same server answering `/healthz` over the same connection, in "
        "turns."
    ),
    figures=[Figure(what, "time", bar) for what, bar in BARS.items()],
    run=run,
    full=Sizes(),
    tiny=Sizes(1, 1),
    seconds=90,
)
