"""A cached page is deleted when the server refuses it, and kept when the server fails."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from tests.browser.storage import cached_paths, wait_until_equal
from tests.browser.visitor import Visitor
from tests.network import Line


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_refused_page_is_not_shown_offline(phone: Visitor, line: Line, status: int) -> None:
    await phone.go("/settings")
    async with respond_with_status(line, status):
        await phone.go("/settings")
        await phone.sees(f"Status {status}")
    line.becomes("cut")
    await phone.go("/settings")
    await phone.reads_above_all("You’re offline")
    await phone.go("/family")
    await phone.sees("House of")


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_cached_page_is_kept_while_server_fails(
    phone: Visitor, line: Line, status: int
) -> None:
    async with respond_with_status(line, status):
        await phone.go("/family")
        await phone.sees(f"Status {status}")
    line.becomes("cut")
    await phone.go("/family")
    await phone.sees("House of")


async def test_refused_list_is_removed_from_caches_of_other_versions(
    phone: Visitor, line: Line
) -> None:
    await phone.go("/list")
    await wait_until_equal(True, lambda: _is_list_cached(phone))
    await phone.page.evaluate(AS_ANOTHER_VERSION)
    async with respond_with_status(line, 403):
        await phone.go("/list")
        await wait_until_equal(False, lambda: _is_list_cached(phone))


@asynccontextmanager
async def respond_with_status(line: Line, status: int) -> AsyncIterator[None]:
    """Answer every request on the line with this status."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        text = f"<h1>Status {status}</h1>"
        head = f"HTTP/1.1 {status} -\r\nContent-Type: text/html\r\nCache-Control: no-store\r\n"
        length = f"Connection: close\r\nContent-Length: {len(text)}\r\n\r\n"
        with suppress(EOFError, ConnectionError):  # a browser opens spare ones
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"{head}{length}{text}".encode())
            await writer.drain()
        writer.close()

    usual = line.upstream
    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        line.upstream = "http://{}:{}".format(*server.sockets[0].getsockname())
        line.drop_all()
        try:
            yield
        finally:
            line.upstream = usual
            line.drop_all()


async def _is_list_cached(phone: Visitor) -> bool:
    return "/list" in await cached_paths(phone)


AS_ANOTHER_VERSION = """async () => {
  const name = (await caches.keys()).find((name) => name.endsWith("-pages"));
  const page = await (await caches.open(name)).match("/list");
  await (await caches.open("homeshelf-other-pages")).put("/list", page);
}"""
