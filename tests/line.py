"""The line between a phone and the server, which can be as bad as lines are.

async with line_to(homeshelf.url) as line:
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    line.becomes("cut")

open    everything passes
cut     nothing passes, and who connects is refused at once
hang    nothing passes, and nobody is told
deaf    requests pass; each answer is lost, and its connection with it

With `latency`, every answer takes so many seconds longer.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Literal
from urllib.parse import urlsplit

State = Literal["open", "cut", "hang", "deaf"]


@dataclass(eq=False)
class Line:
    upstream: str
    """Where the server is; it may be elsewhere after a restart, and the phone need not know."""
    url: str = ""
    state: State = "open"
    latency: float = 0
    _passes: asyncio.Event = field(default_factory=asyncio.Event)
    wires: set[asyncio.StreamWriter] = field(default_factory=set)

    def becomes(self, state: State) -> None:
        self.state = state
        if state in ("open", "deaf"):
            self._passes.set()
        else:
            self._passes.clear()
        if state == "cut":
            self.drop_all()

    @asynccontextmanager
    async def flapping(self, seconds: float) -> AsyncIterator[None]:
        """There and gone by turns; open when it is over."""

        async def flap() -> None:
            states: tuple[State, State] = ("cut", "open")
            for state in cycle(states):
                self.becomes(state)
                await asyncio.sleep(seconds)

        task = asyncio.create_task(flap())
        try:
            yield
        finally:
            task.cancel()
            self.becomes("open")

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self.state == "hang":
                await self._passes.wait()
            if self.state != "cut":
                await self._connect(reader, writer)
        except OSError:  # the server is gone
            pass
        finally:
            self._drop(writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        where = urlsplit(self.upstream)
        from_server, to_server = await asyncio.open_connection(where.hostname, where.port)
        self.wires.add(to_server)
        try:
            await asyncio.gather(
                self._pass(reader, to_server), self._pass(from_server, writer, answers=True)
            )
        finally:
            self._drop(to_server)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(65536):
                await self._passes.wait()
                if answers:
                    await asyncio.sleep(self.latency)
                if answers and self.state == "deaf":
                    break
                writer.write(piece)
                await writer.drain()
        if answers:
            writer.close()

    def drop_all(self) -> None:
        for wire in list(self.wires):
            self._drop(wire)

    def _drop(self, wire: asyncio.StreamWriter) -> None:
        self.wires.discard(wire)
        wire.transport.abort()


@asynccontextmanager
async def line_to(upstream: str) -> AsyncIterator[Line]:
    line = Line(upstream)
    line.becomes("open")
    running: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line.wires.add(writer)
        task = asyncio.create_task(line.connect(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        line.drop_all()
