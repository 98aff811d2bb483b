"""The DynamoDB engine beside bare calls and aiobotocore, by the processor time of the client."""

from collections.abc import Awaitable, Callable
from time import process_time
from typing import Any

import aiohttp
import msgspec
from aiobotocore.session import get_session
from yarl import URL

from bench.figures import ratios
from bench.part import Report
from bench.rounds import Work, in_turn
from bench.table import sample
from bench.table.sizes import Sizes
from homeshelf import clock
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.items import to_wire
from homeshelf.table.dynamodb.requests import query_request, write_request
from homeshelf.table.dynamodb.wire import signed, stamp_of
from homeshelf.table.schema import INVENTORY
from tests import servers
from tests.servers import Server

BESIDE_BARE = 1.3
BESIDE_AIOBOTOCORE = 1 / 3
HEADERS = {"Accept-Encoding": "identity", "User-Agent": "homeshelf"}
NOW = 2_000_000_000
NAMES = ("get", f"query of {sample.PAGE}", "conditional put", "transaction of 3")


def _named(what: str, beside: str) -> str:
    return f"DynamoDB: {what}, beside {beside}"


BARE, AIOBOTOCORE = "bare calls", "aiobotocore"
FIGURES = [
    *ratios([_named(what, BARE) for what in NAMES], BESIDE_BARE),
    *ratios([_named(what, AIOBOTOCORE) for what in NAMES], BESIDE_AIOBOTOCORE),
]

Request = Callable[[int], tuple[str, dict[str, Any]]]
"""The operation and the body of the request with this number."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode


async def run(report: Report, sizes: Sizes) -> None:
    rounds: dict[str, Any] = {"times": 5, "rounds": sizes.calls, "timer": process_time}
    with servers.dynoxide() as server:
        credentials = Credentials(server.access_key, server.secret_key)
        engine = DynamoDB(
            server.region, server.endpoint, prefixes=server.prefixes, credentials=credentials
        )
        await engine.create_tables()
        await engine.batch(sample.EVERYTHING)
        ours = (
            (NAMES[0], lambda number: engine.get(sample.KEYS[number]), _get),
            (NAMES[1], lambda _: engine.query(sample.FIRST_PAGE), _query),
            (NAMES[2], lambda number: engine.put(sample.PUTS[number]), _put),
            (NAMES[3], lambda n: engine.transact(sample.TRANSACTIONS[n]), _transaction),
        )
        report.step("DynamoDB, beside bare calls")
        async with aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(), headers=HEADERS
        ) as session:
            for what, call, request in ours:
                beside = _bare(session, server, credentials, request)
                took = await in_turn(_repeated(call), beside, **rounds)
                report.measured(_named(what, BARE), *took)
        report.step("DynamoDB, beside aiobotocore")
        async with get_session().create_client(
            "dynamodb",
            region_name=server.region,
            endpoint_url=server.endpoint,
            aws_access_key_id=server.access_key,
            aws_secret_access_key=server.secret_key,
        ) as client:
            for what, call, request in ours:
                beside = _aiobotocore(client, request)
                took = await in_turn(_repeated(call), beside, **rounds)
                report.measured(_named(what, AIOBOTOCORE), *took)
        await engine.close()


def _repeated(call: Callable[[int], Awaitable[object]]) -> Work:
    async def work(times: int) -> None:
        for number in range(times):
            await call(number)

    return work


def _bare(
    session: aiohttp.ClientSession, server: Server, credentials: Credentials, request: Request
) -> Work:
    """The same request, signed and sent, and its answer.

    The bodies are made beforehand and left as they come, but for what no two requests share: the
    time, and the token of a transaction, without which no client could send it again.
    """
    url = URL(server.endpoint + "/")
    host = server.endpoint.removeprefix("http://")
    bodies = [request(number) for number in range(sample.ITEMS)]

    async def work(times: int) -> None:
        for number in range(times):
            operation, body = bodies[number]
            if operation == "TransactWriteItems":
                body["ClientRequestToken"] = clock.new_token()
            payload = encode(body)
            stamp = stamp_of(clock.seconds())
            headers = signed(credentials, server.region, host, operation, payload, stamp)
            async with session.post(
                url, data=payload, headers=headers, allow_redirects=False
            ) as answer:
                assert answer.status == 200
                decode(await answer.read())

    return work


def _aiobotocore(client: Any, request: Request) -> Work:
    bodies = [request(number) for number in range(sample.ITEMS)]
    methods = {
        "GetItem": client.get_item,
        "Query": client.query,
        "PutItem": client.put_item,
        "TransactWriteItems": client.transact_write_items,
    }

    async def work(times: int) -> None:
        for number in range(times):
            operation, body = bodies[number]  # a transaction's token is of its own making
            await methods[operation](**body)

    return work


def _get(number: int) -> tuple[str, dict[str, Any]]:
    wired = to_wire(sample.KEYS[number].attributes)
    return "GetItem", {"TableName": INVENTORY.name, "Key": wired, "ConsistentRead": True}


def _query(_: int) -> tuple[str, dict[str, Any]]:
    request = query_request(INVENTORY.name, sample.FIRST_PAGE, NOW)
    return "Query", {**request, "Limit": sample.PAGE + 1}


def _put(number: int) -> tuple[str, dict[str, Any]]:
    request = write_request(INVENTORY.name, sample.PUTS[number], NOW)
    return "PutItem", {**request, "ReturnValues": "ALL_OLD"}


def _transaction(number: int) -> tuple[str, dict[str, Any]]:
    puts = [write_request(INVENTORY.name, put, NOW) for put in sample.TRANSACTIONS[number]]
    return "TransactWriteItems", {"TransactItems": [{"Put": put} for put in puts]}
