"""Create tables on DynamoDB servers, and report differences from the schema as sentences."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from homeshelf.clock import new_id
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.wire import Wire
from homeshelf.table.schema import BOOKS, HELPER, INVENTORY, SHORT_ID_POOL, TABLES
from tests.servers import Server
from tests.table.proxy import describe_creating_table, open_proxy, refuse_with


@pytest.fixture
def prefix() -> str:
    return f"{new_id()}."


@pytest.fixture
async def wire(dynoxide: Server) -> AsyncIterator[Wire]:
    """A client that creates tables without the engine."""
    wire = opened_wire(dynoxide)
    yield wire
    await wire.close()


@pytest.fixture
async def engine(dynoxide: Server, prefix: str) -> AsyncIterator[DynamoDB]:
    engine = opened(dynoxide, dynoxide.endpoint, prefix)
    yield engine
    await engine.close()


def opened(server: Server, endpoint: str, prefix: str) -> DynamoDB:
    credentials = Credentials(server.access_key, server.secret_key)
    return DynamoDB(server.region, endpoint, prefix, server.prefixes, credentials=credentials)


def opened_wire(server: Server) -> Wire:
    credentials = Credentials(server.access_key, server.secret_key)
    return Wire(server.region, server.endpoint, credentials, timeout=3, deadline=6)


def by_hand(name: str, *keys: str, **more: Any) -> dict[str, Any]:
    """Return a request that creates a table; a key is written `PK:S`."""
    names = [key.partition(":")[0] for key in keys]
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": schema(*names[:2]),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": key.partition(":")[2]}
            for name, key in zip(names, keys, strict=True)
        ],
        **more,
    }


def schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


async def test_each_fault_of_a_table_is_reported_in_a_sentence(
    wire: Wire, engine: DynamoDB, prefix: str
) -> None:
    name = prefix + INVENTORY.name
    gsi2 = {
        "IndexName": "GSI2",
        "KeySchema": schema("GSI2PK", "SK"),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    request = by_hand(name, "PK:S", "SK:N", "GSI2PK:S", GlobalSecondaryIndexes=[gsi2])
    await wire.call("CreateTable", request)
    assert [found for found in await engine.check_tables() if name in found] == [
        f"The table {name} has other keys than PK and SK.",
        f"The index GSI1 of the table {name} is missing.",
        f"The index GSI2 of the table {name} has other keys than GSI2PK and GSI2SK.",
        f"The index GSI2 of the table {name} does not hold all attributes.",
        f"The table {name} does not delete what has expired by ttl.",
    ]


async def test_text_instead_of_a_number_is_a_different_key(
    wire: Wire, engine: DynamoDB, prefix: str
) -> None:
    name = prefix + SHORT_ID_POOL.name
    await wire.call("CreateTable", by_hand(name, "pk:S", "sk:S"))
    assert f"The table {name} has other keys than pk and sk." in await engine.check_tables()


async def test_missing_parts_of_a_table_are_added(
    wire: Wire, engine: DynamoDB, prefix: str
) -> None:
    await wire.call("CreateTable", by_hand(prefix + BOOKS.name, "pk:S", "sk:S"))
    await wire.call("CreateTable", by_hand(prefix + HELPER.name, "PK:S", "SK:S"))
    made = await engine.create_tables()
    assert BOOKS.name not in made
    assert HELPER.name not in made
    assert await engine.check_tables() == []


async def test_expiry_and_backups_are_turned_on_where_a_server_has_them(
    extenddb: Server, prefix: str
) -> None:
    engine, wire = opened(extenddb, extenddb.endpoint, prefix), opened_wire(extenddb)
    assert await engine.create_tables() == [table.name for table in TABLES]
    for table in TABLES:
        request = {"TableName": prefix + table.name}
        expiry = await wire.call("DescribeTimeToLive", request)
        enabled = expiry["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED"
        assert enabled == (table.ttl is not None)
        backups = (await wire.call("DescribeContinuousBackups", request))[
            "ContinuousBackupsDescription"
        ]
        assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    await engine.close()
    await wire.close()


async def test_server_without_expiry_and_backups_is_accepted(dynoxide: Server, prefix: str) -> None:
    async with open_proxy(dynoxide.endpoint) as proxy:
        for operation in ("DescribeTimeToLive", "DescribeContinuousBackups"):
            proxy.whenever(operation, refuse_with("UnknownOperationException"))
        engine = opened(dynoxide, proxy.endpoint, prefix)
        assert len(await engine.create_tables()) == len(TABLES)
        assert await engine.check_tables() == []
        await engine.close()


async def test_a_table_that_is_not_active_says_so(dynoxide: Server, prefix: str) -> None:
    name = prefix + BOOKS.name
    engine = opened(dynoxide, dynoxide.endpoint, prefix)
    await engine.create_tables()
    await engine.close()
    async with open_proxy(dynoxide.endpoint) as proxy:
        proxy.whenever("DescribeTable", describe_creating_table)
        engine = opened(dynoxide, proxy.endpoint, prefix)
        found = await engine.check_tables()
        assert f"The table {name} is not active yet." in found
        assert f"The index gsi1 of the table {name} is not active yet." in found
        await engine.close()
