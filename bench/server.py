"""The real server with a household in it, and a real connection to it.

with serving() as server:
    home = await server.create_household()
    await server.seed([...records])
    server.connect(home).ask("GET", "/api/v1/items")
    server.cpu_seconds()
"""

import http.client
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench import processes
from bench.household import Household
from bench.operations import Ask
from homeshelf.table import Database, Record
from homeshelf.table.sqlite.engine import Sqlite
from tests.processes import Served, served, served_on_a_slow_disk

NO_LIMITS = {
    "HOMESHELF_LIMIT_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SIGNUPS": "100000/h",
}


class Connection:
    """A connection that stays open, as a phone keeps it."""

    def __init__(self, url: str, authorization: str | None = None) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        self._headers = {"Content-Type": "application/json"}
        if authorization is not None:
            self._headers["Authorization"] = authorization

    def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Return the content of the response, which must be a success."""
        self._connection.request(method, path, body or None, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status < 300, (path, answer.status, content)
        return content

    def close(self) -> None:
        self._connection.close()

    @property
    def send(self) -> Ask:
        """Return a function that sends a request; it blocks, as the server is another process."""

        async def ask(method: str, path: str, body: bytes) -> bytes:
            return self.ask(method, path, body)

        return ask


class Server:
    def __init__(self, url: str, pid: int, path: Path) -> None:
        self.url = url
        self.pid = pid
        self.path = path

    def cpu_seconds(self) -> float:
        return processes.cpu_seconds(self.pid)

    def connect(self, home: Household | None = None) -> Connection:
        return Connection(self.url, home.authorization if home else None)

    async def create_household(self) -> Household:
        home = Household()
        await self.seed(home.records())
        return home

    async def seed(self, records: Sequence[Record]) -> None:
        """Put records into the database file directly."""
        async with self.database() as database:
            await database.batch([record.put() for record in records])

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        """Open the server's database file a second time."""
        database = Database(Sqlite(self.path, sweep_every=None))
        try:
            yield database
        finally:
            await database.close()


@contextmanager
def serving(*options: str, **settings: str) -> Iterator[Server]:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_from(Path(folder), *options, **settings) as server,
    ):
        yield server


@contextmanager
def serving_from(folder: Path, *options: str, **settings: str) -> Iterator[Server]:
    """Serve a folder that may already hold data."""
    with served(folder, *options, **NO_LIMITS, **settings) as homeshelf:
        yield _server(folder, homeshelf)


@contextmanager
def serving_on_a_slow_disk(milliseconds: int, *options: str, **settings: str) -> Iterator[Server]:
    """Serve from a disk on which each fsync takes this much longer."""
    with tempfile.TemporaryDirectory() as path:
        folder, settings = Path(path), NO_LIMITS | settings
        with served_on_a_slow_disk(folder, milliseconds, *options, **settings) as homeshelf:
            yield _server(folder, homeshelf)


def _server(folder: Path, homeshelf: Served) -> Server:
    return Server(homeshelf.url, homeshelf.process.pid, folder / "data" / "homeshelf.db")
