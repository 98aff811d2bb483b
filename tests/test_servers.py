"""Test the servers that other tests rely on."""

import json
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.servers import Server

TEST_RUN = """
from tests import servers
with servers.{name}() as server:
    print(server.endpoint, flush=True)
    input()
"""


@pytest.fixture(params=["dynoxide", "extenddb"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


async def test_each_server_lists_its_tables_to_a_signed_call(server: Server) -> None:
    status, answer = await call(server, "ListTables", {})
    assert status == 200, answer
    assert isinstance(answer["TableNames"], list)


async def test_extenddb_refuses_a_wrong_signature(extenddb: Server) -> None:
    status, answer = await call(replace(extenddb, secret_key="wrong"), "ListTables", {})
    assert status == 400
    assert answer["__type"].endswith("#InvalidSignatureException")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
@pytest.mark.parametrize("name", ["dynoxide", "extenddb"])
def test_server_ends_with_a_killed_test_run(name: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TEST_RUN.format(name=name)],
        cwd=Path(__file__).parents[1],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as run:
        assert run.stdout
        port = int(run.stdout.readline().rpartition(":")[2])
        assert is_listening(port)
        run.kill()
    deadline = time.monotonic() + 5
    while is_listening(port):
        assert time.monotonic() < deadline, f"{name} outlived its test run"


async def call(server: Server, operation: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    url = f"{server.endpoint}/"
    request = AWSRequest(
        "POST",
        url,
        data=json.dumps(body),
        headers={
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        },
    )
    credentials = Credentials(server.access_key, server.secret_key)
    SigV4Auth(credentials, "dynamodb", server.region).add_auth(request)
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=request.data, headers=dict(request.headers)) as answer,
    ):
        return answer.status, await answer.json(content_type=None)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
