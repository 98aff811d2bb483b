"""The limits that are reached first, in families or in operations of one family per second."""

from dataclasses import dataclass
from math import ceil

from homeshelf.config import read_settings
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.serving.machine import MAX_CONNECTIONS
from scripts.aws import prices
from scripts.aws.bill import BUSY, CORES, HOUR, busiest_cores, busiest_streams
from scripts.aws.family import BUSIEST_HOUR, DAY, Family, listening_units
from scripts.aws.figures import Figures

PROCESSES = 4
"""The default maximum of processes in the template."""
TODO_UNITS = 4.0
"""The write units to put a to-do in a transaction and to delete it in another."""
MAILS = 1.0
"""The mails to a family per day."""
MOST_MAILS, TIME_BYTES = 2000, 8
"""The largest mail limit, and the bytes of each time in the record that counts them."""


@dataclass(frozen=True)
class Limit:
    what: str
    families: float
    then: str


def limits(each: Family, found: Figures) -> list[Limit]:
    """Return the limits that many families reach together, the nearest first."""
    hour = BUSIEST_HOUR / HOUR
    changes = sum(n for what, n in DAY.items() if found["units"][f"{what}, write units"] >= 1)
    mail = read_settings({}).limit_mail
    listening = each.listening_reads * hour
    return sorted(
        [
            Limit(
                f"mail: {mail.times} an hour, with {MAILS:.0f} a day for each family",
                mail.times / (mail.seconds / HOUR) * 24 / MAILS,
                "raise `MailLimit` to what your mail server permits, up to 2000/min",
            ),
            Limit(
                f"mail: one record with up to {MOST_MAILS:,} times counts all of it",
                prices.PARTITION_WRITES / _units_per_mail() / (MAILS * hour),
                "count in several records (requires a change of the code)",
            ),
            Limit(
                f"CPU of {PROCESSES} processes of half a core",
                PROCESSES * CORES * BUSY / busiest_cores(each),
                "raise `MostProcesses`",
            ),
            Limit(
                f"Fargate: {prices.ACCOUNT_CORES} cores in a new account",
                prices.ACCOUNT_CORES * BUSY / busiest_cores(each),
                "ask AWS to raise it",
            ),
            Limit(
                f"event streams: {MAX_CONNECTIONS:,} connections for each of {PROCESSES} processes",
                PROCESSES * MAX_CONNECTIONS / busiest_streams(),
                "raise `MostProcesses`",
            ),
            Limit(
                f"reads of a new table, {prices.NEW_TABLE_READS:,} a second: "
                "live updates alone, which all read `HomeshelfHelper`",
                prices.NEW_TABLE_READS / listening,
                "none if the load grows over weeks: a table permits twice its last peak",
            ),
            Limit(
                f"reads of a table, {prices.TABLE_READS:,} a second: the same live updates",
                prices.TABLE_READS / listening,
                "ask AWS to raise it",
            ),
            Limit(
                f"writes of a new table, {prices.NEW_TABLE_WRITES:,} a second, "
                "if one table got all",
                prices.NEW_TABLE_WRITES / (each.writes * hour),
                "none if the load grows over weeks",
            ),
            Limit(
                f"writes of a table, {prices.TABLE_WRITES:,} a second, if it got all",
                prices.TABLE_WRITES / (each.writes * hour),
                "ask AWS to raise it",
            ),
            Limit(
                f"to-dos: {len(SHARDS)} partitions of {prices.PARTITION_WRITES:,} writes a second, "
                "if each change created one",
                len(SHARDS) * prices.PARTITION_WRITES / (changes * TODO_UNITS * hour),
                "more shards (requires a change of the code)",
            ),
        ],
        key=lambda limit: limit.families,
    )


def _units_per_mail() -> float:
    """Return the write units of counting a mail, which transactions double."""
    return 2.0 * ceil(MOST_MAILS * TIME_BYTES / 1024)


def of_one_family(found: Figures) -> list[tuple[str, float]]:
    """Return the operations that the partitions of one family can carry per second.

    All writes of an operation count towards one partition, which is more than there are.
    """
    writes = ["adjust an item", "tick an entry", "tap a tag", "add an item to the list"]
    reads = ["open the list", "open the stock"]
    return [
        *(
            (what, prices.PARTITION_WRITES / found["units"][f"{what}, write units"])
            for what in writes
        ),
        *((what, prices.PARTITION_READS / found["units"][f"{what}, read units"]) for what in reads),
        ("processes with its live updates", prices.PARTITION_READS / listening_units(found)),
    ]
