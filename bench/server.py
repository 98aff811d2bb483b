"""The real server with a household in it, and a real connection to it.

with serving() as server:
    home = server.household()
    server.seed([...records])
    home.ask("GET", "/items")
    server.cpu_seconds()
"""

import http.client
import json
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench import processes
from homeshelf.table import Database, Record
from homeshelf.table.sqlite.engine import Sqlite
from tests.served import Served, served, served_on_a_slow_disk

PASSWORD = "correct horse battery"
NO_LIMITS = {
    "HOMESHELF_LIMIT_WRITES": "100000/s",
    "HOMESHELF_LIMIT_SIGNUPS": "100000/h",
}


class Connection:
    """One that is kept open, as a phone keeps it."""

    def __init__(self, url: str, authorization: str | None = None) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        self._headers = {"Content-Type": "application/json"}
        if authorization is not None:
            self._headers["Authorization"] = authorization

    def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """The answer, which must be a success."""
        self._connection.request(method, path, body or None, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status < 300, (path, answer.status, content)
        return content

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class Household:
    """A family of one, who is signed in."""

    url: str
    family_id: str
    member_id: str
    authorization: str

    def connected(self) -> Connection:
        return Connection(self.url, self.authorization)


class Server:
    def __init__(self, url: str, pid: int, path: Path) -> None:
        self.url = url
        self.pid = pid
        self.path = path
        self._numbers = count()

    def cpu_seconds(self) -> float:
        return processes.cpu_seconds(self.pid)

    def household(self) -> Household:
        stranger = Connection(self.url)
        who = {"email": f"ada{next(self._numbers)}@home.local", "password": PASSWORD}
        account = _sent(stranger, "/api/v1/accounts", who | {"name": "Ada"})
        token = _sent(stranger, "/api/v1/tokens", who)["accessToken"]
        stranger.close()
        ada = Connection(self.url, f"Bearer {token}")
        family = _sent(ada, "/api/v1/families", {"name": "Lovelace"})
        ada.close()
        return Household(self.url, family["familyId"], account["memberId"], f"Bearer {token}")

    async def seed(self, records: Sequence[Record]) -> None:
        """Put records straight into the file, beside the server."""
        async with self.database() as database:
            await database.batch([record.put() for record in records])

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        """The server's file, opened once more."""
        database = Database(Sqlite(self.path, sweep_every=None))
        try:
            yield database
        finally:
            await database.close()


@contextmanager
def serving(*options: str, **settings: str) -> Iterator[Server]:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), *options, **NO_LIMITS, **settings) as homeshelf,
    ):
        yield _server(Path(folder), homeshelf)


@contextmanager
def serving_on_a_slow_disk(milliseconds: int, *options: str, **settings: str) -> Iterator[Server]:
    """Where each fsync takes so much longer."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served_on_a_slow_disk(
            Path(folder), milliseconds, *options, **NO_LIMITS, **settings
        ) as homeshelf,
    ):
        yield _server(Path(folder), homeshelf)


def _server(folder: Path, homeshelf: Served) -> Server:
    return Server(homeshelf.url, homeshelf.process.pid, folder / "data" / "homeshelf.db")


def _sent(connection: Connection, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(connection.ask("POST", path, json.dumps(body).encode()))
    return answer
