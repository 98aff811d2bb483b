"""A repeated request is carried out once and gets the same response both times."""

import asyncio

import pytest

from homeshelf import clock
from homeshelf.coordination.idempotency import (
    MOST_BYTES,
    ReplayedResponse,
    StoredResponse,
    request_digest,
    stored_response,
)
from homeshelf.table import HELPER, Database, Keys, Record, TransactionCancelled, absent
from tests.databases import Opener
from tests.moment import Moment


class Coin(Record):
    table = HELPER
    keys = Keys(PK="PURSE", SK="COIN#{coinId}")

    coin_id: str


async def run_request(database: Database, body: bytes = b"{}") -> StoredResponse:
    """Carry out the request: put a new coin and return the response."""
    coin = Coin(coin_id=clock.new_id())
    kept = stored_response("m1", "POST", "/coins", "key-1", body, 201, coin.coin_id)
    try:
        await database.transact(coin.put(absent), kept.put_once())
    except ReplayedResponse as before:
        return before.stored
    return kept


async def test_repeated_request_returns_the_stored_response_without_a_write(
    database: Database,
) -> None:
    first, second = await run_request(database), await run_request(database)
    assert second == first
    assert await coin_ids(database) == [first.body]


async def test_concurrent_repetitions_of_a_request_write_once(
    open_another: Opener,
) -> None:
    databases = [open_another() for _ in range(4)]
    answers = await asyncio.gather(*(run_request(database) for database in databases * 4))
    assert len({answer.body for answer in answers}) == 1
    assert await coin_ids(databases[0]) == [answers[0].body]


async def test_failed_transaction_without_a_stored_response_is_no_replay(
    database: Database,
) -> None:
    """The coin exists and no response is stored, so the error is about the coin."""
    coin = Coin(coin_id="the only one")
    await database.put(coin)
    kept = stored_response("m1", "POST", "/coins", "key-1", b"{}", 201, coin.coin_id)
    taken = coin.put(absent)
    with pytest.raises(TransactionCancelled) as cancelled:
        await database.transact(taken, kept.put_once())
    assert cancelled.value.by(taken)
    assert await database.get(kept.own_key()) is None


async def test_stored_response_takes_precedence_over_other_refusals(database: Database) -> None:
    first = await run_request(database)
    taken = Coin(coin_id=first.body).put(absent)
    again = stored_response("m1", "POST", "/coins", "key-1", b"{}", 201, first.body)
    with pytest.raises(ReplayedResponse) as before:
        await database.transact(taken, again.put_once())
    assert before.value.stored == first


async def test_stored_response_distinguishes_a_repetition_from_another_body(
    database: Database,
) -> None:
    first, second = await run_request(database, b'{"a":1}'), await run_request(database, b'{"a":1}')
    other = stored_response("m1", "POST", "/coins", "key-1", b'{"a":2}', 201, "")
    assert second.content == first.content != other.content


async def test_stored_response_expires_after_a_day(database: Database, moment: Moment) -> None:
    first = await run_request(database)
    moment.pass_by(24 * 3600 - 1)
    assert await run_request(database) == first
    moment.pass_by(1)
    assert await run_request(database) != first
    assert len(await coin_ids(database)) == 2


async def test_stored_response_belongs_to_its_caller_and_request(database: Database) -> None:
    kept = await run_request(database)
    digest = request_digest("POST", "/coins", "key-1")
    assert await database.get(StoredResponse.key(caller="m1", request=digest)) == kept
    assert await database.get(StoredResponse.key(caller="m2", request=digest)) is None


def test_same_key_with_another_method_or_path_is_another_request() -> None:
    requests = [("POST", "/a", "1"), ("PATCH", "/a", "1"), ("POST", "/b", "1"), ("POST", "/a", "2")]
    assert len({request_digest(*request) for request in requests}) == 4


def test_response_above_the_limit_is_not_stored() -> None:
    fits = "ä" * (MOST_BYTES // 2)
    assert stored_response("m1", "POST", "/", "1", b"", 200, fits).body == fits
    with pytest.raises(ValueError, match="100000 bytes"):
        stored_response("m1", "POST", "/", "1", b"", 200, fits + "a")


async def coin_ids(database: Database) -> list[str]:
    return [coin.coin_id for coin in await database.all(Coin.where().up_to_date())]
