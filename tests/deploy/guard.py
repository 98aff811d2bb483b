"""A guard in front of a DynamoDB server, who lets in what the template's rights allow.

async with guarded(server, prefix, allowed) as guard:
    ...  # talk to guard.server
    assert guard.refused == set()
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tests.deploy.template import RESOURCES, Stack
from tests.servers import Server
from tests.table.proxy import Request, answered, in_front_of


class Right(NamedTuple):
    action: str
    resource: str


def rights_of(policy: Mapping[str, Any]) -> list[Right]:
    """What a policy of the template allows, action by action and table by table."""
    found = []
    for statement in Stack(TablePrefix="").of(policy)["Statement"]:
        assert statement["Effect"] == "Allow"
        actions, resources = _listed(statement["Action"]), _listed(statement["Resource"])
        found += [
            Right(action.removeprefix("dynamodb:"), resource.rpartition(":table/")[2])
            for action in actions
            for resource in resources
        ]
    return found


def policy_of(resource: str) -> Mapping[str, Any]:
    properties = RESOURCES[resource]["Properties"]
    if "PolicyDocument" in properties:
        return properties["PolicyDocument"]  # type: ignore[no-any-return]
    (policy,) = properties["Policies"]
    return policy["PolicyDocument"]  # type: ignore[no-any-return]


@dataclass
class Guard:
    server: Server
    """As it is reached through the guard."""
    prefix: str
    allowed: Sequence[Right]
    used: set[Right] = field(default_factory=set)
    refused: set[Right] = field(default_factory=set)

    async def look(self, request: Request) -> bytes | None:
        if not request.operation:
            return await request.forward()  # who asks for the time needs no right
        needed = {
            Right(right.action, right.resource.removeprefix(self.prefix))
            for right in needed_for(request.operation, request.json)
        }
        self.used |= needed
        if lacking := needed - set(self.allowed):
            self.refused |= lacking
            return answered(400, {"__type": "com.amazon.coral.service#AccessDeniedException"})
        return await request.forward()


def needed_for(operation: str, asked: Mapping[str, Any]) -> Iterator[Right]:
    """The rights that AWS asks for: of a transaction those of its writes, of an index its own."""
    match operation:
        case "TransactWriteItems":
            for each in asked["TransactItems"]:
                for verb, write in each.items():
                    name = "ConditionCheckItem" if verb == "ConditionCheck" else f"{verb}Item"
                    yield Right(name, write["TableName"])
        case "BatchGetItem" | "BatchWriteItem":
            for table in asked["RequestItems"]:
                yield Right(operation, table)
        case "Query" if "IndexName" in asked:
            yield Right(operation, f"{asked['TableName']}/index/{asked['IndexName']}")
        case _:
            yield Right(operation, asked["TableName"])


@asynccontextmanager
async def guarded(server: Server, prefix: str, allowed: Sequence[Right]) -> AsyncIterator[Guard]:
    guard = Guard(server, prefix, allowed)
    async with in_front_of(server.endpoint) as proxy:
        proxy.always(guard.look)
        guard.server = replace(server, endpoint=proxy.endpoint)
        yield guard


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
