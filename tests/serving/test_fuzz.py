"""Any bytes are parsed unambiguously or refused, without effects on other connections."""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import h11
import pytest
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from homeshelf.serving.guard import ConnectionGuard
from homeshelf.serving.limits import ConnectionLimits, Phase
from homeshelf.serving.server import Server
from tests.cases import for_long, fuzz, spoiled
from tests.serving.in_process import GET, echo, serving

Headers = list[tuple[bytes, bytes]]
MANY = 10_000
HEADERS = (
    *(b"Host: home.test", b"A: b", b"Content-Length: 3", b"Transfer-Encoding: chunked"),
    *(b"Content-Length: 0", b"content-length:3", b"Connection: keep-alive", b"A:", b"A: b\tc "),
)
TARGETS = (b"/", b"/a?b=c", b"/%2e%2e/", b"/" + b"a" * 300, b"//b", b"/a b", b"/\xc3\xa4")
BODIES = (
    *(b"", b"abc", b"3\r\nabc\r\n0\r\n\r\n", b"0\r\n\r\n", b"3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n"),
    *(b"03\r\nabc\r\n00\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n"),
)
ODD = (
    *(b"\r", b"\n", b"\r\n", b"\0", b" ", b"\t", b":", b"\x0b", b"\xa0", b"\xff", b",", b";", b'"'),
    *(b"Content-Length: 3\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"),
    *(b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding:\x0bchunked\r\n", b"\r\n "),
    *(b"Content-Length: -1\r\n", b"Content-Length: 0x3\r\n", b"Content-Length: 1_0\r\n", b"0x"),
    *(b"ffffffffffffffff1\r\n", b"Host: evil.test\r\n", b"HTTP/1.0", b"HTTP/1.1\r\n\r\n"),
)


def _request(method: bytes, target: bytes, headers: list[bytes], body: bytes) -> bytes:
    lines = (method + b" " + target + b" HTTP/1.1", b"Host: home.test", *headers)
    return b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


requests = st.builds(
    _request,
    st.sampled_from([b"GET", b"POST", b"PUT", b"HEAD", b"OPTIONS"]),
    st.sampled_from(TARGETS),
    st.lists(st.sampled_from(HEADERS), max_size=3),
    st.sampled_from(BODIES),
)
streams = spoiled(st.lists(requests, min_size=1, max_size=3).map(b"".join), *ODD)
cuts = st.lists(st.floats(0, 1), max_size=6)


Read = tuple[str, bytes, bytes, bytes]
"""Method, path, query and body."""


@dataclass
class ParsedStream:
    """The parsed result of a byte stream."""

    requests: list[Read] = field(default_factory=list)
    headers: list[Headers] = field(default_factory=list)
    refused: int | None = None
    is_closed: bool = False
    keeps_alive: bool = True


class MemoryTransport(asyncio.Transport):
    """A transport that stores the written bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def close(self) -> None:
        self._is_closing = True

    abort = write_eof = close

    def is_closing(self) -> bool:
        return self._is_closing

    def is_reading(self) -> bool:
        return True

    def can_write_eof(self) -> bool:
        return True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0


@pytest.fixture(scope="module")
def read() -> Iterator[Callable[..., ParsedStream]]:
    """Return a function that parses pieces of a stream as one connection does."""
    with asyncio.Runner() as runner:
        yield lambda *pieces: runner.run(_read(pieces))


async def _read(pieces: Sequence[bytes]) -> ParsedStream:
    reading = ParsedStream()

    async def record(scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message["body"], message["more_body"]
        target = scope["raw_path"], scope["query_string"]
        reading.requests.append((scope["method"], *target, body))
        reading.headers.append(scope["headers"])
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body"})

    with socket.socket() as listener:
        limits = ConnectionLimits(total=10, waiting_per_address=10, waiting_bytes=10_000_000)
        server = Server(record, listener, limits)
        connection, memory = ConnectionGuard(server, ("127.0.0.1", 1)), MemoryTransport()
        limits.add(connection)
        connection.connection_made(memory)
        for piece in pieces:
            connection.get_buffer(len(piece))[: len(piece)] = piece
            connection.buffer_updated(len(piece))
            for _ in range(4):  # one loop round for each possible next step
                await asyncio.sleep(0)
                while connection.phase is Phase.ANSWER:  # noqa: ASYNC110
                    await asyncio.sleep(0)
        responses = memory.written.split(b"HTTP/1.1 ")[1:]
        status = int(responses[-1][:3]) if responses else 200
        reading.refused = status if status >= 400 else None
        reading.is_closed = memory.is_closing()
        reading.keeps_alive = not any(
            each.startswith(b"200") and b"connection: close" in each for each in responses
        )
        connection.connection_lost(None)
        await asyncio.gather(*server.state.tasks)
    return reading


@for_long(300, MANY)
def test_byte_stream_in_pieces_is_parsed_like_the_whole(
    examples: int, read: Callable[..., ParsedStream]
) -> None:
    @fuzz(examples, streams, cuts)
    def holds(stream: bytes, places: list[float]) -> None:
        whole = read(stream)
        if not whole.keeps_alive:
            return  # bytes after the last request depend on the pieces
        marks = sorted({0, len(stream), *(int(place * len(stream)) for place in places)})
        pieces = [stream[start:end] for start, end in pairwise(marks)]
        parts = read(*pieces)
        assert (parts.requests, parts.is_closed) == (whole.requests, whole.is_closed)


@for_long(300, MANY)
def test_byte_stream_is_parsed_like_h11_does(
    examples: int, read: Callable[..., ParsedStream]
) -> None:
    """A proxy that splits requests differently would let a request in that it never saw. h11 stands
    for the proxy, because other servers use it."""

    @fuzz(examples, streams)
    def holds(stream: bytes) -> None:
        for ours, theirs in zip(read(stream).requests, _by_h11(stream), strict=False):
            assert ours == theirs


@for_long(300, MANY)
def test_accepted_request_has_one_host_one_length_and_a_path(
    examples: int, read: Callable[..., ParsedStream]
) -> None:
    @fuzz(examples, streams)
    def holds(stream: bytes) -> None:
        reading = read(stream)
        assert reading.refused in (None, 400, 431, 505)
        for headers in reading.headers:
            names = [name for name, _ in headers]
            assert names.count(b"host") <= 1
            assert names.count(b"content-length") + names.count(b"transfer-encoding") <= 1
            assert not any(byte in value for _, value in headers for byte in b"\r\n\0")
        assert all(path[:1] == b"/" for _, path, _, _ in reading.requests)


@pytest.mark.asyncio(loop_scope="module", loop_factories=["uvloop"])
async def test_malformed_bytes_do_not_affect_other_connections() -> None:
    found: list[bytes] = []

    @fuzz(150, streams | st.binary(max_size=200))
    def collected(stream: bytes) -> None:
        found.append(stream)

    async with serving(echo) as served:
        for stream in found:
            line = await served.connect()
            await line.send(stream)
            line.writer.write_eof()
            said = await line.ends()
            assert not said or said.startswith(b"HTTP/1.1 "), said
            line.writer.close()
        assert (await (await served.connect()).ask(GET)).status == 200


def _by_h11(stream: bytes) -> list[Read]:
    found: list[Read] = []
    line = h11.Connection(h11.SERVER, max_incomplete_event_size=50_000)
    line.receive_data(stream)
    try:
        while request := _whole(line):
            found.append(request)
            line.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
            line.send(h11.EndOfMessage())
            line.start_next_cycle()
    except (h11.RemoteProtocolError, h11.LocalProtocolError):
        pass  # h11 refuses more, or the connection is to end
    return found


def _whole(line: h11.Connection) -> Read | None:
    event, body = line.next_event(), b""
    if not isinstance(event, h11.Request):
        return None
    while not isinstance(more := line.next_event(), h11.EndOfMessage):
        if not isinstance(more, h11.Data):
            return None
        body += bytes(more.data)
    path, _, query = event.target.partition(b"?")
    return event.method.decode(), path, query, body
