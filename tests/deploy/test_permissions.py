"""The IAM policies of the template allow exactly the operations of the code."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import botocore.session
import httpx
import pytest

from homeshelf import clock
from homeshelf.table import TABLES
from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.wire import Wire
from homeshelf.table.operations import Check, Delete, Put, Update
from tests.deploy import ROOT
from tests.deploy.template import RESOURCES, Stack, of_type
from tests.forked_processes import run, served
from tests.one_of_each import one_of_each
from tests.processes import on_dynamodb
from tests.servers import Server
from tests.table.proxy import Request, answered, open_proxy


class Right(NamedTuple):
    action: str
    resource: str


def rights_of(policy: Mapping[str, Any]) -> list[Right]:
    """Return the permissions of a policy, by action and table."""
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
    """The server to reach through the guard."""
    prefix: str
    allowed: Sequence[Right]
    used: set[Right] = field(default_factory=set)
    refused: set[Right] = field(default_factory=set)

    async def look(self, request: Request) -> bytes | None:
        if not request.operation:
            return await request.forward()  # a request for the time needs no permission
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
    """Yield the permissions that AWS requires for a request, such as those of a transaction's
    writes."""
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
    async with open_proxy(server.endpoint) as proxy:
        proxy.always(guard.look)
        guard.server = replace(server, endpoint=proxy.endpoint)
        yield guard


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


WRITTEN = "\n".join(path.read_text() for path in (ROOT / "homeshelf").rglob("*.py"))
MAKING = {
    "CreateTable",
    "DescribeContinuousBackups",
    "UpdateContinuousBackups",
    "UpdateTable",
    "UpdateTimeToLive",
}
"""Operations of the template alone, which creates the tables."""
FOR_OPERATORS = {"DescribeTimeToLive", "Scan"}
PROCESS, OPERATOR = rights_of(policy_of("ProcessRole")), rights_of(policy_of("OperatorPolicy"))
NAMES = {table.name for table in TABLES}
CREATED_WITH = {
    "AttributeDefinitions",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "TableName",
}
LISTS = ("/items", "/shopping-list", "/notifications", "/suggestions", "/books", "/me", "/members")
INDEXES = {f"{table.name}/index/{index.name}" for table in TABLES for index in table.indexes}


def sent() -> set[str]:
    """Return the permissions for all operations that the code sends."""
    known = botocore.session.get_session().get_service_model("dynamodb").operation_names
    asked = {name for name in known if f'"{name}"' in WRITTEN} - {"TransactWriteItems"}
    return asked | {f"{each.verb}Item" for each in (Put, Update, Delete, Check)}


def test_process_role_allows_the_operations_of_the_code() -> None:
    may = sent() - MAKING - FOR_OPERATORS
    assert set(PROCESS) == everywhere(may)


def test_operator_role_also_allows_scans() -> None:
    assert set(OPERATOR) == everywhere(sent() - MAKING)


def everywhere(actions: set[str]) -> set[Right]:
    on_tables = {Right(action, name) for action in actions for name in NAMES}
    return on_tables | {Right("Query", index) for index in INDEXES}


def test_no_permission_is_a_wildcard() -> None:
    documents = [
        policy["PolicyDocument"]
        for role in of_type("IAM::Role").values()
        for policy in role["Policies"]
    ]
    wide = [
        statement["Action"]
        for document in (*documents, policy_of("OperatorPolicy"))
        for statement in Stack().of(document)["Statement"]
        if "*" in str(statement["Action"]) or statement["Resource"] == "*"
    ]
    assert wide == ["ecr:GetAuthorizationToken"], "which AWS gives for all or none"
    assert not any("ManagedPolicyArns" in role for role in of_type("IAM::Role").values())


def test_execution_role_may_read_secrets_and_write_logs() -> None:
    (policy,) = RESOURCES["StartingRole"]["Properties"]["Policies"]
    given = {"SmtpUrlSecretArn": "arn:mail", "OidcClientSecretArn": "arn:client"}
    statements = Stack(**given).of(policy["PolicyDocument"])["Statement"]
    may = {str(each["Action"]): each["Resource"] for each in statements}
    assert may["secretsmanager:GetSecretValue"] == ["the SigningKey", "arn:mail", "arn:client"]
    assert may["['logs:CreateLogStream', 'logs:PutLogEvents']"] == "the Arn of the Log"
    without = Stack().of(policy["PolicyDocument"])["Statement"]
    assert without[-1]["Resource"] == ["the SigningKey"]


@pytest.fixture
async def prefix(dynoxide: Server) -> str:
    """Return the prefix of tables that were created as in the template."""
    prefix = f"{clock.new_id()}."
    keys = Credentials(dynoxide.access_key, dynoxide.secret_key)
    engine = DynamoDB(dynoxide.region, dynoxide.endpoint, credentials=keys)
    for properties in of_type("DynamoDB::Table").values():
        await make(engine._wire, Stack(TablePrefix=prefix).of(properties))
    await engine.close()
    return prefix


async def make(wire: Wire, properties: dict[str, Any]) -> None:
    said = {name: value for name, value in properties.items() if name in CREATED_WITH}
    await wire.call("CreateTable", said)
    if ttl := properties.get("TimeToLiveSpecification"):
        named = {"TableName": properties["TableName"], "TimeToLiveSpecification": ttl}
        await wire.call("UpdateTimeToLive", named)


async def test_tables_of_the_template_pass_the_check(
    dynoxide: Server, prefix: str, tmp_path: Path
) -> None:
    async with guarded(dynoxide, prefix, OPERATOR) as guard:
        there = on_dynamodb(guard.server, prefix)
        done = await asyncio.to_thread(run, tmp_path, "tables", "check", **there)
    assert (done.returncode, done.stdout) == (0, "The tables are as they should be.\n")


async def test_household_works_with_the_process_role(
    dynoxide: Server, prefix: str, tmp_path: Path
) -> None:
    async with guarded(dynoxide, prefix, PROCESS) as guard:
        await asyncio.to_thread(use_everything, tmp_path, on_dynamodb(guard.server, prefix))
    assert guard.refused == set()
    assert {right.resource for right in guard.used} == NAMES | INDEXES
    assert {right.action for right in guard.used} == {right.action for right in PROCESS}


def use_everything(folder: Path, there: dict[str, str]) -> None:
    with served(folder, **there) as homeshelf:
        ada = one_of_each(homeshelf.url)
        api, bearer = f"{homeshelf.url}/api/v1", {"Authorization": f"Bearer {ada.token}"}
        for path in LISTS:
            assert httpx.get(f"{api}{path}", headers=bearer).status_code == 200, path
        tapped = httpx.post(f"{api}/taps/{ada.ids['urlId']}", json={"delta": -1})
        assert tapped.status_code == 200
    name = ["user", "create", "b@home.local", "--name", "B", "--password-stdin"]
    done = run(folder, *name, typed="correct horse battery", **there)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("allowed", "may"), [(OPERATOR, True), (PROCESS, False)])
async def test_doctor_requires_the_operator_role(
    dynoxide: Server, prefix: str, tmp_path: Path, allowed: list[Right], may: bool
) -> None:
    async with guarded(dynoxide, prefix, allowed) as guard:
        there = on_dynamodb(guard.server, prefix)
        done = await asyncio.to_thread(run, tmp_path, "doctor", **there)
    assert (guard.refused == set()) == may
    assert (done.returncode == 0) == may, done.stdout
