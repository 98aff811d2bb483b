"""A server in the event loop of the test, with a small application and an adjustable clock.

async with serving(echo) as served:
    line = await served.connect()
    await line.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    answer = await line.answer()
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from homeshelf.serving.limits import ConnectionLimits
from homeshelf.serving.server import Server

GET = b"GET / HTTP/1.1\r\nHost: home.test\r\n\r\n"


@dataclass
class Response:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class ClientConnection:
    """The client's end of a connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, raw: socket.socket
    ) -> None:
        self.reader, self.writer = reader, writer
        self._raw = raw
        self._rest = b""

    def send_at_once(self, data: bytes) -> None:
        """Send without yielding to the event loop."""
        self._raw.send(data)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, data: bytes = GET, *, method: str = "GET") -> Response:
        await self.send(data)
        return await self.answer(method=method)

    async def answer(self, *, method: str = "GET") -> Response:
        """Return the next response, which may be 100 Continue."""
        head, _, self._rest = (await self._until(b"\r\n\r\n")).partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        answer = Response(int(first.split()[1]), headers)
        if method == "HEAD" or answer.status in (100, 204, 304):
            return answer
        if headers.get("transfer-encoding") == "chunked":
            while (size := int(await self._line(), 16)) > 0:
                answer.body += await self._exactly(size)
                await self._line()
            await self._line()
        elif "content-length" in headers:
            answer.body = await self._exactly(int(headers["content-length"]))
        else:
            answer.body = self._rest + await self.reader.read()
        return answer

    async def ends(self, within: float = 5.0) -> bytes:
        """Return the bytes until the server closes, which it must do in time."""
        async with asyncio.timeout(within):
            try:
                return self._rest + await self.reader.read()
            except ConnectionResetError:
                return b""

    async def is_open(self) -> bool:
        try:
            async with asyncio.timeout(0.1):
                return await self.reader.read(1) != b""
        except TimeoutError:
            return True
        except ConnectionResetError:
            return False

    async def _line(self) -> bytes:
        line, _, self._rest = (await self._until(b"\r\n")).partition(b"\r\n")
        return line

    async def _exactly(self, number: int) -> bytes:
        while len(self._rest) < number:
            self._rest += await self._more()
        found, self._rest = self._rest[:number], self._rest[number:]
        return found

    async def _until(self, mark: bytes) -> bytes:
        while mark not in self._rest:
            self._rest += await self._more()
        return self._rest

    async def _more(self) -> bytes:
        async with asyncio.timeout(5):
            data = await self.reader.read(65536)
        assert data, f"it was closed after {self._rest!r}"
        return data


class Served:
    def __init__(self, server: Server, port: int, stack: "_Lines") -> None:
        self.server = server
        self.port = port
        self._lines = stack
        self._moved = 0.0
        server.now = self.now

    def now(self) -> float:
        return time.monotonic() + self._moved

    async def advance_clock(self, seconds: float) -> None:
        """Move the clock forward, and let the server check its deadlines."""
        self._moved += seconds
        self.server._sweep()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def connect(
        self, address: str = "127.0.0.1", *, receive_bytes: int = 0
    ) -> ClientConnection:
        client = socket.socket()
        if receive_bytes:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        client.setblocking(False)
        client.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(sock=client)
        self._lines.append(writer)
        return ClientConnection(reader, writer, client)


_Lines = list[asyncio.StreamWriter]


@asynccontextmanager
async def serving(
    app: ASGIApp,
    *,
    most: int = 1000,
    most_waiting: int = 200,
    most_bytes: int = 32_000_000,
    **options: Any,
) -> AsyncIterator[Served]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    proxies = options.pop("exempt", ())
    limits = ConnectionLimits(
        total=most, waiting_per_address=most_waiting, waiting_bytes=most_bytes, exempt=proxies
    )
    server = Server(app, listener, limits, **options)
    server.start()
    lines: _Lines = []
    try:
        yield Served(server, listener.getsockname()[1], lines)
    finally:
        for writer in lines:
            writer.close()
        if not server.is_stopping:
            await server.stop(1)


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with the request's method, path and body."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    words = f"{scope['method']} {scope['path']} ".encode() + body
    headers = [(b"content-length", b"%d" % len(words))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": words})


async def slow_echo(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0.1)
    await echo(scope, receive, send)
