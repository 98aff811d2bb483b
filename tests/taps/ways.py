"""The page of a tag by the short way and by the long one, side by side."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from hypothesis import strategies as st

from homeshelf.serving.connection import Connection
from homeshelf.table import Database
from homeshelf.web.application import Application
from homeshelf.web.short_way import PlainRequest, Reply, ShortWay
from tests.cupboard import Shown, add_item
from tests.home import Home, new_home
from tests.running import RunningApp, running_app
from tests.serving.inside import Line, Served, serving
from tests.taps.tags import make_tag

HOST = b"Host: home.test\r\n"
GZIP = b"Accept-Encoding: gzip\r\n"
HEADERS = st.lists(
    st.sampled_from(
        [
            b"Accept-Encoding: gzip, deflate, br",
            b"Accept-Encoding: identity",
            b"accept-encoding:gzip  ",
            b"Connection: keep-alive",
            b"Connection: close",
            b"Purpose: prefetch",
            b"X-Moz: Prefetch",
            b"Sec-Purpose: none",
            b"X-Forwarded-For: 192.0.2.1",
            b"X-Forwarded-Host: other.example",
            b"Content-Length: 0",
            b"Expect: 100-continue",
            b"User-Agent: " + b"x" * 600,
            b"Cookie: a=b",
            b"Broken\x00: x",
        ]
    ),
    max_size=6,
)
REQUESTS = st.lists(
    st.tuples(
        st.sampled_from([b"GET", b"GET", b"GET", b"HEAD", b"OPTIONS"]),
        st.sampled_from([b"PATH", b"PATH", b"/t/" + b"z" * 22, b"/t/", b"/healthz"]),
        st.sampled_from([b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0"]),
        HEADERS,
    ),
    min_size=1,
    max_size=3,
)


@dataclass
class Watched:
    """A short way that remembers what it answered."""

    way: ShortWay
    replies_made: list[Reply | None] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    @property
    def start(self) -> bytes:
        return self.way.start

    @property
    def answered(self) -> int:
        return len([each for each in self.replies_made if each is not None])

    def replies(self, requests: Sequence[PlainRequest]) -> Sequence[Reply | None]:
        made = self.way.replies(requests)
        self.batches.append(len(requests))
        self.replies_made += made
        return made


@dataclass(frozen=True)
class Ways:
    """The same application, served with a short way and without one."""

    running: RunningApp
    home: Home
    tag: Shown
    short: Served
    long: Served
    watched: Watched

    @property
    def path(self) -> bytes:
        return f"/t/{self.tag['urlId']}".encode()

    def get(self, headers: bytes = HOST + GZIP, path: bytes | None = None) -> bytes:
        return b"GET %b HTTP/1.1\r\n%b\r\n" % (path or self.path, headers)

    async def same(self, *requests: bytes, cut: int | None = None) -> bytes:
        """What both answer to these, each sent in one piece or in two after the one before is
        answered, and up to the end of the connection."""
        short, long = [
            await _answers(await served.connect(), requests, cut)
            for served in (self.short, self.long)
        ]
        assert short == long
        return short


@asynccontextmanager
async def ways(database: Database, **changed: object) -> AsyncIterator[Ways]:
    async with running_app(database, **changed) as running:
        home = await new_home(running, "Lovelace", "ada")
        tag = await make_tag(
            home.admin, await add_item(home.admin, name="Paper & <Towels>", picture="🦄")
        )
        app, way = running.app, short_way_of(running)
        assert way is not None
        watched = Watched(way)
        async with serving(app, short_way=watched) as short, serving(app) as long:
            both = Ways(running, home, tag, short, long, watched)
            await both.same(both.get())
            watched.replies_made.clear()
            yield both


def short_way_of(running: RunningApp) -> ShortWay | None:
    assert isinstance(running.app, Application)
    return running.app.short_way


def arrives(connection: Connection, data: bytes) -> None:
    """As the transport tells it, before anything else happens in this round."""
    connection.get_buffer(0)[: len(data)] = data
    connection.buffer_updated(len(data))


async def _answers(line: Line, requests: Sequence[bytes], cut: int | None) -> bytes:
    reading = asyncio.create_task(line.ends())
    for request in (*requests, b"GET /t/end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"):
        for piece in filter(None, [request] if cut is None else [request[:cut], request[cut:]]):
            if not reading.done():
                line.writer.write(piece)
            for _ in range(20):  # rounds of the loop that they share, until it has answered
                await asyncio.sleep(0)
    return _plain(await reading)


def _plain(answers: bytes) -> bytes:
    """Without what is another each time: the date, the key in the page and its checksum."""
    answers = re.sub(rb"date: [^\r]+", b"date: now", answers)
    answers = re.sub(rb"x-request-id: [^\r]+", b"x-request-id: new", answers)
    answers = re.sub(rb'(name="key" value=")[0-9a-f]{32}', rb"\1key", answers)
    answers = re.sub(rb'(data-at=")[0-9]+', rb"\1now", answers)
    return re.sub(rb"(</html>\n?).{8}(?=HTTP/1.1|$)", rb"\1", answers, flags=re.DOTALL)
