"""The assumed day of a family, and the resources that it uses."""

from dataclasses import dataclass

from homeshelf.inventory.model import HISTORY_RETENTION
from homeshelf.live.hub import ASK_SECONDS
from homeshelf.shopping.model import HABIT_TTL_SECONDS
from scripts.aws.figures import Figures

DAY = {
    "open Home": 6,
    "open the list": 12,
    "open the stock": 4,
    "read an item": 4,
    "tick an entry": 8,
    "add free text": 3,
    "add an item to the list": 4,
    "adjust an item": 6,
    "add an item": 1,
    "open a tag's page": 3,
    "tap a tag": 3,
}
"""The operations of a family per day, named as in `make bench`. Opened pages include those that
reload themselves after a change by another member."""
LISTENING_HOURS = 1.0
"""The hours per day for which pages are open, all phones together."""
BUSIEST_HOUR = 0.15
"""The fraction of a day's operations in its busiest hour."""
FURNISHED_BYTES = 200_000
"""The size of the demo household in all tables and indexes, without its history."""
HISTORY_BYTES = 480
PURCHASE_BYTES = 525
"""The bytes of a change of a count and of a purchase; `tests/deploy/test_costs.py` checks them."""
COUNTED = ("adjust an item", "tap a tag", "add an item", "tick an entry")
"""Operations that record a change of a count; a ticked entry is put away."""
GET_SECONDS, TRANSACTION_SECONDS, QUERY_SECONDS = 347e-6, 692e-6, 723e-6
"""Our CPU for a call to DynamoDB: a get, a transaction of three writes, a query of 20."""
LOG_BYTES = 250
"""A line of the log."""
WEIGHTS = {"open Home": "Home", "open the list": "the list", "open the stock": "the stock",
           "open a tag's page": "a tag's page"}  # fmt: skip
"""The name of each opened page in the measurements of page sizes."""
ANSWER_BYTES = 2000
"""The size of a response that is not a page, with its headers."""


@dataclass(frozen=True)
class Family:
    """The daily consumption of one family."""

    reads: float
    writes: float
    listening_reads: float
    """The read units for listening, in addition to those of requests."""
    requests: int
    cpu_seconds: float
    heard_cpu_seconds: float
    sent_bytes: float


def family(found: Figures, *, listening_hours: float = LISTENING_HOURS) -> Family:
    units, seconds = found["units"], listening_hours * 3600
    return Family(
        reads=sum(times * units[f"{what}, read units"] for what, times in DAY.items()),
        writes=sum(times * units[f"{what}, write units"] for what, times in DAY.items()),
        listening_reads=seconds * listening_units(found),
        requests=sum(DAY.values()),
        cpu_seconds=sum(times * cpu_of(found, what) for what, times in DAY.items()),
        heard_cpu_seconds=seconds * listening_cpu(),
        sent_bytes=sum(times * _weight(found, what) for what, times in DAY.items()),
    )


def stored_bytes() -> float:
    """Return the stored bytes once as much expires as is added."""
    changes = sum(DAY[what] for what in COUNTED) * HISTORY_RETENTION.days
    purchases = DAY["tick an entry"] * HABIT_TTL_SECONDS / (24 * 3600)
    return FURNISHED_BYTES + changes * HISTORY_BYTES + purchases * PURCHASE_BYTES


def cpu_of(found: Figures, what: str) -> float:
    """Return an upper limit for the CPU of a request on DynamoDB: that on SQLite plus the calls.

    Each read unit counts as one call, which is more than there are.
    """
    embedded = found["families"].get(what) or found["requests"][what]
    reads = found["units"][f"{what}, read units"] * GET_SECONDS
    has_writes = found["units"][f"{what}, write units"] >= 1
    return embedded + reads + (TRANSACTION_SECONDS if has_writes else 0)


def listening_units(found: Figures) -> float:
    return found["idle"]["DynamoDB, a family that listens: read units a second"]


def listening_cpu() -> float:
    """Return an upper limit for the CPU of listening: every query finds something."""
    return QUERY_SECONDS / ASK_SECONDS


def _weight(found: Figures, what: str) -> float:
    """Return the size of a first visit, although browsers cache the files for a year."""
    return found["weights"][WEIGHTS[what]] if what in WEIGHTS else ANSWER_BYTES
