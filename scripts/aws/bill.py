"""The monthly bill for a number of families, line by line."""

from dataclasses import dataclass
from math import ceil

from scripts.aws import prices
from scripts.aws.family import BUSIEST_HOUR, LISTENING_HOURS, LOG_BYTES, Family, stored_bytes
from scripts.aws.figures import Figures

CORES = 0.5
MEMORY_GB = 1.0
"""The memory of a process, as in the template."""
LEAST_PROCESSES = 2
BUSY = 0.6
"""The CPU load above which the template starts more processes."""
BALANCER_ADDRESSES = 2
METRICS = 21
"""The number of metrics with an alarm in the template."""
HOUR = 3600


@dataclass(frozen=True)
class Bill:
    families: int
    processes: int
    reads: float
    writes: float
    listening: float
    storage: float
    serving: float
    balancing: float
    sending: float
    watching: float

    @property
    def total(self) -> float:
        return (
            self.reads + self.writes + self.listening + self.storage
            + self.serving + self.balancing + self.sending + self.watching
        )  # fmt: skip


def bill(families: int, each: Family, found: Figures) -> Bill:
    month = families * prices.DAYS
    processes = processes_for(families, each)
    idle = found["idle"]["DynamoDB, idle: read units a second"] * HOUR * prices.HOURS * processes
    addresses = (processes + BALANCER_ADDRESSES) * prices.ADDRESS_HOUR
    process = CORES * prices.CORE_HOUR + MEMORY_GB * prices.MEMORY_HOUR
    balancer = prices.BALANCER_HOUR + balancer_units(families, each) * prices.BALANCER_UNIT_HOUR
    kept = prices.STORED_BYTE + prices.RECOVERABLE_BYTE
    return Bill(
        families,
        processes,
        reads=(month * each.reads + idle) * prices.READ_UNIT,
        writes=month * each.writes * prices.WRITE_UNIT,
        listening=month * each.listening_reads * prices.READ_UNIT,
        storage=families * stored_bytes() * kept,
        serving=processes * process * prices.HOURS,
        balancing=(balancer + addresses) * prices.HOURS,
        sending=month * each.sent_bytes * prices.SENT_BYTE,
        watching=(
            month * each.requests * LOG_BYTES * prices.LOG_BYTE
            + prices.SECRET
            + METRICS * prices.ALARM
        ),
    )


def processes_for(families: int, each: Family) -> int:
    """Return the processes that the busiest hour needs, which run all day."""
    return max(LEAST_PROCESSES, ceil(families * busiest_cores(each) / BUSY / CORES))


def busiest_cores(each: Family) -> float:
    """Return the cores of one family in the busiest hour."""
    return (each.cpu_seconds + each.heard_cpu_seconds) * BUSIEST_HOUR / HOUR


def busiest_streams() -> float:
    """Return the average number of open streams of one family in the busiest hour."""
    return LISTENING_HOURS * BUSIEST_HOUR


def balancer_units(families: int, each: Family) -> float:
    """Return the average load balancer units; the largest dimension counts."""
    seconds = 24 * HOUR
    return families * max(
        LISTENING_HOURS / 24 / prices.UNIT_CONNECTIONS,
        each.requests / seconds / prices.UNIT_NEW_CONNECTIONS,
        each.sent_bytes / 24 / prices.UNIT_BYTES_HOUR,
    )
