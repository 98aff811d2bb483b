"""The response time for tags that do not exist, which must not reveal the reason."""

import asyncio
from itertools import chain
from statistics import median

from bench import sample
from bench.crowd import ADDRESSES, Ask, Crowd
from bench.figures import Figure
from bench.part import Report
from bench.server import serving
from bench.taps.sample_tags import Sizes
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl

TAGS = 20
KINDS = ("unknown", "rotated", "revoked", "archived", "deleted")
SPREAD = "dead tags: largest difference of medians"


def _figure_name(kind: str) -> str:
    return f"a tag that is {kind}, median"


FIGURES = [*(Figure(_figure_name(kind), "time") for kind in KINDS), Figure(SPREAD, "share")]


def run(report: Report, sizes: Sizes) -> None:
    report.step("dead tags")
    with serving() as server:
        items, tags = _make_tags()
        asyncio.run(server.seed([*items, *chain(*tags.values())]))
        crowd = Crowd(server.url, ADDRESSES)
        turns = [[Ask("GET", tags[kind][number].path) for kind in KINDS] for number in range(TAGS)]
        asks = [*chain(*turns), *chain(*turns * (sizes.dead // TAGS))]
        best = min((_medians(crowd, asks, sizes.dead) for _ in range(sizes.runs)), key=_spread)
    for kind, seconds in best.items():
        report.measured(_figure_name(kind), seconds, best["unknown"])
    report.measured(SPREAD, _spread(best))


def _medians(crowd: Crowd, asks: list[Ask], requests: int) -> dict[str, float]:
    """Return the medians, without the first request for each tag, which no cache can answer."""
    answers = crowd.one_by_one(asks)
    assert answers.others(404) == 0, answers.statuses
    (seconds,) = answers.seconds
    measured = seconds[-requests * len(KINDS) :]
    return {kind: median(measured[at :: len(KINDS)]) for at, kind in enumerate(KINDS)}


def _spread(medians: dict[str, float]) -> float:
    return max(medians.values()) / min(medians.values()) - 1


def _make_tags() -> tuple[list[InventoryItem], dict[str, list[NFCUrl]]]:
    """Return the items that exist, and the dead tags of each kind."""
    made = sample.items(clock.new_id(), clock.new_id(), TAGS * len(KINDS))
    items = {kind: made[at :: len(KINDS)] for at, kind in enumerate(KINDS)}
    tags = {kind: sample.tags(items[kind]) for kind in KINDS}
    for kind in ("rotated", "revoked", "deleted"):
        ended = {"is_active": False, "rotated_at": clock.timestamp(), "rotated_by": "somebody"}
        tags[kind] = [tag.changed(**ended) for tag in tags[kind]]
    archived = [item.changed(status="archived") for item in items["archived"]]
    return [*items["rotated"], *items["revoked"], *archived], tags
