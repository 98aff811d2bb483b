"""Signatures, credentials and items in requests to DynamoDB."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.table.dynamodb.credentials import Credentials, CredentialSource
from homeshelf.table.dynamodb.engine import DynamoDB
from homeshelf.table.dynamodb.items import from_wire, read_item, to_wire
from homeshelf.table.dynamodb.requests import write_request
from homeshelf.table.dynamodb.wire import host_of, signed
from homeshelf.table.engine import CannotOpen, ItemTooLarge, Unavailable, Unreadable
from homeshelf.table.expressions import Value, attr
from homeshelf.table.limits import ITEM_BYTES, check_item
from homeshelf.table.operations import Put
from homeshelf.table.schema import BOOKS, INVENTORY, SHORT_ID_POOL
from homeshelf.table.values import EXACT, measure_item
from tests.servers import Server
from tests.table.support import Place, exactly

REGION = "eu-central-1"
ENDPOINTS = [
    "https://dynamodb.eu-central-1.amazonaws.com",
    "https://dynamodb.example:443",
    "https://dynamodb.example:8443",
    "http://127.0.0.1:8000",
    "http://LocalHost:80",
    "http://[::1]:8000",
]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("token", [None, "a/session+token=="])
@pytest.mark.parametrize("payload", [b"{}", '{"TableName":"Möbel"}'.encode()])
def test_signature_equals_that_of_botocore(
    endpoint: str, token: str | None, payload: bytes
) -> None:
    theirs = AWSRequest(
        "POST",
        f"{endpoint}/",
        data=payload,
        headers={
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.GetItem",
        },
    )
    SigV4Auth(BotocoreCredentials("KEY", "secret", token), "dynamodb", REGION).add_auth(theirs)
    stamp = theirs.headers["X-Amz-Date"]
    credentials = Credentials("KEY", "secret", token)
    ours = signed(credentials, REGION, host_of(endpoint), "GetItem", payload, stamp)
    assert {name: ours[name] for name in theirs.headers} == dict(theirs.headers)
    assert ours.keys() - theirs.headers.keys() <= {"Host"}


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(Credentials("KEY", "secret", "secret too"))


async def test_credentials_come_from_the_environment(
    extenddb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", extenddb.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", extenddb.secret_key)
    engine = DynamoDB(extenddb.region, extenddb.endpoint, "nobody.")
    assert await engine.list_tables() == []
    await engine.close()


async def test_wrong_credentials_are_one_sentence(extenddb: Server, home: Place) -> None:
    wrong = Credentials(extenddb.access_key, "wrong")
    engine = DynamoDB(extenddb.region, extenddb.endpoint, credentials=wrong)
    with pytest.raises(CannotOpen, match="does not accept the AWS credentials"):
        await engine.get(home.key("milk"))
    await engine.close()


@pytest.mark.usefixtures("nobody")
async def test_no_credentials_are_one_sentence(home: Place) -> None:
    engine = DynamoDB(REGION, "http://127.0.0.1:1")
    with pytest.raises(CannotOpen, match="There are no AWS credentials"):
        await engine.get(home.key("milk"))
    await engine.close()


@pytest.mark.usefixtures("nobody")
async def test_unavailable_credentials_are_one_sentence(
    home: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "missing")
    engine = DynamoDB(REGION, "http://127.0.0.1:1")
    with pytest.raises(CannotOpen, match="cannot be used"):
        await engine.get(home.key("milk"))
    await engine.close()


async def test_a_missing_table_names_the_command_that_makes_it(
    dynoxide: Server, home: Place
) -> None:
    credentials = Credentials(dynoxide.access_key, dynoxide.secret_key)
    engine = DynamoDB(dynoxide.region, dynoxide.endpoint, "none.", credentials=credentials)
    with pytest.raises(CannotOpen, match="`homeshelf tables create`"):
        await engine.get(home.key("milk"))
    await engine.close()


async def test_credentials_about_to_expire_are_renewed_while_the_loop_goes_on(
    vending: "Vending",
) -> None:
    vending.sells(lasting=timedelta(seconds=30), taking=0.3)
    source = CredentialSource(None)
    first = await source.current(5)
    waiting = [asyncio.create_task(source.current(5)) for _ in range(3)]
    turns = 0
    while not all(task.done() for task in waiting):
        turns += 1
        await asyncio.sleep(0.01)
    assert turns > 10
    assert len({first, *(task.result() for task in waiting)}) == 2


async def test_good_credentials_serve_while_they_are_renewed(vending: "Vending") -> None:
    vending.sells(lasting=timedelta(minutes=5), taking=0.2)
    source = CredentialSource(None, between=0)
    first = await source.current(5)
    assert await source.current(0) == first
    for _ in range(100):
        await asyncio.sleep(0.02)
        if await source.current(0) != first:
            break
    assert await source.current(0) != first


async def test_credentials_that_take_too_long_are_unavailable_and_come_later(
    vending: "Vending",
) -> None:
    vending.sells(lasting=timedelta(hours=1), taking=0.5)
    source = CredentialSource(None)
    with pytest.raises(Unavailable, match="in time"):
        await source.current(0.1)
    assert (await source.current(5)).token == "t"


async def test_credentials_that_cannot_be_renewed_are_unavailable(vending: "Vending") -> None:
    vending.sells(lasting=timedelta(seconds=30))
    source = CredentialSource(None)
    await source.current(5)
    vending.program.write_text("raise SystemExit(1)")
    with pytest.raises(Unavailable, match="could not be renewed"):
        await source.current(5)


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
numbers = st.integers(-(10**38) + 1, 10**38 - 1)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.just("")
    | texts
    | numbers
    | numbers.map(lambda n: Decimal(n).scaleb(-6, EXACT)),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(texts, values, max_size=4))
def test_item_survives_conversion_to_the_wire_and_back(item: dict[str, Any]) -> None:
    stored = check_item(BOOKS, item)
    assert exactly(from_wire(json.loads(json.dumps(to_wire(stored)))), stored)


@pytest.mark.parametrize(
    "value", [7, -12, Decimal("1.5"), None, True, "e", "é", [1, "é"], {"é": [None, {}]}, 10**40]
)
def test_item_size_limit_is_exact(value: Value) -> None:
    _, size = measure_item({"value": value, "rest": ""})
    check_item(BOOKS, {"value": value, "rest": "x" * (ITEM_BYTES - size)})
    with pytest.raises(ItemTooLarge):
        check_item(BOOKS, {"value": value, "rest": "x" * (ITEM_BYTES - size + 1)})


def test_requests_of_one_shape_share_their_expressions_and_no_value() -> None:
    def request(version: int, now: int) -> dict[str, Any]:
        put = Put(INVENTORY, {"PK": "a", "SK": "b"}, (attr("version") == version) & (attr("n") < 9))
        return write_request("table", put, now)

    one, other = request(1, 5), request(2, 6)
    values = [each.pop("ExpressionAttributeValues").values() for each in (one, other)]
    assert sorted(value["N"] for value in values[0]) == ["1", "5", "9"]
    assert sorted(value["N"] for value in values[1]) == ["2", "6", "9"]
    assert one == other


@pytest.mark.parametrize(
    ("sent", "number"),
    [
        ("7", 7),
        ("-0", 0),
        ("1E+2", 100),
        ("100.00", 100),
        ("1.50", Decimal("1.5")),
        ("-0.000001", Decimal("-0.000001")),
        ("1" * 38, int("1" * 38)),
        ("1" + "0" * 125, 10**125),
        (
            "1234567890123456789.0123456789012345678",
            Decimal("1234567890123456789.0123456789012345678"),
        ),
    ],
)
def test_a_number_in_any_form_is_whole_or_a_decimal(sent: str, number: int | Decimal) -> None:
    found = from_wire({"n": {"N": sent}})["n"]
    assert found == number
    assert type(found) is type(number)


def test_a_long_number_is_sent_in_at_most_38_digits() -> None:
    assert to_wire({"n": 10**125}) == {"n": {"N": "1E+125"}}


@pytest.mark.parametrize("tag", ["B", "SS", "NS", "BS"])
@pytest.mark.parametrize("where", ["0", "z"])
def test_a_value_of_a_type_that_we_never_store_is_not_read(tag: str, where: str) -> None:
    """The value may come before or after the keys, at any depth."""
    for wired in ({tag: "x"}, {"L": [{"M": {"a": {tag: "x"}}}]}):
        key: dict[str, Any] = {"pk": {"N": "7"}, "sk": {"S": "available#01"}}
        item = {where: wired} | key if where == "0" else key | {where: wired}
        with pytest.raises(Unreadable, match=f"type {tag}$") as unreadable:
            read_item(SHORT_ID_POOL, item)
        assert unreadable.value.key.attributes == {"pk": 7, "sk": "available#01"}


class Vending:
    """A program that prints numbered credentials, as a profile may name one."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "vend.py"
        self._count = folder / "count"
        self.config = folder / "config"
        self.config.write_text(f"[default]\ncredential_process = {sys.executable} {self.program}\n")

    def sells(self, *, lasting: timedelta, taking: float = 0.0) -> None:
        self._count.write_text("0")
        expires = (datetime.now(UTC) + lasting).isoformat()
        self.program.write_text(
            "import json, pathlib, time\n"
            f"time.sleep({taking})\n"
            f"count = pathlib.Path({str(self._count)!r})\n"
            "number = int(count.read_text()) + 1\n"
            "count.write_text(str(number))\n"
            "print(json.dumps({'Version': 1, 'AccessKeyId': f'KEY{number}', "
            f"'SecretAccessKey': 's', 'SessionToken': 't', 'Expiration': {expires!r}}}))\n"
        )


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment without credentials, and its configuration folder."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path


@pytest.fixture
def vending(nobody: Path) -> Vending:
    return Vending(nobody)
