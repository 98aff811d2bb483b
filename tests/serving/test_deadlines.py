"""Deadlines and limits of connections."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from homeshelf.serving import machine
from homeshelf.serving.limits import Phase
from homeshelf.serving.machine import load_certificate
from tests.network import make_certificate
from tests.serving.in_process import GET, ClientConnection, Served, echo, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
POST = b"POST / HTTP/1.1\r\nHost: home.test\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", b"\r\n", b"GET", GET[:-2]])
async def test_head_times_out_after_ten_seconds(begun: bytes) -> None:
    async with serving(echo) as served:
        line = await _open_and_send(served, begun)
        await served.advance_clock(9)
        assert await line.is_open()
        await served.advance_clock(1)
        ended = await line.ends()
        assert ended.startswith(b"HTTP/1.1 408 ") if begun.strip() else ended == b""


async def test_later_head_times_out_ten_seconds_after_its_first_byte() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        await line.ask()
        await served.advance_clock(70)
        await line.send(b"G")
        await _settle()
        await served.advance_clock(9)
        assert await line.is_open()
        await served.advance_clock(1)
        assert (await line.ends()).startswith(b"HTTP/1.1 408 ")


async def test_single_bytes_do_not_prolong_the_deadline_of_a_head() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        for byte in GET[:10]:
            await line.send(bytes([byte]))
            await _settle()
            await served.advance_clock(1)
        assert (await line.ends()).startswith(b"HTTP/1.1 408 ")


async def test_tls_handshake_counts_towards_the_deadline_of_the_head(tmp_path: Path) -> None:
    tls = load_certificate(*make_certificate(tmp_path))
    async with serving(echo, tls=tls) as served:
        line = await _open_and_send(served, bytes.fromhex("1603010200010001fc0303"))
        await served.advance_clock(9)
        assert await line.is_open()
        await served.advance_clock(1)
        await line.ends()


async def test_body_times_out_after_thirty_seconds_and_one_for_every_50_kb() -> None:
    async with serving(echo) as served:
        line = await _open_and_send(served, POST % 200_000)
        await served.advance_clock(29)
        await line.send(b"x" * 150_000)
        await _settle()
        await served.advance_clock(3.5)
        assert await line.is_open()
        await served.advance_clock(1)
        assert (await line.ends()).startswith(b"HTTP/1.1 408 ")


async def test_application_receives_disconnect_when_a_body_times_out() -> None:
    heard: list[str] = []

    async def reading(_scope: Scope, receive: Receive, _send: Send) -> None:
        while (kind := (await receive())["type"]) != "http.disconnect":
            pass
        heard.append(kind)

    async with serving(reading) as served:
        line = await _open_and_send(served, POST % 100_000 + b"half")
        await served.advance_clock(31)
        await line.ends()
        assert heard == ["http.disconnect"]


async def test_idle_connection_closes_after_75_seconds() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        for _ in range(3):
            await line.ask()
            await served.advance_clock(70)
        assert await line.is_open()
        await served.advance_clock(6)
        assert await line.ends() == b""


async def test_connection_ends_when_a_refused_client_closes() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        assert (await line.ask(b"NONSENSE\r\n\r\n" + b"x" * 3_000_000)).status == 400
        assert _phases(served) == ["CLOSING"]
        line.writer.close()
        await _eventually(lambda: _phases(served) == [], within=Phase.CLOSING.seconds - 1)


async def test_response_of_the_application_has_no_deadline() -> None:
    """An event stream is a long response, and its client is not idle."""
    going_on = asyncio.Event()

    async def streaming(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await going_on.wait()
        await send({"type": "http.response.body", "body": b"two"})

    async with serving(streaming) as served:
        line = await _open_and_send(served, GET)
        await served.advance_clock(100_000)
        going_on.set()
        assert (await line.answer()).body == b"onetwo"


async def test_client_that_reads_nothing_is_dropped_after_thirty_seconds() -> None:
    async with serving(_endless) as served:
        line = await served.connect(receive_bytes=4096)
        line.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it reads
        await line.send(GET)
        await _eventually(lambda: _phases(served) == ["STALLED"])
        await served.advance_clock(29)
        assert _phases(served) == ["STALLED"]
        await served.advance_clock(1)
        await _eventually(lambda: _phases(served) == [])


async def test_client_that_reads_slowly_is_not_dropped() -> None:
    async def long(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 60_000_000})

    loop = asyncio.get_running_loop()
    async with serving(long, most_bytes=100_000_000) as served:
        with socket.socket() as client:
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", served.port))
            await loop.sock_sendall(client, GET)
            await _eventually(lambda: _phases(served) == ["STALLED"])
            for _ in range(2):
                await served.advance_clock(29)
                taken = 0
                while taken < 10_000_000:
                    taken += len(await loop.sock_recv(client, 1_000_000))
                await _settle()
                await served.advance_clock(1)
                assert _phases(served) == ["STALLED"]
            await served.advance_clock(30)
            await _eventually(lambda: _phases(served) == [])


async def test_slow_client_receives_the_whole_response() -> None:
    parts = [bytes([65 + n % 26]) * 100_000 for n in range(50)]

    async def long(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    async with serving(long) as served:
        line = await served.connect(receive_bytes=4096)
        assert (await line.ask()).body == b"".join(parts)
        assert (await line.ask()).body == b"".join(parts)


async def test_oldest_waiting_connection_of_an_address_is_closed_past_the_limit() -> None:
    async with serving(echo, most_waiting=5) as served:
        silent = [await _open_and_send(served, b"") for _ in range(8)]
        elsewhere = [await _open_and_send(served, b"", "127.0.0.2") for _ in range(5)]
        await _settle()
        assert [await line.is_open() for line in silent] == [False] * 3 + [True] * 5
        assert all([await line.is_open() for line in elsewhere])
        assert (await (await served.connect()).ask()).status == 200


async def test_idle_connection_counts_as_waiting_only_after_the_next_first_byte() -> None:
    async with serving(echo, most_waiting=5) as served:
        kept = [await served.connect() for _ in range(5)]
        for line in kept:
            await line.ask()
        waiting = [await _open_and_send(served, b"G") for _ in range(5)]
        assert all([await line.is_open() for line in kept + waiting])
        await kept[0].send(b"G")
        await _settle()
        assert not await waiting[0].is_open()
        assert await kept[0].is_open()


async def test_proxies_are_exempt_from_the_limit_per_address() -> None:
    proxy = ipaddress.ip_network("127.0.0.9/32")
    async with serving(echo, most_waiting=2, exempt=(proxy,)) as served:
        lines = [await _open_and_send(served, b"", "127.0.0.9") for _ in range(10)]
        assert all([await line.is_open() for line in lines])


async def test_longest_idle_connections_are_closed_before_waiting_ones() -> None:
    release = asyncio.Event()

    async def sometimes(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/stay":
            await release.wait()
        await echo(scope, receive, send)

    async with serving(sometimes, most=6) as served:
        busy = [await _open_and_send(served, GET.replace(b"/ ", b"/stay ")) for _ in range(2)]
        silent = [await _open_and_send(served, b"") for _ in range(2)]
        idle = [await served.connect() for _ in range(2)]
        for line in reversed(idle):
            await line.ask()
        assert (await (await served.connect()).ask()).status == 200
        assert [await line.is_open() for line in idle] == [True, False]
        for _ in range(2):
            assert (await (await served.connect()).ask()).status == 200
        more = [await _open_and_send(served, GET.replace(b"/ ", b"/stay ")) for _ in range(4)]
        assert [await line.is_open() for line in silent + idle] == [False] * 4
        last = await served.connect()
        assert await last.ends() == b""
        release.set()
        for line in busy + more:
            assert (await line.answer()).status == 200


async def test_first_waiting_connection_is_closed_past_the_memory_limit() -> None:
    async with serving(echo, most_bytes=390_000) as served:
        lines = [await _open_and_send(served, POST % 200_000 + b"x" * 100_000) for _ in range(3)]
        await _eventually(lambda: len(served.server.limits.connections) == 2)
        assert not await lines[0].is_open()
        for line in lines[1:]:
            assert (await line.ask(b"x" * 100_000)).status == 200
        assert served.server.limits._bytes == 0


async def test_incomplete_heads_count_towards_the_memory_limit() -> None:
    async with serving(echo, most_bytes=150_000) as served:
        for _ in range(3):
            await _open_and_send(served, GET[:-2] + b"A: " + b"b" * 60_000)
        await _eventually(lambda: len(served.server.limits.connections) == 2)


async def test_memory_of_aborted_requests_is_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    async with serving(echo) as served:
        limits = served.server.limits
        monkeypatch.setattr(machine, "give_memory_back", lambda: given.append(1))
        for _ in range(10):
            line = await _open_and_send(served, POST % 2_000_000 + b"x" * 1_000_000)
            await _eventually(lambda: limits._bytes > 1_000_000)
            line.writer.transport.abort()
            await _eventually(lambda: not served.server.limits.connections)
        await _eventually(lambda: bool(given))
        assert served.server.limits.freed_bytes < 3_000_000


async def test_memory_is_returned_again_after_the_last_client_disconnects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many clients that held little memory each were refused before."""
    given: list[int] = []
    kept: list[ClientConnection] = []
    monkeypatch.setattr(machine, "give_memory_back", lambda: given.append(len(kept)))
    monkeypatch.setattr("homeshelf.serving.server.FREED_BYTES", 40_000)
    monkeypatch.setattr("homeshelf.serving.server.LAST_FREED_BYTES", 10_000)
    async with serving(echo) as served:
        kept += [await served.connect() for _ in range(3)]
        for _ in range(12):
            line = await served.connect()
            line.writer.close()
        await _eventually(lambda: given == [3], within=20)
        while kept:
            kept.pop().writer.close()
        await _eventually(lambda: given == [3, 0], within=20)


async def test_unread_responses_count_towards_the_memory_limit() -> None:
    async with serving(_endless, most_bytes=250_000) as served:
        for _ in range(3):
            line = await served.connect(receive_bytes=4096)
            line.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it reads
            await line.send(GET)
        await _eventually(lambda: _phases(served) == ["STALLED"] * 2)


async def test_pipelined_response_is_not_written_before_the_client_reads_the_previous_one() -> None:
    async def large(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 10_000_000})

    async with serving(large) as served:
        line = await served.connect(receive_bytes=4096)
        line.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it reads
        await line.send(GET * 3)
        await _eventually(lambda: _phases(served) == ["STALLED"])
        await _settle()
        (connection,) = served.server.limits.connections
        assert connection._transport.get_write_buffer_size() < 10_000_000
        line.writer.transport.abort()


async def test_body_is_read_only_as_fast_as_the_application_takes_it() -> None:
    async def lazy(_scope: Scope, receive: Receive, _send: Send) -> None:
        await receive()
        await asyncio.sleep(60)

    async with serving(lazy) as served:
        line = await served.connect()
        line.writer.write(POST % 50_000_000 + b"x" * 50_000_000)
        await asyncio.sleep(0.3)
        (connection,) = served.server.limits.connections
        assert connection.held_bytes < 1_000_000
        line.writer.transport.abort()


async def test_long_body_is_not_read_before_the_application_asks_for_it() -> None:
    async def waiting(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.sleep(60)

    async with serving(waiting) as served:
        line = await served.connect()
        line.writer.write(POST % 1_000_000 + b"x" * 1_000_000)
        await asyncio.sleep(0.3)
        (connection,) = served.server.limits.connections
        assert connection.held_bytes < 60_000
        line.writer.transport.abort()


async def test_closed_connections_leave_no_state() -> None:
    async with serving(echo, most_waiting=3) as served:
        lines = [await _open_and_send(served, b"G" * (n % 2)) for n in range(6)]
        lines += [await _open_and_send(served, POST % 9 + b"half") for _ in range(3)]
        for line in lines:
            line.writer.close()
        limits = served.server.limits
        await _eventually(
            lambda: not served.server.limits.connections and not served.server.state.tasks
        )
        assert not any((limits._idle, limits._waiting, limits._by_address))
        assert limits._bytes == 0


async def _endless(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
        await asyncio.sleep(0)


async def _open_and_send(
    served: Served, data: bytes, address: str = "127.0.0.1"
) -> ClientConnection:
    """Return a connection that has sent these bytes, after the server has read them."""
    line = await served.connect(address)
    await line.send(data)
    await _settle()
    return line


async def _settle() -> None:
    await asyncio.sleep(0.02)


def _phases(served: Served) -> list[str]:
    return [connection.phase.name for connection in served.server.limits.connections]


async def _eventually(holds: Callable[[], bool], within: float = 5.0) -> None:
    async with asyncio.timeout(within):
        while not holds():
            await _settle()
