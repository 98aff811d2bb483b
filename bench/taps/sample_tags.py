"""The sizes of the part "taps": 4,000 tags, two for each item, a hundred in each family."""

from dataclasses import dataclass

from bench import sample
from bench.crowd import PAUSE_SECONDS
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl

ITEMS, TAGS = 50, 2
WORKERS = (2, 1)
"""The numbers of workers; the limits apply to two, on a machine with two cores."""


@dataclass(frozen=True)
class Sizes:
    families: int = 40
    runs: int = 3
    """The number of runs, of which the best counts."""
    workers: tuple[int, int] = WORKERS
    """The numbers of processes that stand for two workers and for one."""
    pause: float = PAUSE_SECONDS
    people: int = 1000
    rounds: int = 8
    dead: int = 1000
    looks: int = 300


TINY = Sizes(1, 1, (1, 1), 0.01, 10, 1, 20, 10)


def worker_options(sizes: Sizes, workers: int) -> tuple[str, ...]:
    number = dict(zip(WORKERS, sizes.workers, strict=True))[workers]
    return ("--workers", str(number)) if number > 1 else ()


def figure_name(what: str, workers: int) -> str:
    return f"{what}, {workers} serving"


def make_tags(families: int) -> tuple[list[InventoryItem], list[NFCUrl]]:
    items = [
        item
        for _ in range(families)
        for item in sample.items(clock.new_id(), clock.new_id(), ITEMS)
    ]
    return items, sample.tags(items, TAGS)
