"""The seed's own figures: 4,000 tags, two on each item, a hundred in a family."""

from bench import sample
from homeshelf import clock
from homeshelf.inventory.model import InventoryItem
from homeshelf.taps.model import NFCUrl

FAMILIES, ITEMS, TAGS = 40, 50, 2
RUNS = 3
WORKERS = (2, 1)
"""The bars are for as many as there are cores; one alone is to know."""


def shelves() -> tuple[list[InventoryItem], list[NFCUrl]]:
    items = [
        item
        for _ in range(FAMILIES)
        for item in sample.items(clock.new_id(), clock.new_id(), ITEMS)
    ]
    return items, sample.tags(items, TAGS)
