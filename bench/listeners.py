"""A thousand families that listen while some of them write: what the server does for it."""

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from statistics import quantiles
from time import monotonic
from urllib.parse import urlsplit

from bench.report import Report
from bench.server import Connection, Server, serving
from homeshelf import clock
from homeshelf.accounts.model import SESSION_SECONDS, Account, Session
from homeshelf.config import read_settings
from homeshelf.families.model import Family, Member
from homeshelf.signing import Signer
from homeshelf.table import Record
from tests.served import SECRET

FAMILIES, WRITES_A_SECOND, SECONDS = 1000, 20, 10
CPU_AT_MOST = 0.15
DELAY_AT_MOST_SECONDS = 0.5


def run(report: Report) -> None:
    report.section(f"{FAMILIES} families listen, {WRITES_A_SECOND} writes a second")
    with serving() as server:
        asyncio.run(_run(report, server))


async def _run(report: Report, server: Server) -> None:
    families = [_Listening(server.url) for _ in range(FAMILIES)]
    await server.seed([record for family in families for record in family.records()])
    alone, _ = await _written(server, families)
    async with AsyncExitStack() as stack:
        for family in families:
            await stack.enter_async_context(family)
        cpu, delays = await _written(server, families)
    report.bound("server CPU, of a core", 100 * cpu, "{:.1f}%", at_most=100 * CPU_AT_MOST)
    report.figure("the writes alone", f"{100 * alone:.1f}%")
    p95 = quantiles(delays, n=20)[-1]
    report.bound("until it is heard, p95", p95, "{:.3f} s", at_most=DELAY_AT_MOST_SECONDS)


async def _written(server: Server, families: "Sequence[_Listening]") -> tuple[float, list[float]]:
    """The share of a core while each write goes to another family, and how long each took."""
    delays: list[float] = []
    cpu, began = server.cpu_seconds(), monotonic()
    for number in range(WRITES_A_SECOND * SECONDS):
        await asyncio.sleep(began + number / WRITES_A_SECOND - monotonic())
        family = families[37 * number % len(families)]
        made = await asyncio.to_thread(family.write)
        if family.listens:
            delays.append(await family.heard(made))
    return (server.cpu_seconds() - cpu) / (monotonic() - began), delays


@dataclass(eq=False)
class _Listening:
    """A family of one who is signed in and, inside `async with`, listens."""

    url: str
    family_id: str = field(default_factory=clock.new_id)
    member_id: str = field(default_factory=clock.new_id)
    session_id: str = field(default_factory=clock.ordered_id)
    listens: bool = False

    def records(self) -> list[Record]:
        at = clock.timestamp()
        email = f"{self.member_id}@home.local"
        return [
            Account(
                member_id=self.member_id,
                name="Ada",
                email=email,
                origin="password",
                families=(self.family_id,),
                created_at=at,
                updated_at=at,
            ),
            Session(
                session_id=self.session_id,
                member_id=self.member_id,
                device="a bench",
                created_at=at,
                last_used_at=at,
                ttl=clock.seconds() + SESSION_SECONDS,
            ),
            Family(
                family_id=self.family_id,
                name="Ours",
                created_by=self.member_id,
                created_at=at,
                updated_at=at,
            ),
            Member(
                member_id=self.member_id,
                family_id=self.family_id,
                name="Ada",
                email=email,
                role="admin",
                created_at=at,
                updated_at=at,
            ),
        ]

    @property
    def authorization(self) -> str:
        secret = read_settings({"HOMESHELF_SECRET": SECRET}).secret
        assert secret is not None
        token = Signer(secret).token("access", 900, sub=self.member_id, sid=self.session_id)
        return f"Bearer {token}"

    def write(self) -> str:
        """Something on the list; returns its id."""
        connection = Connection(self.url, self.authorization)
        made = json.loads(connection.ask("POST", "/api/v1/shopping-list", b'{"name":"Milk"}'))
        connection.close()
        return str(made["shoppingItemId"])

    async def heard(self, id_: str) -> float:
        """How long after now the stream tells of it."""
        began = monotonic()
        async with asyncio.timeout(10):
            await self._reader.readuntil(f'"id":"{id_}"'.encode())
        return monotonic() - began

    async def __aenter__(self) -> None:
        at = urlsplit(self.url)
        self._reader, self._writer = await asyncio.open_connection(at.hostname, at.port)
        head = f"GET /api/v1/events HTTP/1.1\r\nHost: {at.netloc}\r\n"
        self._writer.write(f"{head}Authorization: {self.authorization}\r\n\r\n".encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        assert re.match(rb"HTTP/1.1 200", answer), answer
        self.listens = True

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
