"""How long it takes to be told that there is nothing: it must not tell why."""

import asyncio
from itertools import chain
from statistics import median

from bench import sample
from bench.crowd import ADDRESSES, Ask, Crowd
from bench.report import Report
from bench.server import serving
from bench.taps.shelves import RUNS
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl

REQUESTS = 1000
TAGS = 20
APART_AT_MOST = 10.0
KINDS = ("unknown", "rotated", "revoked", "archived", "deleted")


def run(report: Report) -> None:
    with serving() as server:
        items, tags = _dead()
        asyncio.run(server.seed([*items, *chain(*tags.values())]))
        report.section(f"what is dead, medians of {REQUESTS:,} each, asked for in turns")
        crowd = Crowd(server.url, ADDRESSES)
        turns = [[Ask("GET", tags[kind][number].path) for kind in KINDS] for number in range(TAGS)]
        asks = [*chain(*turns), *chain(*turns * (REQUESTS // TAGS))]
        best = min((_medians(crowd, asks) for _ in range(RUNS)), key=_apart)
    for kind, seconds in best.items():
        report.times(kind, seconds, best["unknown"])
    report.bound("apart", 100 * _apart(best), "{:.1f}%", at_most=APART_AT_MOST)


def _medians(crowd: Crowd, asks: list[Ask]) -> dict[str, float]:
    answers = crowd.one_by_one(asks)
    assert answers.others(404) == 0, answers.statuses
    (seconds,) = answers.seconds
    measured = seconds[-REQUESTS * len(KINDS) :]
    return {kind: median(measured[at :: len(KINDS)]) for at, kind in enumerate(KINDS)}


def _apart(medians: dict[str, float]) -> float:
    return max(medians.values()) / min(medians.values()) - 1


def _dead() -> tuple[list[InventoryItem], dict[str, list[NFCUrl]]]:
    """The items that are there, and tags of each kind; of those that are unknown none is put."""
    made = sample.items(clock.new_id(), clock.new_id(), TAGS * len(KINDS))
    items = {kind: made[at :: len(KINDS)] for at, kind in enumerate(KINDS)}
    tags = {kind: sample.tags(items[kind]) for kind in KINDS}
    for kind in ("rotated", "revoked", "deleted"):
        ended = {"is_active": False, "rotated_at": clock.timestamp(), "rotated_by": "somebody"}
        tags[kind] = [tag.changed(**ended) for tag in tags[kind]]
    archived = [item.changed(status="archived") for item in items["archived"]]
    return [*items["rotated"], *items["revoked"], *archived], tags
