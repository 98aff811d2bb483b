"""A transaction stores the response of its request."""

import pytest

from homeshelf.coordination.idempotency import ReplayedResponse
from homeshelf.coordination.todos import Todo, finish_soon, todo
from homeshelf.errors import NotFound
from homeshelf.table import Database
from tests.coordination.lamps import (
    HALL,
    KEY,
    OTHER,
    add,
    brighten,
    brighten_with_other,
    leave_unchanged,
    stored_answers,
    with_stored_response,
)


async def test_response_is_stored_even_without_a_change(database: Database) -> None:
    await add(database, HALL)
    await leave_unchanged(with_stored_response(database), KEY)
    with pytest.raises(ReplayedResponse):
        await brighten(with_stored_response(database), KEY)
    assert await database.get(KEY) == HALL


async def test_response_is_stored_with_the_change_of_its_own_request(database: Database) -> None:
    await add(database, HALL)
    await brighten(with_stored_response(database), KEY, 1)
    with pytest.raises(ReplayedResponse) as repeated:
        await brighten(with_stored_response(database), KEY)
    assert repeated.value.stored.body == "1"
    await brighten(database, KEY)
    assert await stored_answers(database) == ["1"]


async def test_only_the_first_of_several_transactions_stores_the_response(
    database: Database,
) -> None:
    await add(database, HALL)
    unit = with_stored_response(database)
    for _ in range(3):
        await brighten(unit, KEY)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 3
    assert await stored_answers(database) == ["1"]


async def test_refused_transaction_leaves_the_response_to_the_next(database: Database) -> None:
    unit = with_stored_response(database)
    with pytest.raises(NotFound):
        await brighten(unit, KEY)
    await add(database, HALL)
    await brighten(unit, KEY)
    assert await stored_answers(database) == ["1"]


async def test_repeated_request_is_replayed_before_a_refusal(database: Database) -> None:
    await add(database, HALL)
    await add(database, OTHER)
    await brighten_with_other(with_stored_response(database), KEY)
    await database.write(OTHER.delete())
    with pytest.raises(ReplayedResponse):
        await brighten_with_other(with_stored_response(database), KEY)


async def test_finishing_a_todo_stores_no_response(database: Database) -> None:
    """With a second stored response the handler would stop as if it had run before."""

    async def handler(db: Database, _left: Todo) -> None:
        await brighten(db, KEY)

    await add(database, HALL)
    left, unit = todo("lamps", {}), with_stored_response(database)
    await database.put(left)
    await brighten(unit, KEY)
    await finish_soon(unit, left, handler)
    lamp = await database.get(KEY)
    assert lamp is not None
    assert lamp.watts == 2
    assert await database.get(left.own_key()) is None
