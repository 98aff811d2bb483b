"""The order in which requests reach the application."""

import asyncio
import tracemalloc

import pytest
from starlette.types import Receive, Scope, Send

from homeshelf.serving.protocol import STARTS_AT_ONCE
from tests.serving.in_process import GET, echo, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
POST = b"POST / HTTP/1.1\r\nHost: home.test\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


class RecordingApp:
    """An application that records the addresses of its clients."""

    def __init__(self) -> None:
        self.clients: list[str] = []
        self.is_begun = asyncio.Event()

    def forget(self) -> None:
        self.clients.clear()
        self.is_begun.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.clients.append(scope["client"][0])
        self.is_begun.set()
        await echo(scope, receive, send)


SMALL = {
    "by its length": (POST + b"Content-Length: 60000\r\n\r\n" + b"x" * 59_999, b"x"),
    "in chunks": (CHUNKED + b"9c40\r\n" + b"x" * 40_000 + b"\r\n4e20\r\n", b"x" * 20_000),
}


@pytest.mark.parametrize("how", SMALL)
async def test_application_starts_after_a_small_body_is_complete(how: str) -> None:
    first, rest = SMALL[how]
    end = b"" if how == "by its length" else b"\r\n0\r\n\r\n"
    app = RecordingApp()
    async with serving(app) as served:
        line = await served.connect()
        await line.send(first)
        await asyncio.sleep(0.05)
        assert not app.clients
        assert (await line.ask(rest + end)).body == b"POST / " + b"x" * 60_000


LARGE = {
    "by its length": POST + b"Content-Length: 70000\r\n\r\n",
    "in chunks": CHUNKED + b"11170\r\n" + b"x" * 69_000,
    "what waits to be told": POST + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n",
}


@pytest.mark.parametrize("how", LARGE)
async def test_application_starts_before_a_large_body_is_complete(how: str) -> None:
    app = RecordingApp()
    async with serving(app) as served:
        line = await served.connect()
        await line.send(LARGE[how])
        async with asyncio.timeout(5):
            await app.is_begun.wait()


async def test_tiny_chunks_take_only_the_memory_of_their_bytes() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        await line.send(CHUNKED)
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(30):
                await line.send(b"2\r\nab\r\n" * 1000)
                await asyncio.sleep(0)
            await asyncio.sleep(0.1)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert after - before < 200_000
        assert (await line.ask(b"0\r\n\r\n")).body == b"POST / " + b"ab" * 30_000


async def test_client_with_many_requests_does_not_delay_another() -> None:
    app = RecordingApp()
    async with serving(app) as served:
        many = [await served.connect() for _ in range(100)]
        for line in many:
            await line.ask()
        other = await served.connect("127.0.0.2")
        await other.ask()
        app.forget()
        for line in [*many, other]:
            line.send_at_once(GET)
        for line in [*many, other]:
            assert (await line.answer()).status == 200
        assert len(app.clients) == 101
        assert app.clients.index("127.0.0.2") <= 3 * STARTS_AT_ONCE


async def test_only_a_few_requests_of_an_address_start_in_one_loop_round() -> None:
    """Other ready callbacks run in between."""
    begun: list[int] = []
    app = RecordingApp()
    async with serving(app) as served:
        many = [await served.connect() for _ in range(50)]
        for line in many:
            await line.ask()
        app.forget()
        for line in many:
            line.send_at_once(GET)
        while len(app.clients) < 50:
            before = len(app.clients)
            await asyncio.sleep(0)
            begun.append(len(app.clients) - before)
        assert max(begun) <= 2 * STARTS_AT_ONCE


async def test_queued_requests_are_dropped_when_their_clients_disconnect() -> None:
    app = RecordingApp()
    async with serving(app) as served:
        kept, *others = [await served.connect() for _ in range(200)]
        for line in (kept, *others):
            await line.ask()
        app.forget()
        for line in (kept, *others):
            line.send_at_once(GET)
        await app.is_begun.wait()
        for connection in [*served.server.limits.connections]:
            connection.abort()
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(served.server.state.tasks) <= 3 * STARTS_AT_ONCE
        async with asyncio.timeout(5):
            while served.server.state.tasks:  # noqa: ASYNC110  # uvicorn's, which nothing announces
                await asyncio.sleep(0.01)
        assert len(app.clients) < 100


async def test_requests_without_the_end_of_their_bodies_are_dropped_at_once() -> None:
    async with serving(RecordingApp()) as served:
        for _ in range(100):
            await (await served.connect()).send(POST + b"Content-Length: 9\r\n\r\nhalf")
        tasks = served.server.state.tasks
        async with asyncio.timeout(5):
            while len(tasks) < 100:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for connection in [*served.server.limits.connections]:
            connection.abort()
        for _ in range(3):
            await asyncio.sleep(0)
        assert not tasks


async def test_pipelined_request_is_not_parsed_before_the_previous_response() -> None:
    """A read of 16 kB holds 400 requests, each of which takes 4,000 bytes once it is parsed."""
    release = asyncio.Event()

    async def waiting(scope: Scope, receive: Receive, send: Send) -> None:
        await release.wait()
        await echo(scope, receive, send)

    unparsed_bytes = len(GET * 399)
    async with serving(waiting, most_bytes=int(1.5 * unparsed_bytes)) as served:
        line = await served.connect()
        await line.send(GET * 400)
        await asyncio.sleep(0.05)
        (connection,) = served.server.limits.connections
        assert connection.held_bytes == unparsed_bytes
        await (await served.connect()).send(GET * 400)
        await asyncio.sleep(0.05)
        assert connection not in served.server.limits.connections
        assert await line.ends() == b""
        release.set()
