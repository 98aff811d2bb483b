"""Checks of `homeshelf doctor` for the records, the mail server and the clock."""

import asyncio
import http.client
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from homeshelf import clock
from homeshelf.config import DynamoDBAt, Settings, SqliteAt
from homeshelf.moving.record_kinds import KindIndex
from homeshelf.outbox.channel import ServerUnavailable
from homeshelf.outbox.channels.mail import channel_of, missing_settings
from homeshelf.outbox.channels.mail.server import connect, helo_name
from homeshelf.table import SHAREABLES, TABLES, Database, Key, Record, Unreadable, key_in
from homeshelf.table.database import load_item
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS
from homeshelf.table.dynamodb.wire import endpoint_of

NAMED = 10
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
FILES_SECONDS = 5.0
ADOPT = "stop Homeshelf and that program, and run `homeshelf adopt`"
ADVICE = "set the time, or let the machine fetch it (timedatectl set-ntp true)"


async def records_findings(
    db: Database, adopted_by: Mapping[type[Record], str]
) -> AsyncIterator[tuple[str, str, bool]]:
    """Read every record, and yield a topic, a sentence and whether all is well."""
    kinds = KindIndex()
    seen, foreign, lost = 0, 0, dict[str, Unreadable]()
    for table in TABLES:
        async for page in db.scan(table):
            seen += len(page.items) + len(page.unreadable)
            for key in page.unreadable:
                unreadable = Unreadable(key, "it holds what no record does")
                lost[unreadable.digest] = unreadable
            for item in page.items:
                key = key_in(table, item)
                kind = kinds.at(key)
                if kind is None:
                    continue
                try:
                    load_item(Key(key.table, key.partition, key.sort, kind.load), item)
                except Unreadable as unreadable:
                    lost[unreadable.digest] = unreadable
                else:
                    foreign += kind in adopted_by and adopted_by[kind] not in item
    yield "records", *_readability(seen, lost)
    if foreign:
        yield "adopting", f"{foreign:,} are another program's: {ADOPT}.", False


def _readability(seen: int, lost: Mapping[str, Unreadable]) -> tuple[str, bool]:
    if not lost:
        return f"all {seen:,} can be read.", True
    named = "; ".join(_describe(each) for each in [*lost.values()][:NAMED])
    more = f"; and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
    advice = "they are left out of lists; correct or delete them in the database"
    return f"{len(lost)} of {seen:,} cannot be read: {named}{more}; {advice}.", False


def _describe(unreadable: Unreadable) -> str:
    """Return the key of a record, or its digest if the key is a secret."""
    key = unreadable.key
    where = f"{key.partition} {key.sort}"
    if key.table is SHAREABLES or "#URL#" in where:
        where = unreadable.digest
    return f"{where} in {key.table.name} ({unreadable.why})"


async def mail_finding(settings: Settings) -> tuple[str, bool]:
    server = settings.smtp_url
    if server is None:
        return "none is sent: there is no mail server, and links are shown on screen.", True
    mail = channel_of(settings)
    if mail is None:
        return (
            f"none is sent until {' and '.join(missing_settings(settings))} is set as well.",
            False,
        )
    at = f"{server.host}:{server.port}"
    try:
        async with connect(server, helo_name(mail.home)):
            pass
    except ServerUnavailable as away:
        return f"{at} sends nothing for us: {away}", False
    return f"{at} sends it, from {mail.sender.address}.", True


async def clock_findings(settings: Settings) -> list[tuple[str, bool]]:
    if clock.now() < EARLIEST:
        return [(f"it says {clock.now():%Y-%m-%d}, which is past; {ADVICE}.", False)]
    match settings.database:
        case SqliteAt(path):
            return [_clock_difference("the disk's", _time_of_disk(str(path.parent)), FILES_SECONDS)]
        case DynamoDBAt(region, endpoint):
            server = await asyncio.to_thread(_time_of_server, endpoint or endpoint_of(region))
            return [_clock_difference("the database server's", server, CLOCKS_DIFFER_SECONDS)]


def _clock_difference(whose: str, other: float | None, tolerance: float) -> tuple[str, bool]:
    if other is None:
        return f"it says {clock.timestamp()}; {whose} is not to be had.", True
    apart = abs(other - clock.nanoseconds() / 1e9)
    if apart > tolerance:
        return f"it is {apart:,.0f} seconds away from {whose}; {ADVICE}.", False
    return f"it agrees with {whose}.", True


def _time_of_disk(folder: str) -> float | None:
    """Return the time of a new file, which a file server sets by its own clock."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b".")
            file.flush()
            return os.fstat(file.fileno()).st_mtime
    except OSError:
        return None


def _time_of_server(endpoint: str) -> float | None:
    """Return the `Date` of the response to an unsigned request."""
    at = urlsplit(endpoint)
    kind = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
    connection = kind(at.hostname or "", at.port, timeout=5)
    try:
        connection.request("GET", "/")
        date = connection.getresponse().headers.get("Date")
        return parsedate_to_datetime(date).timestamp() if date else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
