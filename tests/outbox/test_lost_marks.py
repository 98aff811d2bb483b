"""Test that a letter is sent although the database failed to confirm its handover mark."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from homeshelf.outbox import sending
from homeshelf.table import Database
from tests.databases import UsedTables
from tests.home import new_home
from tests.outbox.post_office import PostOffice, wait_until_outbox_is_empty
from tests.running import RunningApp, running_app
from tests.servers import Server
from tests.table.faulty_engines import DEADLINE, opened
from tests.table.proxy import Proxy, Request, drop_before_forwarding, open_proxy, passing

MARKED = b'"handedOver":{"BOOL":true}'


@pytest.fixture
async def proxy(dynoxide: Server) -> AsyncIterator[Proxy]:
    async with open_proxy(dynoxide.endpoint) as proxy:
        yield proxy


@pytest.fixture
async def running(
    dynoxide: Server, tables_of_dynoxide: UsedTables, proxy: Proxy, office: PostOffice
) -> AsyncIterator[RunningApp]:
    async with tables_of_dynoxide.taken() as prefix:
        database = Database(opened(dynoxide, proxy.endpoint, prefix))
        async with running_app(database, **office.settings) as running:
            yield running
        await database.close()


async def test_letter_with_an_unconfirmed_mark_is_sent(
    running: RunningApp, proxy: Proxy, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "UNMARKED_AGAIN_SECONDS", 0.1)
    away = asyncio.Event()

    async def drop_response_to_mark(request: Request) -> bytes | None:
        if away.is_set() or MARKED not in request.body:
            return await passing(request)
        await request.forward()
        proxy.forget()
        proxy.always(drop_before_forwarding)
        away.set()
        return None

    home = await new_home(running, "Lovelace", "ada")
    proxy.whenever("TransactWriteItems", drop_response_to_mark)
    await home.invite("grace@home.local")
    await away.wait()
    await asyncio.sleep(3 * DEADLINE)  # longer than the mark and taking it back are tried
    proxy.forget()
    await office.mail()
    await wait_until_outbox_is_empty(running.db)
    assert [mail.to for mail in office.mails] == [["grace@home.local"]]
