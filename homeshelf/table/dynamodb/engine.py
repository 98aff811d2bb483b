import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from homeshelf import clock
from homeshelf.config.addresses import Prefixes
from homeshelf.table import limits
from homeshelf.table.deadlines import SERVER_SECONDS
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.errors import (
    CANCELLED,
    CONDITION_FAILED,
    OTHERS_FIRST,
    TOO_BUSY,
    RequestRefused,
    raise_or_explain,
    table_error,
)
from homeshelf.table.dynamodb.items import readable, to_wire, unexpired
from homeshelf.table.dynamodb.requests import (
    batch_entry,
    is_result_stored,
    query_request,
    raise_limit,
    scan_request,
    start_key,
    write_request,
)
from homeshelf.table.dynamodb.retries import Patience
from homeshelf.table.dynamodb.tables import RemoteTable
from homeshelf.table.dynamodb.wire import Wire
from homeshelf.table.engine import (
    BadRequest,
    ConditionFailed,
    InFlight,
    Unreadable,
    count_in_flight,
)
from homeshelf.table.expressions import Add, Item
from homeshelf.table.operations import (
    Between,
    Cursor,
    Delete,
    Key,
    Page,
    Prefix,
    Put,
    Query,
    Update,
    Write,
    key_in,
    numbered,
)
from homeshelf.table.schema import TABLES, Table

BATCH = 25
NAMES = {"BatchGetItem": "get_many", "TransactWriteItems": "transact", "BatchWriteItem": "batch"}


class DynamoDB:
    """The engine over a DynamoDB server. It retries; after an attempt of unknown outcome:

    - A transaction still happens only once, because it carries a token.
    - A put or delete whose condition then fails returns None if the table holds its result.
      Otherwise the record may have been overwritten since, and the call raises `Unavailable`.
    - An update that adds or has a condition is not sent again, and raises `Unavailable`.
    - Other writes are sent again, and return the record that the last attempt replaced.

    Use `transact` for a write that must not happen twice.
    """

    def __init__(
        self,
        region: str,
        endpoint: str | None = None,
        prefix: str = "",
        prefixes: Prefixes = "begins_with",
        *,
        credentials: Credentials | None = None,
        seconds: Callable[[], int] = clock.seconds,
        timeout: float = 3.0,  # for each request; `deadline` limits all its retries
        deadline: float = SERVER_SECONDS,
    ) -> None:
        self.consumed: Counter[str] = Counter()
        self.rows = 0
        self.reads_at_once = False
        self.in_flight = InFlight()
        self._prefix = prefix
        self._prefixes = prefixes
        self._seconds = seconds
        self._wire = Wire(region, endpoint, credentials, timeout=timeout, deadline=deadline)

    @count_in_flight
    async def get(self, key: Key[Any], *, consistent: bool = True) -> Item | None:
        limits.check_key(key)
        request = {
            "TableName": self._prefix + key.table.name,
            "Key": to_wire(key.attributes),
            "ConsistentRead": consistent,
        }
        answer = await self._call("GetItem", request)
        return unexpired(key.table, answer.get("Item"), self._seconds())

    @count_in_flight
    async def get_many(
        self, keys: Sequence[Key[Any]], *, consistent: bool = True
    ) -> list[Item | None]:
        limits.check_keys(keys)
        tables = {self._prefix + key.table.name: key.table for key in keys}
        wanted: dict[str, Any] = {
            name: {"Keys": [], "ConsistentRead": consistent} for name in tables
        }
        for key in keys:
            wanted[self._prefix + key.table.name]["Keys"].append(to_wire(key.attributes))
        now = self._seconds()
        found: dict[Key[Any], Item] = {}
        patience = self._wire.patience()
        while wanted:
            request = {"RequestItems": wanted}
            answer = await self._call("BatchGetItem", request, patience=patience)
            for name, items in answer["Responses"].items():
                table = tables[name]
                for wired in items:
                    item = unexpired(table, wired, now)
                    if item is not None:
                        found[key_in(table, item)] = item
            wanted = answer.get("UnprocessedKeys") or {}
            if wanted and not await patience.pause():
                raise self._wire.unavailable(TOO_BUSY)
        return [found.get(key) for key in keys]

    @count_in_flight
    async def query(self, query: Query[Any]) -> Page[Item]:
        limits.check_query(query)
        request = self._query_request(query)
        names = query.cursor_attributes
        if query.start is not None:
            request["ExclusiveStartKey"] = start_key(query.start, names)
        return await self._pages("Query", request, query.table, names, query.limit, query.predicate)

    @count_in_flight
    async def count(self, query: Query[Any], at_most: int | None = None) -> int:
        query = replace(query, limit=at_most, start=None)
        if query.predicate:
            page = await self.query(query)
            return min(len(page.items) + len(page.unreadable), at_most or sys.maxsize)
        limits.check_query(query)
        request = self._query_request(query)
        request["Select"] = "COUNT"
        if at_most is not None:
            request["Limit"] = at_most
        counted = 0
        while True:
            answer = await self._call("Query", request)
            counted += int(answer["Count"])
            if at_most is not None and counted >= at_most:
                return at_most
            if not (last := answer.get("LastEvaluatedKey")):
                return counted
            request["ExclusiveStartKey"] = last
            raise_limit(request)

    @count_in_flight
    async def write(self, write: Put | Update | Delete) -> Item | None:
        limits.check_write(write)
        now = self._seconds()
        request = write_request(self._prefix + write.table.name, numbered(write), now)
        request["ReturnValues"] = "ALL_OLD"
        repeatable = not isinstance(write, Update) or not (
            write.when or any(isinstance(change, Add) for change in write.changes)
        )
        try:
            answer = await self._call(
                f"{write.verb}Item", request, outcome=CONDITION_FAILED, repeatable=repeatable
            )
        except RequestRefused as refused:
            current = unexpired(write.table, refused.answer.get("Item"), now)
            if not refused.doubtful or isinstance(write, Update):
                raise ConditionFailed(current) from None
            if not is_result_stored(request, current):
                raise self._wire.unavailable("lost an answer", doubtful=True) from None
            return None
        try:
            return unexpired(write.table, answer.get("Attributes"), now)
        except Unreadable:  # a put replaces it, and an updated record still has its key
            return dict(write.key.attributes) if isinstance(write, Update) else None

    @count_in_flight
    async def transact(self, writes: Sequence[Write]) -> None:
        limits.check_writes(writes)
        now = self._seconds()
        request = {
            "TransactItems": [
                {write.verb: write_request(self._prefix + write.table.name, write, now)}
                for write in map(numbered, writes)
            ],
            "ClientRequestToken": clock.new_token(),
        }
        patience = self._wire.patience()
        doubtful = False
        while True:
            try:
                await self._call(
                    "TransactWriteItems", request, outcome=CANCELLED, patience=patience
                )
            except RequestRefused as refused:
                doubtful = doubtful or refused.doubtful
                trouble = raise_or_explain(refused, writes, now)
            else:
                return
            # A server may remember the token with the refusal, so a retry needs a new one unless an
            # earlier attempt may have succeeded under the old one.
            if not doubtful:
                request["ClientRequestToken"] = clock.new_token()
            if not await patience.pause(free=trouble == OTHERS_FIRST):
                raise self._wire.unavailable(trouble, doubtful=doubtful)

    @count_in_flight
    async def batch(self, writes: Sequence[Put | Delete]) -> None:
        limits.check_batch(writes)
        for write in writes:
            batch_entry(write)  # refuse invalid writes before anything is sent
        for first in range(0, len(writes), BATCH):
            left: dict[str, list[Any]] = {}
            for write in writes[first : first + BATCH]:
                name = self._prefix + write.table.name
                left.setdefault(name, []).append(batch_entry(numbered(write)))
            await self._batch(left)

    @count_in_flight
    async def scan(self, table: Table, limit: int, start: Cursor | None = None) -> Page[Item]:
        limits.check_scan(table, limit, start)
        request = scan_request(self._prefix + table.name, table, self._seconds())
        names = (table.partition, table.sort)
        if start is not None:
            request["ExclusiveStartKey"] = start_key(start, names)
        return await self._pages("Scan", request, table, names, limit)

    @count_in_flight
    async def size(self) -> int:
        found = await asyncio.gather(*(table.describe() for table in self._tables()))
        return sum(int((each or {}).get("ItemCount", 0)) for each in found)

    async def stamp(self) -> int | None:
        return None

    async def keys_expiring(
        self, table: Table, partitions: str, first: int, last: int
    ) -> Sequence[tuple[str, str]]:
        raise BadRequest(f"what expires in {table.name} takes a scan: {partitions}, {first}-{last}")

    @count_in_flight
    async def create_tables(self) -> list[str]:
        made = await asyncio.gather(*(table.make() for table in self._tables()))
        return [table.name for table, new in zip(TABLES, made, strict=True) if new]

    @count_in_flight
    async def list_tables(self) -> list[str]:
        found = await asyncio.gather(*(table.describe() for table in self._tables()))
        return [table.name for table, there in zip(TABLES, found, strict=True) if there]

    @count_in_flight
    async def check_tables(self) -> list[str]:
        found = await asyncio.gather(*(table.differences() for table in self._tables()))
        return [sentence for sentences in found for sentence in sentences]

    async def close(self) -> None:
        await self.in_flight.close()
        await self._wire.close()

    async def _call(
        self,
        operation: str,
        request: dict[str, Any],
        *,
        outcome: str | None = None,
        repeatable: bool = True,
        patience: Patience | None = None,
    ) -> dict[str, Any]:
        """Send a request; a refusal with code `outcome` is raised as is, others as table errors."""
        self.consumed[NAMES.get(operation) or operation.removesuffix("Item").lower()] += 1
        try:
            return await self._wire.call(
                operation, request, repeatable=repeatable, patience=patience
            )
        except RequestRefused as refused:
            if refused.code == outcome:
                raise
            raise table_error(refused, operation, self._wire.endpoint) from None

    async def _pages(
        self,
        operation: str,
        request: dict[str, Any],
        table: Table,
        names: Sequence[str],
        limit: int | None,
        predicate: Callable[[Item], bool] | None = None,
    ) -> Page[Item]:
        """Return all results up to the limit; one more tells whether another page follows."""
        found: list[Item] = []
        unreadable: list[Key[Item]] = []
        if limit is not None:
            request["Limit"] = limit + 1
        while True:
            answer = await self._call(operation, request)
            self.rows += int(answer["ScannedCount"])
            items = readable(table, answer["Items"], unreadable)
            if predicate is not None:
                items = filter(predicate, items)
            found += items if limit is None else islice(items, limit - len(found))
            if limit is not None and len(found) == limit and next(items, None):
                mark = {name: found[-1][name] for name in names}
                return Page(found, mark, unreadable)  # type: ignore[arg-type]  # keys
            if not (last := answer.get("LastEvaluatedKey")):
                return Page(found, None, unreadable)
            request["ExclusiveStartKey"] = last
            raise_limit(request)

    async def _batch(self, left: dict[str, list[Any]]) -> None:
        patience = self._wire.patience()
        waiting = sum(map(len, left.values()))
        while left:
            answer = await self._call("BatchWriteItem", {"RequestItems": left}, patience=patience)
            left = answer.get("UnprocessedItems") or {}
            still = sum(map(len, left.values()))
            if still < waiting:
                patience, waiting = self._wire.patience(), still
            if left and not await patience.pause():
                raise self._wire.unavailable(TOO_BUSY)

    def _query_request(self, query: Query[Any]) -> dict[str, Any]:
        if self._prefixes == "range" and isinstance(query.sort, Prefix):
            start = query.sort.value
            query = replace(query, sort=Between(start, limits.last_key(start)))
        return query_request(self._prefix + query.table.name, query, self._seconds())

    def _tables(self) -> list[RemoteTable]:
        return [RemoteTable(self._wire, table, self._prefix + table.name) for table in TABLES]
