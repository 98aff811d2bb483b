"""Requests that are not HTTP/1.1, are ambiguous, or exceed a limit."""

from http import HTTPStatus

import pytest

from tests.serving.in_process import GET, echo, serving, slow_echo

pytestmark = pytest.mark.asyncio(loop_scope="module", loop_factories=["uvloop"])
HOST = b"Host: home.test\r\n"

LENGTH = b"Content-Length: 3\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
AMBIGUOUS_REQUESTS = {
    "two lengths of a body": (b"POST", HOST + LENGTH + CHUNKED, b"0\r\n\r\n"),
    "the other way round": (b"POST", HOST + CHUNKED + LENGTH, b"0\r\n\r\n"),
    "the length twice": (b"POST", HOST + LENGTH + LENGTH, b"abc"),
    "a signed length": (b"POST", HOST + b"Content-Length: +3\r\n", b"abc"),
    "a list of lengths": (b"POST", HOST + b"Content-Length: 3, 3\r\n", b"abc"),
    "another coding": (b"POST", HOST + b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
    "an unknown coding": (b"POST", HOST + b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
    "the coding twice": (b"POST", HOST + CHUNKED + CHUNKED, b"0\r\n\r\n"),
    "no size of a chunk": (b"POST", HOST + CHUNKED, b"zz\r\nabc\r\n0\r\n\r\n"),
    "a chunk that is longer": (b"POST", HOST + CHUNKED, b"2\r\nabc\r\n0\r\n\r\n"),
    "a chunk that ends in LF": (b"POST", HOST + CHUNKED, b"3\nabc\r\n0\r\n\r\n"),
    "a header that ends in LF": (b"GET", HOST + b"A: b\n", b""),
    "a header on two lines": (b"GET", HOST + b"A: b\r\n c\r\n", b""),
    "a space before the colon": (b"GET", HOST + b"A : b\r\n", b""),
    "a NUL": (b"GET", HOST + b"A: b\0\r\n", b""),
    "a CR": (b"GET", HOST + b"A: b\rc\r\n", b""),
    "no host": (b"GET", b"", b""),
    "two hosts": (b"GET", HOST + HOST, b""),
    "an unknown method": (b"NONSENSE", HOST, b""),
}


@pytest.mark.parametrize("what", AMBIGUOUS_REQUESTS)
async def test_ambiguous_request_is_refused(what: str) -> None:
    method, headers, body = AMBIGUOUS_REQUESTS[what]
    async with serving(echo) as served:
        line = await served.connect()
        assert (await line.ask()).status == 200
        answer = await line.ask(method + b" / HTTP/1.1\r\n" + headers + b"\r\n" + body + GET)
        assert (answer.status, answer.headers["connection"]) == (400, "close")
        assert await line.ends() == b""


async def test_http_1_0_request_with_chunks_is_refused() -> None:
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(b"POST / HTTP/1.0\r\n" + CHUNKED + b"\r\n0\r\n\r\n")
        assert answer.status == 400


@pytest.mark.parametrize(
    "target", [b"http://other.test/", b"*", b"other.test:443", b"/\xe4", b"/a#b"]
)
async def test_request_target_must_be_a_path(target: bytes) -> None:
    async with serving(echo) as served:
        line = await served.connect()
        assert (await line.ask(b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n")).status == 400


@pytest.mark.parametrize(
    "preface",
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        b"GET / HTTP/2.0\r\nHost: home.test\r\n\r\n",
        bytes.fromhex("16030102000100"),
    ],
)
async def test_other_protocols_are_refused_at_once(preface: bytes) -> None:
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(preface)
        assert answer.status in (400, 505)
        assert await line.ends() == b""


async def test_protocol_upgrade_is_declined() -> None:
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(b"GET / HTTP/1.1\r\n" + HOST + offer)
        assert (answer.status, answer.body) == (200, b"GET / ")
        assert await line.ends() == b""


HEAD, POSTED = b"GET / HTTP/1.1\r\n" + HOST, b"POST / HTTP/1.1\r\n" + HOST
OVERSIZED_HEADS = {
    "too many headers": HEAD + b"".join(b"A%d: b\r\n" % n for n in range(100)) + b"\r\n",
    "a header too long": HEAD + b"A: " + b"b" * 70_000 + b"\r\n\r\n",
    "one that never ends": HEAD + b"A: " + b"b" * 300_000,
    "a path too long": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "headers too long together": HEAD + (b"A: " + b"b" * 1000 + b"\r\n") * 80 + b"\r\n",
    "a trailer too long": b"POST / HTTP/1.1\r\n"
    + HOST
    + CHUNKED
    + b"\r\n0\r\nA: "
    + b"b" * 200_000,
    "a note in a chunk too long": b"POST / HTTP/1.1\r\n"
    + HOST
    + CHUNKED
    + b"\r\n1;a"
    + b"b" * 200_000,
}


@pytest.mark.parametrize("what", OVERSIZED_HEADS)
async def test_oversized_head_is_refused(what: str) -> None:
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(OVERSIZED_HEADS[what])
        assert answer.status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        assert await line.ends() == b""


async def test_head_within_the_limits_is_accepted() -> None:
    long = (b"A: " + b"b" * 600 + b"\r\n") * 98
    async with serving(echo) as served:
        line = await served.connect()
        assert (await line.ask(HEAD + long + b"\r\n")).status == 200


async def test_body_of_one_byte_chunks_is_accepted() -> None:
    chunks = b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"
    async with serving(echo) as served:
        line = await served.connect()
        answer = await line.ask(b"POST / HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\n" + chunks)
        assert len(answer.body) == len(b"POST / ") + 50_000


async def test_complete_requests_are_answered_before_malformed_bytes_are_refused() -> None:
    async with serving(slow_echo) as served:
        line = await served.connect()
        answer = await line.ask(GET + GET + b"NONSENSE\r\n\r\n")
        assert (answer.status, answer.body) == (200, b"GET / ")
        assert (await line.answer()).status == 200
        assert (await line.answer()).status == 400
        assert await line.ends() == b""
