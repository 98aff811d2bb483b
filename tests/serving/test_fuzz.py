"""Whatever bytes come, they are read in one way or refused, and nobody else notices."""

from dataclasses import dataclass, field
from itertools import pairwise

import h11
import pytest
from hypothesis import strategies as st

from homeshelf.serving.parser import BadRequest, Head, RequestParser
from tests.fuzzing import for_long, fuzz, spoiled
from tests.serving.inside import GET, echo, serving

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


@dataclass
class Reader:
    """What a connection is told."""

    read: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    """Requests that came whole: method, target, body."""
    heads: list[Head] = field(default_factory=list)
    refused: int | None = None
    _body: bytes = b""

    def head_came(self, head: Head) -> None:
        self.heads.append(head)
        self._body = b""

    def body_came(self, chunk: bytes) -> None:
        self._body += chunk

    def request_came(self) -> None:
        head = self.heads[-1]
        self.read.append((head.method, head.target, self._body))


def read(*pieces: bytes) -> Reader:
    reader = Reader()
    parser = RequestParser(reader)  # type: ignore[arg-type]  # as much of a connection as it uses
    try:
        for piece in pieces:
            parser.feed(piece)
            if reader.read and not reader.heads[-1].keeps_alive:
                break  # a connection feeds nothing after the last one
    except BadRequest as refused:
        reader.refused = refused.status
    return reader


@for_long(300, MANY)
def test_it_is_read_alike_in_whatever_pieces_it_comes(examples: int) -> None:
    @fuzz(examples, streams, cuts)
    def holds(stream: bytes, places: list[float]) -> None:
        whole = read(stream)
        if any(not head.keeps_alive for head in whole.heads):
            return  # what is fed after the last one depends on the pieces
        marks = sorted({0, len(stream), *(int(place * len(stream)) for place in places)})
        pieces = [stream[start:end] for start, end in pairwise(marks)]
        parts = read(*pieces)
        assert (parts.read, parts.refused) == (whole.read, whole.refused)


@for_long(300, MANY)
def test_whoever_reads_it_before_us_sees_the_same_requests(examples: int) -> None:
    """A proxy that takes the end of one for the beginning of another would let in a request that
    it never saw. h11, which other servers use, stands for it."""

    @fuzz(examples, streams)
    def holds(stream: bytes) -> None:
        for ours, theirs in zip(read(stream).read, _by_h11(stream), strict=False):
            assert ours == theirs


@for_long(300, MANY)
def test_what_is_read_says_one_host_one_length_and_one_path(examples: int) -> None:
    @fuzz(examples, streams)
    def holds(stream: bytes) -> None:
        found = read(stream)
        assert found.refused in (None, 400, 431, 505)
        for head in found.heads:
            names = [name for name, _ in head.headers]
            assert names.count(b"host") == 1 or (
                head.http_version == "1.0" and b"host" not in names
            )
            assert names.count(b"content-length") + names.count(b"transfer-encoding") <= 1
            assert head.target[:1] == b"/"
            assert not any(byte in value for _, value in head.headers for byte in b"\r\n\0")


@pytest.mark.asyncio(loop_scope="module", loop_factories=["uvloop"])
async def test_nonsense_from_one_is_nothing_to_others() -> None:
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


def _by_h11(stream: bytes) -> list[tuple[str, bytes, bytes]]:
    found: list[tuple[str, bytes, bytes]] = []
    line = h11.Connection(h11.SERVER, max_incomplete_event_size=50_000)
    line.receive_data(stream)
    try:
        while request := _whole(line):
            found.append(request)
            line.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
            line.send(h11.EndOfMessage())
            line.start_next_cycle()
    except (h11.RemoteProtocolError, h11.LocalProtocolError):
        pass  # it refuses more, or the connection is to end
    return found


def _whole(line: h11.Connection) -> tuple[str, bytes, bytes] | None:
    event, body = line.next_event(), b""
    if not isinstance(event, h11.Request):
        return None
    while not isinstance(more := line.next_event(), h11.EndOfMessage):
        if not isinstance(more, h11.Data):
            return None
        body += bytes(more.data)
    return event.method.decode(), event.target, body
