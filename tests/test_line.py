"""Test the connection that other tests cut and slow down."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.network import Line, line_to


class Echo:
    """A server that responds with the number of requests."""

    def __init__(self) -> None:
        self.asked = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readline():
            while head.strip():
                head = await reader.readline()
            self.asked += 1
            body = str(self.asked).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        writer.close()


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
async def line(echo: Echo) -> AsyncIterator[Line]:
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with line_to(f"http://127.0.0.1:{port}") as line:
        yield line
    server.close()


@pytest.fixture
async def client(line: Line) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=line.url, timeout=0.5) as client:
        yield client


async def test_open_connection_forwards_everything(client: httpx.AsyncClient) -> None:
    assert [(await client.get("/")).text for _ in range(3)] == ["1", "2", "3"]


async def test_slow_connection_delays_responses(line: Line, client: httpx.AsyncClient) -> None:
    line.latency = 0.2
    assert (await client.get("/")).elapsed.total_seconds() >= 0.2


async def test_cut_connection_ends_open_requests(
    line: Line, client: httpx.AsyncClient, echo: Echo
) -> None:
    await client.get("/")
    line.becomes("cut")
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            await client.get("/")
    assert echo.asked == 1
    line.becomes("open")
    assert (await client.get("/")).text == "2"


async def test_hanging_connection_sends_nothing(
    line: Line, client: httpx.AsyncClient, echo: Echo
) -> None:
    await client.get("/")
    line.becomes("hang")
    with pytest.raises(httpx.TimeoutException):
        await client.get("/")
    assert echo.asked == 1


async def test_deaf_connection_loses_only_responses(
    line: Line, client: httpx.AsyncClient, echo: Echo
) -> None:
    line.becomes("deaf")
    with pytest.raises(httpx.TransportError):
        await client.get("/")
    assert echo.asked == 1
    line.becomes("open")
    assert (await client.get("/")).text == "2"


async def test_flapping_connection_fails_and_recovers(
    line: Line, client: httpx.AsyncClient
) -> None:
    heard: list[int] = []
    async with line.flapping(0.05), asyncio.timeout(10):
        while len(set(heard)) < 2:
            try:
                heard.append((await client.get("/")).status_code)
            except httpx.TransportError:
                heard.append(0)
    assert line.state == "open"


async def test_connection_follows_a_server_to_another_port(
    line: Line, client: httpx.AsyncClient
) -> None:
    await client.get("/")
    server = await asyncio.start_server(Echo().serve, "127.0.0.1", 0)
    async with server, httpx.AsyncClient(base_url=line.url) as later:
        line.upstream = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert (await later.get("/")).text == "1"
