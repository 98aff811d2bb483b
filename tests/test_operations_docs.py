"""Test the files and commands of the deployment documentation."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import botocore.session
import httpx
import pytest

from homeshelf import logs
from homeshelf.config import read_settings
from homeshelf.outbox.model import MAIL
from homeshelf.table import TABLES
from homeshelf.table.operations import Check, Delete, Put, Update
from tests.live.hubs import wait_until
from tests.processes import Served, environment, served

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "deployment.md").read_text()
BLOCKS: list[str] = re.findall(r"^```\w+\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
WRITTEN = "\n".join(path.read_text() for path in (ROOT / "homeshelf").rglob("*.py"))
CODE = WRITTEN.replace('f"{self._channel.name}_', f'"{MAIL}_')
ADA = {"email": "ada@home.local", "password": "correct horse battery"}


def block(beginning: str) -> str:
    (found,) = (text for text in BLOCKS if text.startswith(beginning))
    return found


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_documented_settings_exist() -> None:
    lines = block("HOMESHELF_DATA_DIR").splitlines()
    settings = read_settings(dict(line.split("=", 1) for line in lines))
    assert str(settings.data_dir) == "/var/lib/homeshelf"


def test_documented_command_uses_the_settings_of_the_service(tmp_path: Path) -> None:
    command = tmp_path / "homeshelf"
    command.write_text(here(block("#!/bin/sh"), tmp_path))
    command.chmod(0o755)
    (tmp_path / "homeshelf.env").write_text(
        f"HOMESHELF_DATA_DIR={tmp_path}/lib\nHOMESHELF_SECRET='A & B, and 32 characters or more'\n"
    )
    done = subprocess.run([command, "doctor"], env=environment({}), capture_output=True, check=True)
    assert f"{tmp_path}/lib can be written" in done.stdout.decode()


def test_documented_backup_restores_everything_except_sessions(tmp_path: Path) -> None:
    data = {"HOMESHELF_DATA_DIR": f"{tmp_path}/lib", "HOMESHELF_SECRET": ""}
    with served(tmp_path, **data) as homeshelf:
        assert httpx.post(f"{homeshelf.url}/api/v1/accounts", json=ADA | {"name": "Ada"}).is_success
        token = httpx.post(f"{homeshelf.url}/api/v1/tokens", json=ADA).json()["accessToken"]
        assert "was read back" in shell(block("sudo install -d"), tmp_path, **data)
    for file in (tmp_path / "lib").iterdir():
        file.write_text("lost")
    (backup,) = (tmp_path / "backups").iterdir()
    shell(block("sudo systemctl stop").replace("NAME", backup.name), tmp_path, **data)
    with served(tmp_path, **data) as homeshelf:
        bearer = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{homeshelf.url}/api/v1/me", headers=bearer).status_code == 401
        assert httpx.post(f"{homeshelf.url}/api/v1/tokens", json=ADA).is_success


@pytest.fixture(scope="module")
def homeshelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served"), HOMESHELF_METRICS="local") as homeshelf:
        yield homeshelf


async def test_log_line_looks_like_the_documented_one(homeshelf: Served) -> None:
    async with httpx.AsyncClient(base_url=homeshelf.url) as stranger:
        answer = await stranger.get("/join/secret")
    await wait_until(lambda: '"/join/{token}"' in homeshelf.log.read_text(), within=20)
    lines = [json.loads(line) for line in homeshelf.log.read_text().splitlines()]
    (line,) = (each for each in lines if each["route"] == "/join/{token}")
    assert list(line) == list(json.loads(block("{")))
    assert line["event"] == "request"
    assert line["request_id"] == answer.headers["X-Request-Id"]


def test_documented_log_events_equal_the_code() -> None:
    rows = re.findall(r"^\| (`.+) \| (.+) \|$", section("The log"), re.MULTILINE)[1:]
    assert re.findall(r"`(\w+)`", "".join(level for level, _ in rows)) == list(logs.LEVELS)
    written = {(name, level) for level, name in re.findall(r'\.(\w+)\(\s*"(\w+)"', CODE)}
    named = [
        (event, re.findall(r"`(\w+)`", level)[0])
        for level, what in rows
        for event in re.findall(r"`(\w+)`", what)
    ]
    assert named
    assert [each for each in named if each not in written] == []


def test_documented_health_checks_respond_as_described(homeshelf: Served) -> None:
    watched = section("What to watch")
    for path, said in re.findall(r"^\| `(/\w+)` \| 200 and `(.+?)`", watched, re.MULTILINE):
        answer = httpx.get(f"{homeshelf.url}{path}")
        assert (answer.status_code, answer.text) == (200, said)
    numbers = httpx.get(f"{homeshelf.url}/metrics").text
    names = re.findall(r"^# TYPE (homeshelf_\w+) (?:counter|histogram)", numbers, re.MULTILINE)
    assert re.findall(r"^\| `(homeshelf_\w+)`", watched, re.MULTILINE) == names
    passed_on = {"X-Forwarded-For": "10.0.0.1"}
    assert httpx.get(f"{homeshelf.url}/metrics", headers=passed_on).status_code == 404


def test_documented_dynamodb_rights_equal_the_calls() -> None:
    known = botocore.session.get_session().get_service_model("dynamodb").operation_names
    made = {name for name in known if f'"{name}"' in CODE} - {"TransactWriteItems"}
    writes = {f"{each.verb}Item" for each in (Put, Update, Delete, Check)}
    named = re.findall(r"`([A-Z][a-z]+[A-Za-z]+)`", section("On DynamoDB"))
    assert sorted(named) == sorted(made | writes)
    assert len(TABLES) == 5
    assert "the five tables" in PAGE


def shell(commands: str, folder: Path, **settings: str) -> str:
    command = ["/bin/sh", "-ec", here(commands, folder)]
    done = subprocess.run(command, env=environment(settings), capture_output=True, check=True)
    return done.stdout.decode()


def here(text: str, folder: Path) -> str:
    text = re.sub(
        r"sudo (-u homeshelf )?|runuser -u homeshelf -- |-o homeshelf -g homeshelf ", "", text
    )
    text = re.sub(r"^systemctl .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("/opt/homeshelf/.venv/bin/homeshelf", f"{sys.executable} -m homeshelf")
    text = re.sub(r"^homeshelf ", f"{sys.executable} -m homeshelf ", text, flags=re.MULTILINE)
    text = text.replace("/opt/homeshelf/.venv/bin/python", sys.executable)
    for outside in ("/var/lib/homeshelf", "/var/backups/homeshelf", "/etc/homeshelf.env"):
        text = text.replace(outside, str(folder / outside.split("/")[2]))
    return text
