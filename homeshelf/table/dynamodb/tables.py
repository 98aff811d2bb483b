"""Creation and inspection of the tables on a DynamoDB server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from homeshelf.table.dynamodb.errors import (
    NO_SUCH_TABLE,
    UNKNOWN_OPERATION,
    RequestRefused,
    table_error,
)
from homeshelf.table.dynamodb.wire import Wire
from homeshelf.table.engine import Unavailable
from homeshelf.table.schema import Index, Table

ACTIVE_WITHIN_SECONDS = 300.0
BACKUPS_WITHIN_SECONDS = 60.0
LONGEST_LOOK = 2.0


class RemoteTable:
    def __init__(self, wire: Wire, table: Table, name: str) -> None:
        self._wire = wire
        self._table = table
        self._name = name

    async def make(self) -> bool:
        """Create the table or its missing parts; return whether the table is new."""
        described = await self.describe()
        if described is None:
            await self._create()
        found = await self._when_active()
        for index in self._table.indexes:
            if index.name not in _indexes(found):
                await self._add(index)
                found = await self._when_active()
        if await self._expires() is False:
            wanted = {"Enabled": True, "AttributeName": self._table.ttl}
            await self._make("UpdateTimeToLive", self._expires, TimeToLiveSpecification=wanted)
        await self._keep_backups()
        return described is None

    async def differences(self) -> list[str]:
        found = await self.describe()
        if found is None:
            return [f"The table {self._name} is missing."]
        differences = self._key_differences(found)
        if await self._expires() is False:
            differences.append(
                f"The table {self._name} does not delete what has expired by {self._table.ttl}."
            )
        return differences

    def _key_differences(self, found: dict[str, Any]) -> list[str]:
        differences = []
        if found.get("TableStatus") not in ("ACTIVE", "UPDATING"):
            differences.append(f"The table {self._name} is not active yet.")
        types = {
            each["AttributeName"]: each["AttributeType"] for each in found["AttributeDefinitions"]
        }
        if not self._has_keys(found, self._table, types):
            differences.append(
                f"The table {self._name} has other keys than {self._table.partition} and "
                f"{self._table.sort}."
            )
        indexes = _indexes(found)
        for index in self._table.indexes:
            place = f"The index {index.name} of the table {self._name}"
            if index.name not in indexes:
                differences.append(f"{place} is missing.")
                continue
            described = indexes[index.name]
            if not self._has_keys(described, index, types):
                differences.append(
                    f"{place} has other keys than {index.partition} and {index.sort}."
                )
            if described["Projection"].get("ProjectionType") != "ALL":
                differences.append(f"{place} does not hold all attributes.")
            if described.get("IndexStatus", "ACTIVE") not in ("ACTIVE", "UPDATING"):
                differences.append(f"{place} is not active yet.")
        return differences

    def _has_keys(
        self, found: dict[str, Any], wanted: Table | Index, types: dict[str, str]
    ) -> bool:
        names = {each["KeyType"]: each["AttributeName"] for each in found["KeySchema"]}
        return names == {"HASH": wanted.partition, "RANGE": wanted.sort} and all(
            types.get(name) == self._type(name) for name in names.values()
        )

    async def describe(self) -> dict[str, Any] | None:
        answer = await self._call_unless("DescribeTable", NO_SUCH_TABLE)
        return answer and answer["Table"]

    async def _create(self) -> None:
        indexes = [_index(index) for index in self._table.indexes]
        await self._make(
            "CreateTable",
            self.describe,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=_schema(self._table),
            AttributeDefinitions=self._definitions(),
            **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
        )

    async def _add(self, index: Index) -> None:
        async def is_made() -> bool:
            return index.name in _indexes(await self.describe() or {})

        await self._make(
            "UpdateTable",
            is_made,
            AttributeDefinitions=self._definitions(),
            GlobalSecondaryIndexUpdates=[{"Create": _index(index)}],
        )

    async def _when_active(self) -> dict[str, Any]:
        pause = 0.05
        ends = asyncio.get_running_loop().time() + ACTIVE_WITHIN_SECONDS
        while asyncio.get_running_loop().time() < ends:
            found = await self.describe()
            if found:
                states = [i.get("IndexStatus", "ACTIVE") for i in _indexes(found).values()]
                if {found["TableStatus"], *states} == {"ACTIVE"}:
                    return found
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, LONGEST_LOOK)
        raise Unavailable(f"The table {self._name} does not become active; look again later.")

    async def _expires(self) -> bool | None:
        """Return whether the server deletes expired records; None if it does not support that."""
        if self._table.ttl is None:
            return None
        answer = await self._call_unless("DescribeTimeToLive", UNKNOWN_OPERATION)
        if answer is None:
            return None
        found = answer["TimeToLiveDescription"]
        return (
            found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
            and found.get("AttributeName") == self._table.ttl
        )

    async def _keep_backups(self) -> None:
        answer = await self._call_unless("DescribeContinuousBackups", UNKNOWN_OPERATION)
        if answer is None:
            return
        found = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
        if found.get("PointInTimeRecoveryStatus") != "ENABLED":
            await self._call_unless(
                "UpdateContinuousBackups",
                UNKNOWN_OPERATION,
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )

    async def _call_unless(
        self, operation: str, refusal: str, **request: Any
    ) -> dict[str, Any] | None:
        ends = asyncio.get_running_loop().time() + BACKUPS_WITHIN_SECONDS
        while True:
            try:
                return await self._wire.call(operation, {"TableName": self._name, **request})
            except RequestRefused as refused:
                if refused.code == refusal:
                    return None
                # A new table has no backups for its first seconds.
                waits = refused.code == "ContinuousBackupsUnavailableException"
                if not waits or asyncio.get_running_loop().time() > ends:
                    raise table_error(refused, operation, self._wire.endpoint) from None
            await asyncio.sleep(1)

    async def _make(
        self, operation: str, is_made: Callable[[], Awaitable[object]], **request: Any
    ) -> None:
        try:
            await self._wire.call(operation, {"TableName": self._name, **request})
        except RequestRefused as refused:
            if not await is_made():
                raise table_error(refused, operation, self._wire.endpoint) from None

    def _definitions(self) -> list[dict[str, str]]:
        names = dict.fromkeys(self._table.key_attributes)
        return [{"AttributeName": name, "AttributeType": self._type(name)} for name in names]

    def _type(self, attribute: str) -> str:
        return "N" if attribute in self._table.numbers else "S"


def _indexes(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["IndexName"]: each for each in found.get("GlobalSecondaryIndexes") or ()}


def _index(index: Index) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _schema(index),
        "Projection": {"ProjectionType": "ALL"},
    }


def _schema(keys: Table | Index) -> list[dict[str, str]]:
    return [
        {"AttributeName": keys.partition, "KeyType": "HASH"},
        {"AttributeName": keys.sort, "KeyType": "RANGE"},
    ]
