"""HTTP/1.1 with well-behaved clients."""

import asyncio
import socket
from contextvars import ContextVar
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from tests.serving.in_process import GET, echo, serving, slow_echo

pytestmark = pytest.mark.asyncio(loop_scope="module")
HOST = b"Host: home.test\r\n"
POSTED = b"POST / HTTP/1.1\r\n" + HOST


async def test_connection_is_kept_for_the_next_request() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        for _ in range(3):
            answer = await line.ask()
            assert (answer.status, answer.body) == (200, b"GET / ")
            assert "connection" not in answer.headers
            assert answer.headers["date"].endswith(" GMT")
            assert "server" not in answer.headers


async def test_http_1_0_connection_is_closed_after_the_response() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert (answer.status, answer.body) == (200, b"GET / ")
        assert answer.headers["connection"] == "close"
        assert await line.ends() == b""


async def test_connection_close_header_closes_the_connection() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        last = await line.ask(b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        assert last.headers["connection"] == "close"
        assert await line.ends() == b""


async def test_bodies_with_length_or_chunks_are_read_in_any_pieces() -> None:
    by_length = b"POST /a%20b HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello"
    in_chunks = (
        b"POST /%C3%BC HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
        b"2;note=x\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
    )
    async with serving(echo) as served:
        line = await served.connect()
        for data, said in ((by_length, "POST /a b hello"), (in_chunks, "POST /ü hello")):
            assert (await line.ask(data)).body.decode() == said
            for byte in data:
                await line.send(bytes([byte]))
                await asyncio.sleep(0)
            assert (await line.answer()).body.decode() == said


@pytest.mark.parametrize("reads", [True, False])
async def test_connection_is_reusable_after_a_long_body(reads: bool) -> None:
    async def sometimes(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.02)
        await (echo if reads else _fixed_response(200, [], b"unread"))(scope, receive, send)

    long = b"x" * 130_000
    async with serving(sometimes) as served:
        line = await served.connect()
        for _ in range(3):
            answer = await line.ask(POSTED + b"Content-Length: 130000\r\n\r\n" + long)
            assert answer.body == (b"POST / " + long if reads else b"unread")
            if answer.headers.get("connection") == "close":
                line = await served.connect()


async def test_pipelined_requests_are_answered_in_order() -> None:
    under_way = most = 0

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        await echo(scope, receive, send)
        under_way -= 1

    asked = [b"POST /%d HTTP/1.1\r\n%bContent-Length: 1\r\n\r\nx" % (n, HOST) for n in range(200)]
    async with serving(slow) as served:
        line = await served.connect()
        await line.send(b"".join(asked))
        answers = [(await line.answer()).body for _ in asked]
        assert answers == [b"POST /%d x" % n for n in range(200)]
        assert most == 1


async def test_100_continue_is_sent_when_the_application_reads() -> None:
    asked = b"POST / HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    async with serving(echo) as served:
        line = await served.connect()
        assert (await line.ask(asked)).status == 100
        assert (await line.ask(b"hi")).body == b"POST / hi"
        assert (await line.ask(asked + b"hi")).status == 100
        assert (await line.answer()).body == b"POST / hi"


async def test_100_continue_is_not_sent_to_a_refused_request() -> None:
    asked = b"POST / HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    async with serving(_refusing) as served:
        line = await served.connect()
        answer = await line.ask(asked)
        assert (answer.status, answer.headers["connection"]) == (413, "close")
        assert await line.ends() == b""


async def test_client_refused_while_sending_receives_the_response() -> None:
    """An immediate close would reset the connection because of unread bytes."""
    loop = asyncio.get_running_loop()
    async with serving(_refusing) as served:
        with socket.socket() as client:
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", served.port))
            await loop.sock_sendall(client, POSTED + b"Content-Length: 3000000\r\n\r\n")
            await loop.sock_sendall(client, b"x" * 2_999_999)
            await asyncio.sleep(0.1)
            assert (await loop.sock_recv(client, 1000)).startswith(b"HTTP/1.1 413 ")
            assert await loop.sock_recv(client, 1000) == b""


async def test_client_that_keeps_sending_after_a_refusal_is_disconnected() -> None:
    async with serving(_refusing) as served:
        line = await served.connect()
        await line.send(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 999999999\r\n\r\n")
        with pytest.raises(ConnectionError):
            await line.send(b"x" * 100_000_000)


async def test_head_response_has_the_length_and_no_body() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(b"HEAD / HTTP/1.1\r\n" + HOST + b"\r\n", method="HEAD")
        assert answer.headers["content-length"] == "7"
        assert (await line.ask()).body == b"GET / "


@pytest.mark.parametrize("status", [204, 304])
async def test_response_without_a_body_has_no_length(status: int) -> None:
    async with serving(_fixed_response(status, [], b"")) as served:
        line = await served.connect()
        for _ in range(2):
            answer = await line.ask()
            assert answer.status == status
            assert not {"content-length", "transfer-encoding"} & answer.headers.keys()


async def test_stream_is_chunked_or_ends_with_the_connection() -> None:
    async with serving(_fixed_response(200, [], b"one", b"", b"two")) as served:
        line = await served.connect()
        assert (await line.ask()).body == b"onetwo"
        assert (await line.ask()).headers["transfer-encoding"] == "chunked"
        old = await line.ask(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert old.body == b"onetwo"
        assert old.headers["connection"] == "close"


async def test_failing_application_ends_only_its_own_connection() -> None:
    async def failing(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["path"] == "/begun":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"some", "more_body": True})
        if scope["path"] != "/silent":
            raise RuntimeError("failed")

    async with serving(failing) as served:
        begun = await served.connect()
        await begun.send(GET.replace(b"/ ", b"/begun "))
        assert b"some" in await begun.ends()
        failed = await served.connect()
        assert (await failed.ask(GET)).status == 500
        assert await failed.ends() == b""
        silent = await served.connect()
        assert (await silent.ask(GET.replace(b"/ ", b"/silent "))).status == 500


@pytest.mark.parametrize(
    "wrong",
    [
        ([(b"content-length", b"5")], b"four"),
        ([(b"content-length", b"3")], b"four"),
        ([(b"location", b"/\r\nset-cookie: a=b")], b""),
        ([(b"location", b"/\nset-cookie: a=b")], b""),
    ],
)
async def test_inconsistent_response_is_aborted(
    wrong: tuple[list[tuple[bytes, bytes]], bytes],
) -> None:
    headers, body = wrong
    async with serving(_fixed_response(200, headers, body)) as served:
        line = await served.connect()
        await line.send(GET)
        assert b"set-cookie" not in await line.ends()


async def test_application_receives_disconnect_when_its_client_leaves() -> None:
    heard = asyncio.Event()

    async def listening(_scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        assert (await receive())["type"] == "http.request"
        assert (await receive())["type"] == "http.disconnect"
        heard.set()

    async with serving(listening) as served:
        line = await served.connect()
        await line.send(GET)
        await line.reader.readuntil(b"x")
        line.writer.close()
        async with asyncio.timeout(5):
            await heard.wait()


async def test_pipelined_responses_end_when_their_client_leaves() -> None:
    heard = asyncio.Event()

    async def streaming(_scope: Scope, receive: Receive, send: Send) -> None:
        async def write() -> None:
            while True:
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                await asyncio.sleep(0.01)

        await send({"type": "http.response.start", "status": 200, "headers": []})
        writing = asyncio.create_task(write())
        while (await receive())["type"] != "http.disconnect":
            pass
        writing.cancel()
        heard.set()

    async with serving(streaming) as served:
        line = await served.connect()
        await line.send(GET * 3)
        await line.reader.readuntil(b"x")
        line.writer.transport.abort()
        async with asyncio.timeout(5):
            await heard.wait()


async def test_pipelined_request_does_not_inherit_context_variables() -> None:
    found: list[str] = []
    mark: ContextVar[str] = ContextVar("mark", default="none")

    async def marking(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(mark.get())
        mark.set("marked")
        await slow_echo(scope, receive, send)

    async with serving(marking) as served:
        line = await served.connect()
        await line.send(GET * 3)
        for _ in range(3):
            await line.answer()
    assert found == ["none"] * 3


async def test_trailers_are_not_added_to_headers() -> None:
    async def naming(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await _fixed_response(200, [], b",".join(name for name, _ in scope["headers"]))(
            scope, receive, send
        )

    chunked = b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nAuthorization: x\r\n\r\n"
    async with serving(naming) as served:
        line = await served.connect()
        assert (await line.ask(POSTED + chunked)).body == b"host,transfer-encoding"


async def test_complete_request_is_carried_out_after_its_client_leaves() -> None:
    done = asyncio.Event()

    async def working(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.05)
        await echo(scope, receive, send)
        done.set()

    async with serving(working) as served:
        line = await served.connect()
        await line.send(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\nhi")
        await asyncio.sleep(0.02)
        line.writer.transport.abort()
        async with asyncio.timeout(5):
            await done.wait()


async def test_stop_finishes_current_requests() -> None:
    async with serving(slow_echo) as served:
        idle, busy, begun = [await served.connect() for _ in range(3)]
        await idle.ask()
        await busy.send(GET)
        await begun.send(GET[:20])
        await asyncio.sleep(0.02)
        stopping = asyncio.create_task(served.server.stop(5))
        assert await idle.ends() == b""
        answer = await busy.answer()
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert (await begun.ask(GET[20:])).status == 200
        assert await stopping
        assert await _is_refused(served.port)


async def test_stop_gives_up_after_the_grace_period() -> None:
    async def hanging(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.sleep(60)

    async with serving(hanging) as served:
        line = await served.connect()
        await line.send(GET)
        await asyncio.sleep(0.02)
        assert not await served.server.stop(0.1)
        assert await line.ends() == b""


async def _is_refused(port: int) -> bool:
    try:
        await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return True
    return False


def _fixed_response(status: int, headers: list[tuple[bytes, bytes]], *parts: bytes) -> Any:
    async def say(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        *before, last = parts
        for part in before:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": last})

    return say


_refusing = _fixed_response(413, [], b"no")
