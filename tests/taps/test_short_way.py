"""The page of a tag comes by the short way or by the long one, and nobody can tell which."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeshelf import ip
from homeshelf.config.values import Rate
from homeshelf.inventory.store import key_of
from homeshelf.serving.turns import BATCH
from homeshelf.table import Database
from homeshelf.table.operations import Put
from homeshelf.table.sqlite.engine import Sqlite
from tests.cupboard import restate
from tests.running import RunningApp
from tests.taps.tags import rotate, stored
from tests.taps.ways import HOST, REQUESTS, Ways, arrives, short_way_of, ways


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Ways]:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with ways(database) as both:
        yield both
    await database.close()


async def test_a_tag_in_use_is_shown_by_the_short_way(both: Ways) -> None:
    answer = await both.same(both.get())
    assert both.watched.answered == 1
    assert answer.startswith(b"HTTP/1.1 200 OK\r\ndate: now\r\n")
    assert b"Paper &amp; &lt;Towels&gt;" in answer
    assert "🦄".encode() in answer


@pytest.mark.parametrize(
    "request_of",
    [
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nAccept-Encoding: br\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nSec-Purpose: prefetch;prerender\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nX-Forwarded-Proto: https\r\n\r\n",
    ],
)
async def test_other_headers_are_minded_on_the_short_way(both: Ways, request_of: bytes) -> None:
    answer = await both.same(request_of.replace(b"PATH", both.path))
    assert both.watched.answered == 1
    assert b"strict-transport-security" not in answer


@pytest.mark.parametrize(
    "request_of",
    [
        b"HEAD PATH HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.0\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.0\r\nHost: home.test\r\nConnection: keep-alive\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nConnection: close\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nContent-Length: 2\r\n\r\nhi",
        b"GET PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nExpect: 100-continue\r\n\r\n",
        b"GET PATH?from=tag HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET /t/x HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET /t/zzzzzzzzzzzzzzzzzzzzzz HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET /t/zzzzzzzzzzzzzzzzzzz%7A HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"PUT PATH HTTP/1.1\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: home.test\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.1\r\n\r\n",
        b"GET PATH HTTP/2.0\r\nHost: home.test\r\n\r\n",
        b"GET PATH HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    ],
)
async def test_all_else_takes_the_long_way(both: Ways, request_of: bytes) -> None:
    await both.same(request_of.replace(b"PATH", both.path))
    assert both.watched.answered == 0


@pytest.mark.parametrize("ending", ["rotated", "archived", "damaged"])
async def test_what_was_shown_is_gone_at_once(both: Ways, ending: str) -> None:
    assert (await both.same(both.get())).startswith(b"HTTP/1.1 200")
    match ending:
        case "rotated":
            await rotate(both.home.admin, both.tag)
        case "archived":
            await restate(both.home.admin, {"itemId": both.tag["itemId"], "version": 1}, "archive")
        case "damaged":
            item = await both.running.db.get(key_of(both.home.family_id, both.tag["itemId"]))
            assert item is not None
            broken = {name: each for name, each in item.item().items() if name != "name"}
            await both.running.db.write(Put(item.table, broken))
    status = b"HTTP/1.1 503" if ending == "damaged" else b"HTTP/1.1 404"
    assert (await both.same(both.get())).startswith(status)


async def test_what_opens_nothing_costs_the_same_reads_on_both_ways(both: Ways) -> None:
    db = both.running.db
    await rotate(both.home.admin, both.tag)
    for number in range(3):
        line = await both.short.connect()
        before = db.engine.consumed.copy()
        path = None if number < 2 else b"/t/" + b"z" * 22
        assert (await line.ask(both.get(path=path))).status == 404
        spent = db.engine.consumed - before
        assert (spent["get_many"], spent["query"]) == (2, 1)


async def test_what_a_proxy_says_is_believed_on_both_ways(tmp_path: Path) -> None:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    proxies = (ip.network("127.0.0.1/32"),)
    async with ways(database, trusted_proxies=proxies, public_url="https://shelf.example") as both:
        said = b"X-Forwarded-Proto: https\r\nX-Forwarded-Host: "
        right = await both.same(both.get(b"Host: a\r\n" + said + b"shelf.example\r\n"))
        wrong = await both.same(both.get(b"Host: shelf.example\r\n" + said + b"b.example\r\n"))
        assert both.watched.answered == 1
        assert b"strict-transport-security" in right
        assert wrong.startswith(b"HTTP/1.1 421")
    await database.close()


async def test_who_asks_for_many_unknown_waits_on_both_ways(tmp_path: Path) -> None:
    database = Database(Sqlite(tmp_path / "homeshelf.db"))
    async with ways(database, limit_unknown=Rate(5, 60)) as both:
        line = await both.short.connect("127.0.0.7")
        unknown = both.get(path=b"/t/" + b"z" * 22)
        statuses = [(await line.ask(unknown)).status for _ in range(6)]
        assert statuses == [404] * 5 + [429]
        assert (await line.ask(both.get())).status == 200
    await database.close()


async def test_requests_sent_ahead_are_answered_in_their_order(both: Ways) -> None:
    await both.same(both.get() * 3)
    await both.same(both.get() + both.get(path=b"/t/x") + both.get(HOST))
    await both.same(both.get() + b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello")
    assert both.watched.answered == 0


async def test_a_request_is_whole_wherever_it_was_cut(both: Ways) -> None:
    request = both.get()
    for cut in range(1, len(request), 7):
        await both.same(request, cut=cut)
    assert both.watched.answered == len(range(1, len(request), 7))


async def test_the_beginning_of_the_next_request_does_no_harm(both: Ways) -> None:
    request = both.get()
    line = await both.short.connect()
    for _ in range(3):
        answer = await line.ask(request + request[:20])
        assert answer.status == 200
        answer = await line.ask(request[20:])
        assert answer.status == 200
    assert both.watched.answered == 6


async def test_what_is_broken_after_it_is_refused_after_its_answer(both: Ways) -> None:
    answer = await both.same(both.get() + b"GET nothing\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")


async def test_every_load_is_counted_once_by_whichever_way_it_came(both: Ways) -> None:
    counts = both.running.app.state.access_counts
    await counts.flush()
    before = (await stored(both.home, both.tag)).access_count
    line = await both.short.connect()
    await line.ask(both.get())
    await line.ask(both.get(HOST + b"Purpose: prefetch\r\n"))
    await line.send(both.get() * 2)
    for _ in range(2):
        await line.answer()
    line.writer.write(both.get())
    await asyncio.sleep(0)
    await line.send(both.get())
    for _ in range(2):
        await line.answer()
    await counts.flush()
    assert (await stored(both.home, both.tag)).access_count == before + 5


async def test_a_crowd_is_answered_in_batches(both: Ways) -> None:
    lines = [await both.short.connect(f"127.0.1.{n % 50 + 1}") for n in range(3 * BATCH)]
    for line in lines:
        line.writer.write(both.get())
    answers = await asyncio.gather(*(line.answer() for line in lines))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == len(lines), "each has a key of its own"
    assert 1 < max(both.watched.batches) <= BATCH


async def test_what_comes_before_the_answer_lets_nothing_be_answered_twice(both: Ways) -> None:
    line = await both.short.connect()
    await line.ask(both.get())
    (connection,) = both.short.server._connections
    arrives(connection, both.get())
    arrives(connection, both.get()[:20])
    assert (await line.answer()).status == 200
    assert both.watched.answered == 1, "the other one took the long way"
    assert (await line.ask(both.get()[20:])).status == 200


async def test_of_those_that_are_idle_who_asked_last_stays_longest(both: Ways) -> None:
    first, second = await both.short.connect(), await both.short.connect()
    for line in (first, second, first):
        assert (await line.ask(both.get())).status == 200
    assert both.short.server.admission.make_room()
    assert await second.ends() == b""
    assert (await first.ask(both.get())).status == 200


async def test_who_leaves_before_the_answer_is_not_counted(both: Ways) -> None:
    line = await both.short.connect()
    await line.ask(both.get())
    (connection,) = [each for each in both.short.server._connections if each.phase.name == "IDLE"]
    arrives(connection, both.get())
    connection.connection_lost(None)
    await asyncio.sleep(0)
    assert both.watched.answered == 1


async def test_a_server_that_stops_finishes_what_came_and_says_that_it_ends(both: Ways) -> None:
    line = await both.short.connect()
    await line.ask(both.get())
    (connection,) = both.short.server._connections
    arrives(connection, both.get())
    assert await both.short.server.stop(5)
    answer = await line.answer()
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert await line.ends() == b""


async def test_an_open_connection_is_kept_as_long_after_each_answer(both: Ways) -> None:
    line = await both.short.connect()
    for _ in range(4):
        assert (await line.ask(both.get())).status == 200
        await both.short.pass_by(60)
    assert both.watched.answered == 4
    await both.short.pass_by(20)
    assert await line.ends() == b""


async def test_what_came_at_the_last_moment_is_answered(both: Ways) -> None:
    line = await both.short.connect()
    await line.ask(both.get())
    (connection,) = both.short.server._connections
    arrives(connection, both.get())
    connection.expire()
    assert (await line.answer()).status == 200


async def test_a_closed_database_is_said_by_the_long_way(both: Ways) -> None:
    both.running.db.engine.in_flight._closed = True  # type: ignore[attr-defined]  # of the embedded one
    try:
        assert (await both.same(both.get())).startswith(b"HTTP/1.1 503")
    finally:
        both.running.db.engine.in_flight._closed = False  # type: ignore[attr-defined]  # the same


async def test_only_an_engine_that_reads_at_once_has_a_short_way(running: RunningApp) -> None:
    assert (short_way_of(running) is not None) == running.db.engine.reads_at_once


def test_both_ways_answer_the_same_bytes(tmp_path: Path) -> None:
    with asyncio.Runner() as runner:
        database = Database(Sqlite(tmp_path / "homeshelf.db"))
        opened = ways(database, limit_unknown=Rate(100_000, 60))
        both = runner.run(opened.__aenter__())

        @settings(max_examples=120, deadline=None)
        @given(REQUESTS, st.booleans(), st.none() | st.integers(1, 120))
        def compare(
            asked: list[tuple[bytes, bytes, bytes, list[bytes]]], ahead: bool, cut: int | None
        ) -> None:
            requests = [
                b"\r\n".join([b" ".join(first), b"Host: a", *headers, b"", b""])
                for *first, headers in asked
            ]
            requests = [request.replace(b"PATH", both.path) for request in requests]
            runner.run(both.same(*([b"".join(requests)] if ahead else requests), cut=cut))

        try:
            compare()
            assert both.watched.answered
        finally:
            runner.run(opened.__aexit__(None, None, None))
            runner.run(database.close())
