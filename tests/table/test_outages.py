"""Reads and writes while the connection to a DynamoDB server fails."""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator

import pytest

from homeshelf.clock import new_id
from homeshelf.table.deadlines import time_limit
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.engine import (
    BadRequest,
    CannotOpen,
    ConditionFailed,
    ItemTooLarge,
    TableError,
    TransactionCancelled,
    Unavailable,
)
from homeshelf.table.expressions import Add, Set, absent, attr, exists
from tests.servers import Server
from tests.table.faulty_engines import IN_TIME, LONG, opened
from tests.table.proxy import (
    Proxy,
    Request,
    Step,
    another_api,
    answer_redirect,
    answer_web_page,
    answered,
    cancel_with,
    damaged,
    drop_after_forwarding,
    drop_before_forwarding,
    never_answer,
    open_proxy,
    passing,
    process_one_write,
    read_one_key,
    refuse_with,
)
from tests.table.support import Place, list_sort_keys

THROTTLED = [
    refuse_with("ProvisionedThroughputExceededException"),
    refuse_with("ThrottlingException"),
    refuse_with("RequestLimitExceeded"),
    refuse_with("Throttling"),
    refuse_with("TransactionConflictException"),
]
LOST = [
    drop_before_forwarding,
    drop_after_forwarding,
    damaged,
    refuse_with("InternalServerError", 500),
    refuse_with("ServiceUnavailable", 503),
    never_answer,
]


def name(value: object) -> str:
    return getattr(value, "__name__", "")


@pytest.fixture(scope="module")
async def prefix(dynoxide: Server) -> str:
    """The prefix of the tables of these tests."""
    prefix = f"{new_id()}."
    engine = opened(dynoxide, dynoxide.endpoint, prefix)
    await engine.create_tables()
    await engine.close()
    return prefix


@pytest.fixture
async def direct_engine(dynoxide: Server, prefix: str) -> AsyncIterator[DynamoDB]:
    """An engine that does not use the proxy."""
    engine = opened(dynoxide, dynoxide.endpoint, prefix)
    yield engine
    await engine.close()


@pytest.fixture
async def proxy(dynoxide: Server) -> AsyncIterator[Proxy]:
    async with open_proxy(dynoxide.endpoint) as proxy:
        yield proxy


@pytest.fixture
async def engine(proxy: Proxy, dynoxide: Server, prefix: str) -> AsyncIterator[DynamoDB]:
    engine = opened(dynoxide, proxy.endpoint, prefix)
    yield engine
    await engine.close()


@pytest.fixture
async def patient(proxy: Proxy, dynoxide: Server, prefix: str) -> AsyncIterator[DynamoDB]:
    engine = opened(dynoxide, proxy.endpoint, prefix, LONG, timeout=LONG)
    yield engine
    await engine.close()


def token(request: Request) -> str:
    found: str = request.json["ClientRequestToken"]
    return found


@pytest.mark.parametrize("step", [*THROTTLED, *LOST], ids=name)
async def test_read_is_retried_after_a_failure(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk"))
    proxy.then(step)
    assert await engine.get(home.key("milk")) == home.item("milk")
    assert proxy.operations == ["GetItem", "GetItem"]


@pytest.mark.parametrize("step", THROTTLED, ids=name)
async def test_every_kind_of_throttled_write_is_retried(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk", quantity=1))
    proxy.then(step)
    await engine.write(home.update("milk", Add("quantity", 1), when=attr("quantity") == 1))
    proxy.then(step)
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.put("milk", absent))
    assert failed.value.current == home.item("milk", quantity=2)


@pytest.mark.parametrize("step", [THROTTLED[0], *LOST], ids=name)
async def test_failing_read_raises_one_sentence_at_the_deadline(
    engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    proxy.always(step)
    began = time.monotonic()
    with pytest.raises(Unavailable) as unavailable:
        await engine.get(home.key("milk"))
    assert time.monotonic() - began < IN_TIME
    assert re.fullmatch(
        r"The database at http://127\.0\.0\.1:\d+ [^.;,]+; try again later\.",
        str(unavailable.value),
    )
    proxy.forget()
    assert await engine.get(home.key("milk")) is None


@pytest.mark.parametrize(
    "step", [THROTTLED[0], *LOST, cancel_with("TransactionConflict")], ids=name
)
async def test_failing_transaction_raises_one_sentence_at_the_deadline(
    engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    proxy.always(step)
    began = time.monotonic()
    with pytest.raises(Unavailable) as unavailable:
        await engine.transact([home.put("milk")])
    assert time.monotonic() - began < IN_TIME
    assert ("whether the last change was made is not known" in str(unavailable.value)) == (
        step in LOST
    )
    proxy.forget()
    await engine.transact([home.put("milk", quantity=2)])
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)


@pytest.mark.parametrize("step", [THROTTLED[0], never_answer], ids=name)
async def test_shorter_deadline_raises_sooner(
    patient: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    """The deadline includes the time in the queue."""
    proxy.always(step)
    for attempt in (
        patient.write(home.put("a")),
        patient.get(home.key("a")),
        patient.transact([home.put("a")]),
    ):
        began = time.monotonic()
        with time_limit(0.2), pytest.raises(Unavailable):
            await attempt
        assert time.monotonic() - began < LONG / 2
    proxy.forget()


@pytest.mark.parametrize("step", LOST, ids=name)
async def test_put_with_a_lost_answer_succeeds(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    proxy.then(step)
    assert await engine.write(home.put("milk", absent, version=1)) is None
    assert await direct_engine.get(home.key("milk")) == home.item("milk", version=1)
    proxy.then(step)
    await engine.write(home.put("milk", attr("version") == 1, version=2))
    assert await direct_engine.get(home.key("milk")) == home.item("milk", version=2)
    with pytest.raises(ConditionFailed):
        await engine.write(home.put("milk", attr("version") == 1, version=2))


async def test_put_with_unknown_outcome_raises_unavailable_if_overwritten(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    async def overwrite_after_forwarding(request: Request) -> bytes | None:
        await request.forward()
        await direct_engine.write(home.put("milk", by="somebody else"))
        return None

    proxy.then(overwrite_after_forwarding)
    with pytest.raises(Unavailable, match="is not known"):
        await engine.write(home.put("milk", absent, by="me"))
    assert await direct_engine.get(home.key("milk")) == home.item("milk", by="somebody else")


@pytest.mark.parametrize("step", LOST, ids=name)
async def test_delete_with_a_lost_answer_succeeds(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk"))
    proxy.then(step)
    await engine.write(home.delete("milk", exists))
    assert await direct_engine.get(home.key("milk")) is None


async def test_delete_with_unknown_outcome_and_failed_condition_raises_unavailable(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    await direct_engine.write(home.put("milk", version=2))
    proxy.then(drop_before_forwarding)
    with pytest.raises(Unavailable, match="is not known"):
        await engine.write(home.delete("milk", attr("version") == 1))
    assert await direct_engine.get(home.key("milk")) == home.item("milk", version=2)


@pytest.mark.parametrize("step", LOST, ids=name)
async def test_addition_with_a_lost_answer_is_not_retried(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk", quantity=1))
    proxy.then(step)
    with pytest.raises(Unavailable, match="is not known"):
        await engine.write(home.update("milk", Add("quantity", 1)))
    assert proxy.operations == ["UpdateItem"]


@pytest.mark.parametrize("step", LOST, ids=name)
async def test_update_without_additions_is_retried_after_a_lost_answer(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk", quantity=1))
    proxy.then(step)
    await engine.write(home.update("milk", Set("quantity", 5)))
    assert await direct_engine.get(home.key("milk")) == home.item("milk", quantity=5)


@pytest.mark.parametrize("step", LOST, ids=name)
async def test_transaction_with_a_lost_answer_is_applied_once(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place, step: Step
) -> None:
    await direct_engine.write(home.put("milk", quantity=1))
    proxy.then(step, refuse_with("TransactionInProgressException"))
    await engine.transact([home.update("milk", Add("quantity", 1)), home.put("claim", absent)])
    assert await direct_engine.get(home.key("milk")) == home.item("milk", quantity=2)
    assert len({token(request) for request in proxy.seen}) == 1


async def test_100_transactions_over_a_bad_connection_are_applied_once_each(
    dynoxide: Server, direct_engine: DynamoDB, proxy: Proxy, prefix: str, home: Place
) -> None:
    engine = opened(dynoxide, proxy.endpoint, prefix, deadline=10)
    dice = random.Random(4)
    steps = [*[passing] * 6, drop_before_forwarding, drop_after_forwarding, damaged, *THROTTLED]
    proxy.then(*dice.choices(steps, k=150))
    await direct_engine.write(home.put("milk", quantity=0))

    async def add_some(worker: int) -> None:
        for n in range(25):
            claim = home.put(f"claim#{worker}#{n}", absent)
            await engine.transact([home.update("milk", Add("quantity", 1)), claim])

    await asyncio.gather(*(add_some(worker) for worker in range(4)))
    assert await direct_engine.get(home.key("milk")) == home.item("milk", quantity=100)
    await engine.close()


async def test_conflict_is_retried_with_a_new_token(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    proxy.then(cancel_with("None", "TransactionConflict"), cancel_with("ThrottlingError", "None"))
    await engine.transact([home.put("milk"), home.put("bread")])
    assert list_sort_keys((await direct_engine.query(home.all())).items) == ["bread", "milk"]
    assert len({token(request) for request in proxy.seen}) == 3


async def test_token_with_unknown_outcome_is_kept_after_a_conflict(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    await direct_engine.write(home.put("milk", quantity=1))
    proxy.then(drop_after_forwarding, cancel_with("TransactionConflict"))
    await engine.transact([home.update("milk", Add("quantity", 1))])
    assert await direct_engine.get(home.key("milk")) == home.item("milk", quantity=2)
    assert len({token(request) for request in proxy.seen}) == 1


async def test_failed_condition_takes_precedence_over_a_conflict(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    proxy.then(cancel_with("TransactionConflict", "ConditionalCheckFailed", "ValidationError"))
    writes = [home.put("milk"), home.put("bread", absent), home.put("salt")]
    with pytest.raises(TransactionCancelled) as cancelled:
        await engine.transact(writes)
    assert [cancelled.value.by(write) for write in writes] == [False, True, False]
    assert len(proxy.seen) == 1


async def test_unprocessed_writes_of_a_batch_are_resent(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    proxy.then(process_one_write, process_one_write, drop_after_forwarding, process_one_write)
    await engine.batch([home.put(f"{n:02}") for n in range(40)])
    assert await direct_engine.count(home.all()) == 40


async def test_unprocessed_keys_of_get_many_are_requested_again(
    engine: DynamoDB, direct_engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    await direct_engine.batch([home.put(f"{n}") for n in range(5)])
    proxy.then(read_one_key, read_one_key)
    found = await engine.get_many([home.key(sort) for sort in ("3", "1", "gone", "4")])
    assert found == [home.item("3"), home.item("1"), None, home.item("4")]


async def test_batch_without_progress_raises_unavailable(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    async def leaving_all(request: Request) -> bytes | None:
        return answered(200, {"UnprocessedItems": request.json["RequestItems"]})

    proxy.always(leaving_all)
    with pytest.raises(Unavailable, match="is too busy"):
        await engine.batch([home.put("milk")])


@pytest.mark.parametrize(
    ("step", "error", "sentence"),
    [
        (refuse_with("ResourceNotFoundException"), CannotOpen, "`homeshelf tables create`"),
        (refuse_with("UnrecognizedClientException"), CannotOpen, "credentials"),
        (refuse_with("InvalidSignatureException"), CannotOpen, "credentials"),
        (refuse_with("AccessDeniedException", message="not you"), CannotOpen, "not you"),
        (refuse_with("UnknownOperationException"), CannotOpen, "does not support PutItem"),
        (refuse_with("ValidationException", message="no such thing"), BadRequest, "no such thing"),
        (
            refuse_with("ValidationException", message="Item size has exceeded the maximum"),
            ItemTooLarge,
            "size",
        ),
        (refuse_with("ConditionalCheckFailedException"), ConditionFailed, "does not hold"),
        (refuse_with("SomethingNew", message="and strange"), BadRequest, "and strange"),
        (answer_web_page, CannotOpen, "does not speak DynamoDB"),
        (another_api, CannotOpen, "does not speak DynamoDB"),
        (answer_redirect, CannotOpen, "does not speak DynamoDB"),
    ],
    ids=name,
)
async def test_refusal_of_a_server_becomes_a_contract_error(
    engine: DynamoDB,
    proxy: Proxy,
    home: Place,
    step: Step,
    error: type[TableError],
    sentence: str,
) -> None:
    proxy.then(step)
    with pytest.raises(error) as raised:
        await engine.write(home.put("milk"))
    assert type(raised.value) is error
    assert sentence in str(raised.value)
    assert len(proxy.seen) == 1


async def test_request_after_the_deadline_is_not_sent(
    engine: DynamoDB, proxy: Proxy, home: Place
) -> None:
    """The caller got an error already, so a late write would surprise the caller."""
    with time_limit(0):
        for attempt in (engine.get(home.key("a")), engine.write(home.put("a"))):
            with pytest.raises(Unavailable):
                await attempt
        with pytest.raises(Unavailable):
            await engine.transact([home.put("a")])
    assert not proxy.seen
