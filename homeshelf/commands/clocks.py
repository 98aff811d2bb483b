"""Whether this machine's clock can be right."""

import asyncio
import http.client
import os
import tempfile
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from homeshelf import clock
from homeshelf.config import DynamoDBAt, Settings, SqliteAt
from homeshelf.table.deadlines import CLOCKS_DIFFER_SECONDS
from homeshelf.table.dynamodb.wire import endpoint_of

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
FILES_SECONDS = 5.0
ADVICE = "set the time, or let the machine fetch it (timedatectl set-ntp true)"


async def clock_findings(settings: Settings) -> list[tuple[str, bool]]:
    """A sentence for each thing it was compared with, and whether they agree."""
    if clock.now() < EARLIEST:
        return [(f"it says {clock.now():%Y-%m-%d}, which is past; {ADVICE}.", False)]
    match settings.database:
        case SqliteAt(path):
            return [_compared("the disk's", _of_disk(str(path.parent)), FILES_SECONDS)]
        case DynamoDBAt(region, endpoint):
            server = await asyncio.to_thread(_of_server, endpoint or endpoint_of(region))
            return [_compared("the database server's", server, CLOCKS_DIFFER_SECONDS)]


def _compared(whose: str, other: float | None, tolerance: float) -> tuple[str, bool]:
    if other is None:
        return f"it says {clock.timestamp()}; {whose} is not to be had.", True
    apart = abs(other - clock.nanoseconds() / 1e9)
    if apart > tolerance:
        return f"it is {apart:,.0f} seconds away from {whose}; {ADVICE}.", False
    return f"it agrees with {whose}.", True


def _of_disk(folder: str) -> float | None:
    """What time a new file gets: another machine's, where the disk is in the network."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b".")
            file.flush()
            return os.fstat(file.fileno()).st_mtime
    except OSError:
        return None


def _of_server(endpoint: str) -> float | None:
    """The Date of whatever it answers to a request without a signature."""
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
