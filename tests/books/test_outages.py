"""Test an import while the database is unavailable."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from homeshelf.table import Database
from tests.books.client import CSV, send
from tests.databases import UsedTables
from tests.running import Person, running_app
from tests.servers import Server
from tests.table.faulty_engines import DEADLINE, opened
from tests.table.proxy import Proxy, Request, drop_before_forwarding, open_proxy


@pytest.fixture
async def proxy(dynoxide: Server) -> AsyncIterator[Proxy]:
    async with open_proxy(dynoxide.endpoint) as proxy:
        yield proxy


@pytest.fixture
async def ada(
    dynoxide: Server, tables_of_dynoxide: UsedTables, proxy: Proxy
) -> AsyncIterator[Person]:
    async with tables_of_dynoxide.taken() as prefix:
        database = Database(opened(dynoxide, proxy.endpoint, prefix))
        async with running_app(database) as running:
            yield await running.person("ada")
        await database.close()


async def test_import_result_is_stored_after_an_outage(ada: Person, proxy: Proxy) -> None:
    away = asyncio.Event()

    async def disconnect(_: Request) -> bytes | None:
        proxy.forget()
        proxy.always(drop_before_forwarding)
        away.set()
        return None

    proxy.whenever("PutItem", disconnect)
    begun = await send(ada, "title\nEmma\n", CSV)
    assert begun.status_code == 202, begun.text
    await away.wait()
    await asyncio.sleep(3 * DEADLINE)  # longer than a book, and then the end, are tried
    proxy.forget()
    state: dict[str, Any] = {"done": 0, "total": 1}
    async with asyncio.timeout(10):
        while state["done"] < state["total"]:
            await asyncio.sleep(0.1)
            state = (await ada.get(f"/books/imports/{begun.json()['importId']}")).json()
    assert [each["line"] for each in state["problems"]] == [0], "it is to be imported once more"
    again = await send(ada, "title\nEmma\n", CSV)
    assert again.status_code == 202, again.text
