"""Test killed processes, and two processes that share a database."""

import asyncio
import signal
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from homeshelf import clock
from homeshelf.config.addresses import database as database_at
from homeshelf.table import Database, open_database
from tests.databases import ENGINES
from tests.forked_processes import run, served
from tests.moment import Moment
from tests.outbox.post_office import PostOffice, outbox, wait_until_outbox_is_empty
from tests.processes import Served, on_dynamodb
from tests.processes import served as served_anew
from tests.running import PASSWORD, running_app

ADA = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}


@pytest.fixture(params=ENGINES)
def database_variables(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    if request.param == "sqlite":
        return {"HOMESHELF_DATABASE": f"sqlite:///{tmp_path}/homeshelf.db"}
    variables = on_dynamodb(request.getfixturevalue("dynoxide"), f"{clock.new_id()}.")
    assert run(tmp_path, "tables", "create", **variables).returncode == 0
    return variables


def sign_up(homeshelf: Served, name: str = "ada") -> None:
    asked = ADA | {"email": f"{name}@home.local"}
    assert httpx.post(f"{homeshelf.url}/api/v1/accounts", json=asked).status_code == 201


async def test_process_killed_before_sending_leads_to_one_mail(
    tmp_path: Path, closed_mail_server: PostOffice, database_variables: Mapping[str, str]
) -> None:
    with served(tmp_path, **closed_mail_server.variables, **database_variables) as homeshelf:
        sign_up(homeshelf)
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()
    closed_mail_server.open()
    with served(tmp_path, **closed_mail_server.variables, **database_variables) as homeshelf:
        await closed_mail_server.mail(
            within=40
        )  # the lease of the one that was killed may have to end
        await asyncio.sleep(1.5)
    (mail,) = closed_mail_server.mails
    assert mail.to == ["ada@home.local"]


async def test_process_killed_while_sending_leads_to_one_mail(
    tmp_path: Path,
    office: PostOffice,
    database_variables: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    office.order(silent=True)
    with served(tmp_path, **office.variables, **database_variables) as homeshelf:
        sign_up(homeshelf)
        await office.mail()
        homeshelf.tell_to_stop(signal.SIGKILL)
        homeshelf.exit_code()
    office.order()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, database_variables.get(name, ""))
    db = open_database(database_at(database_variables["HOMESHELF_DATABASE"]))
    try:
        await check_after_an_hour(db, office, monkeypatch)
    finally:
        await db.close()
    assert len(office.mails) == 1


async def check_after_an_hour(
    db: Database, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    (letter,) = await outbox(db)
    assert letter.handed_over
    moment = Moment(clock.timestamp())
    moment.pass_by(3600)
    monkeypatch.setattr(clock, "nanoseconds", moment.nanoseconds)
    async with running_app(db, **office.settings):
        await wait_until_outbox_is_empty(db)


@pytest.mark.torture
@pytest.mark.timeout(300)
async def test_process_killed_at_any_time_leads_to_one_mail_each(
    tmp_path: Path, office: PostOffice, database_variables: Mapping[str, str]
) -> None:
    people = [f"person{number}" for number in range(20)]
    for number, name in enumerate(people):
        with served(tmp_path, **office.variables, **database_variables) as homeshelf:
            sign_up(homeshelf, name)
            await asyncio.sleep(0.1 * number)
            homeshelf.tell_to_stop(signal.SIGKILL)
            homeshelf.exit_code()
    with served(tmp_path, **office.variables, **database_variables):
        await office.mail(len(people), within=40)
        await asyncio.sleep(1.5)
    sent = [mail.to[0] for mail in office.mails]
    assert sorted(sent) == sorted(f"{name}@home.local" for name in people)


async def test_two_processes_send_one_mail_each_time(
    tmp_path: Path, office: PostOffice, database_variables: Mapping[str, str]
) -> None:
    with served_anew(
        tmp_path, "--workers", "2", **office.variables, **database_variables
    ) as homeshelf:
        for number in range(5):
            sign_up(homeshelf, f"person{number}")
        await office.mail(5, within=40)
        await asyncio.sleep(2.5)
        assert len(office.mails) == 5
    assert '"letter_failed"' not in homeshelf.log.read_text()
