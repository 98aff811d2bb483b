"""A proxy for a DynamoDB server that fails by a script.

Each request runs the next step of the script; without a step it is forwarded.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32


@dataclass(frozen=True)
class Request:
    head: bytes
    body: bytes
    upstream: tuple[str, int]

    @property
    def operation(self) -> str:
        for line in self.head.decode().splitlines():
            if line.lower().startswith("x-amz-target:"):
                return line.rpartition(".")[2]
        return ""

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    async def forward(self) -> bytes:
        """Return the answer of the server behind the proxy."""
        reader, writer = await asyncio.open_connection(*self.upstream)
        try:
            writer.write(_with_length(self.head, self.body))
            head, body = await _read_message(reader)
            return head + body
        finally:
            writer.close()


Step = Callable[[Request], Awaitable[bytes | None]]
"""A function that answers a request; None drops the connection."""


async def passing(request: Request) -> bytes | None:
    return await request.forward()


async def drop_before_forwarding(_: Request) -> bytes | None:
    return None


async def drop_after_forwarding(request: Request) -> bytes | None:
    await request.forward()
    return None


async def damaged(request: Request) -> bytes | None:
    """Return an answer that does not match its checksum."""
    answer = await request.forward()
    head, end, _ = answer.partition(b"\r\n\r\n")
    kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
    return b"\r\n".join([*kept, b"Content-Length: 3"]) + end + b"{ }"


async def never_answer(_: Request) -> bytes | None:
    """Wait longer than any deadline of a test."""
    await asyncio.sleep(60)
    return None


def refuse_with(code: str, status: int = 400, **more: Any) -> Step:
    async def step(_: Request) -> bytes | None:
        return answered(status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", **more})

    step.__name__ = code
    return step


def cancel_with(*codes: str) -> Step:
    """Cancel the transaction, with a reason for each of its writes."""
    reasons = [{"Code": code} for code in codes]
    return refuse_with("TransactionCanceledException", CancellationReasons=reasons)


async def answer_web_page(_: Request) -> bytes | None:
    return b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html"


async def another_api(_: Request) -> bytes | None:
    return answered(404, {"detail": "Not Found"})


async def answer_redirect(_: Request) -> bytes | None:
    return b"HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"


async def process_one_write(request: Request) -> bytes | None:
    """Carry out the first write of a batch and return the others as unprocessed."""
    ((table, writes),) = request.json["RequestItems"].items()
    body = json.dumps({"RequestItems": {table: writes[:1]}}).encode()
    await replace(request, body=body).forward()
    return answered(200, {"UnprocessedItems": {table: writes[1:]} if writes[1:] else {}})


async def read_one_key(request: Request) -> bytes | None:
    """Read the first key of a batch and return the others as unprocessed."""
    ((table, wanted),) = request.json["RequestItems"].items()
    first, others = wanted["Keys"][:1], wanted["Keys"][1:]
    body = json.dumps({"RequestItems": {table: {**wanted, "Keys": first}}}).encode()
    answer = await replace(request, body=body).forward()
    found = json.loads(answer.partition(b"\r\n\r\n")[2])
    unprocessed = {table: {**wanted, "Keys": others}} if others else {}
    return answered(200, {**found, "UnprocessedKeys": unprocessed})


async def describe_creating_table(request: Request) -> bytes | None:
    """Describe a table whose status and indexes are not active yet."""
    answer = await request.forward()
    found = answer.partition(b"\r\n\r\n")[2].replace(b'"ACTIVE"', b'"CREATING"')
    return answered(200, json.loads(found))


class Proxy:
    """A proxy with its script and the requests it received."""

    def __init__(self, upstream: str) -> None:
        url = urlsplit(upstream)
        self.upstream = (str(url.hostname), int(url.port or 80))
        self.endpoint = ""
        self.seen: list[Request] = []
        self._script: list[Step] = []
        self._whenever: dict[str, Step] = {}
        self._for_ever: Step = passing

    def then(self, *steps: Step) -> None:
        """Add steps for the next requests to the script."""
        self._script += steps

    def whenever(self, operation: str, step: Step) -> None:
        """Use this step for every request of this operation."""
        self._whenever[operation] = step

    def always(self, step: Step) -> None:
        """Use this step for every request after the script."""
        self._for_ever = step

    @property
    def operations(self) -> Sequence[str]:
        return [request.operation for request in self.seen]

    def forget(self) -> None:
        self.seen, self._script, self._whenever, self._for_ever = [], [], {}, passing

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head, body = await _read_message(reader)
                request = Request(head, body, self.upstream)
                self.seen.append(request)
                answer = await self._step(request)(request)
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()

    def _step(self, request: Request) -> Step:
        if step := self._whenever.get(request.operation):
            return step
        return self._script.pop(0) if self._script else self._for_ever


@asynccontextmanager
async def open_proxy(upstream: str) -> AsyncIterator[Proxy]:
    proxy = Proxy(upstream)
    running: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(proxy.serve(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    proxy.endpoint = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _read_message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return head, await reader.readexactly(length)


def _with_length(head: bytes, body: bytes) -> bytes:
    lines = [line for line in head[:-4].split(b"\r\n") if not line.lower().startswith(b"content-l")]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body])


def answered(status: int, content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} Scripted\r\nContent-Length: {len(body)}\r\n"
    return f"{head}x-amz-crc32: {crc32(body)}\r\n\r\n".encode() + body
