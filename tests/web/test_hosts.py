"""The host names that are served."""

import pytest

from homeshelf.config import BadSetting, read_settings
from homeshelf.config.values import networks
from homeshelf.table import Database
from tests.running import RunningApp, problem_of, running_app

HOME = "https://shelf.example:8443"
OURS = [
    "shelf.example",
    "Shelf.Example.",
    "shelf.example:8443",
    "shelf.example:80",
    "localhost",
    "localhost:8000",
    "192.0.2.1",
    "192.0.2.1:8000",
    "[2001:db8::1]",
    "[2001:db8::1]:8000",
    "shelf.local",
    "SHELF:8000",
    "xn--mller-kva.example",
]
OTHERS = [
    "evil.example",
    "evil.example:8443",
    "shelf.example.evil.example",
    "evilshelf.example",
    "example",
    "localhost.evil.example",
    "192.0.2.1.evil.example",
    "127.1",
    "[::1]evil",
    "shelf.example:8443:x",
]
ALSO = ("shelf.local", "shelf", "müller.example")


@pytest.mark.parametrize("host", OURS)
async def test_own_names_and_addresses_are_served(database: Database, host: str) -> None:
    async with running_app(database, public_url=HOME, hosts=ALSO) as running:
        assert await _status(running, "/api/v1/me", host) == 401
        assert await _status(running, "/sign-in", host) == 200


@pytest.mark.parametrize("host", OTHERS)
async def test_foreign_host_name_returns_421(database: Database, host: str) -> None:
    async with running_app(database, public_url=HOME, hosts=ALSO) as running:
        ada = await running.person("ada")
        answer = await ada.get("/me", headers={"Host": host})
        assert problem_of(answer) == (421, "not_found")
        assert ada.email not in answer.text
        written = await ada.patch("/me", {"name": "Eve"}, headers={"Host": host})
        assert written.status_code == 421
        assert (await ada.get("/me", headers={"Host": "localhost"})).json()["name"] == "ada"
        for path in ("/", "/sign-in", "/static/x.js", "/nowhere", "/t/x"):
            page = await ada.client.get(path, headers={"Host": host, "Accept": "text/html"})
            assert page.status_code == 421
            assert f'href="{HOME}/"' in page.text


async def test_health_checks_accept_any_host_name(database: Database) -> None:
    async with running_app(database, public_url=HOME, metrics="anyone") as running:
        for path in ("/healthz", "/readyz", "/metrics"):
            assert await _status(running, path, "evil.example") == 200


async def test_host_name_is_taken_from_a_trusted_proxy(database: Database) -> None:
    async with running_app(
        database, public_url=HOME, trusted_proxies=networks("198.51.100.1")
    ) as running:
        for peer, status in (("198.51.100.1", 401), ("203.0.113.7", 421)):
            headers = {"Host": "backend", "X-Forwarded-Host": "shelf.example"}
            answer = await running.visitor(peer).get("/me", headers=headers)
            assert answer.status_code == status
        headers = {"Host": "shelf.example", "X-Forwarded-Host": "evil.example"}
        answer = await running.visitor("198.51.100.1").get("/me", headers=headers)
        assert answer.status_code == 421


async def test_any_host_name_is_served_without_a_public_url(database: Database) -> None:
    async with running_app(database, hosts=ALSO) as running:
        assert await _status(running, "/sign-in", "evil.example") == 200


def test_hosts_setting_accepts_names_with_commas() -> None:
    read = read_settings({"HOMESHELF_HOSTS": "shelf.local, Shelf , müller.example."})
    assert read.hosts == ("shelf.local", "shelf", "müller.example")
    assert read_settings({}).hosts == ()


@pytest.mark.parametrize("text", ["https://shelf.local", "shelf.local:80", "a,,b", "a b", "*.a"])
def test_invalid_host_name_in_the_setting_is_one_sentence(text: str) -> None:
    with pytest.raises(BadSetting, match=r"^HOMESHELF_HOSTS must be `none`, or names"):
        read_settings({"HOMESHELF_HOSTS": text})


async def _status(running: RunningApp, path: str, host: str) -> int:
    answer = await running.visitor().client.get(path, headers={"Host": host})
    return answer.status_code
