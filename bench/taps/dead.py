"""The response time for tags that do not exist, which must not reveal the reason."""

import asyncio
from itertools import chain
from statistics import median

from bench import sample
from bench.crowd import ADDRESSES, Ask, Crowd
from bench.figures import Figure
from bench.part import Report
from bench.server import serving
from bench.taps.shelves import Sizes
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl

TAGS = 20
KINDS = ("unknown", "rotated", "revoked", "archived", "deleted")
APART = "dead tags: largest difference of medians"


def _named(kind: str) -> str:
    return f"a tag that is {kind}, median"


FIGURES = [*(Figure(_named(kind), "time") for kind in KINDS), Figure(APART, "share")]


def run(report: Report, sizes: Sizes) -> None:
    report.step("dead tags")
    with serving() as server:
        items, tags = _dead()
        asyncio.run(server.seed([*items, *chain(*tags.values())]))
        crowd = Crowd(server.url, ADDRESSES)
        turns = [[Ask("GET", tags[kind][number].path) for kind in KINDS] for number in range(TAGS)]
        asks = [*chain(*turns), *chain(*turns * (sizes.dead // TAGS))]
        best = min((_medians(crowd, asks, sizes.dead) for _ in range(sizes.runs)), key=_apart)
    for kind, seconds in best.items():
        report.measured(_named(kind), seconds, best["unknown"])
    report.measured(APART, _apart(best))


def _medians(crowd: Crowd, asks: list[Ask], requests: int) -> dict[str, float]:
    """Return the medians without the first request of each kind, which finds nothing in a cache."""
    answers = crowd.one_by_one(asks)
    assert answers.others(404) == 0, answers.statuses
    (seconds,) = answers.seconds
    measured = seconds[-requests * len(KINDS) :]
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
