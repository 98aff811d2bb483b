"""Test that links in mail lead to the configured URL, whatever host the request names."""

import pytest

from homeshelf.config.values import networks
from homeshelf.table import Database
from tests.outbox.post_office import HOME, PostOffice, outbox
from tests.running import PASSWORD, RunningApp, problem_of, running_app

EVIL = "evil.example"
PROXY = "198.51.100.1"
FORGED = (
    {"X-Forwarded-Host": EVIL},
    {"X-Forwarded-Host": f"{EVIL}, shelf.example", "X-Forwarded-Proto": "http"},
    {"Forwarded": f"host={EVIL};proto=http"},
    {"X-Host": EVIL, "X-Original-Host": EVIL, "X-HTTP-Host-Override": EVIL},
    {"X-Original-URL": f"https://{EVIL}/", "X-Rewrite-URL": f"https://{EVIL}/"},
    {"Referer": f"https://{EVIL}/", "Origin": f"https://{EVIL}"},
)


@pytest.mark.parametrize("headers", FORGED, ids=lambda it: next(iter(it)))
async def test_link_uses_the_public_url_for_any_host_header(
    running: RunningApp, office: PostOffice, headers: dict[str, str]
) -> None:
    visitor = running.visitor()
    ada = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}
    assert (await visitor.post("/accounts", ada, headers=headers)).status_code == 201
    assert (await office.mail()).link.startswith(f"{HOME}/verify/")
    forgotten = await visitor.post("/passwords/forgotten", {"email": ada["email"]}, headers=headers)
    assert forgotten.status_code == 202
    mail = await office.mail(2)
    assert mail.link.startswith(f"{HOME}/reset/")
    assert EVIL not in mail.content.decode("latin-1")


async def test_request_with_another_host_sends_nothing(
    running: RunningApp, office: PostOffice
) -> None:
    ada = await running.person("ada", verified=True)
    for host in (EVIL, f"{EVIL}:80", f"home.test.{EVIL}"):
        answer = await running.visitor().post(
            "/passwords/forgotten", {"email": ada.email}, headers={"Host": host}
        )
        assert problem_of(answer) == (421, "not_found")
    assert await outbox(running.db) == []
    assert office.mails == []


async def test_link_ignores_the_forwarded_host(database: Database, office: PostOffice) -> None:
    settings = office.settings | {"trusted_proxies": networks(PROXY), "hosts": ("other.home",)}
    async with running_app(database, **settings) as running:
        ada = await running.person("ada", verified=True)
        by_proxy = running.visitor(PROXY)
        headers = {"X-Forwarded-Host": "other.home", "X-Forwarded-Proto": "http"}
        sent = {"email": ada.email}
        answer = await by_proxy.post("/passwords/forgotten", sent, headers=headers)
        assert answer.status_code == 202
        assert (await office.mail()).link.startswith(f"{HOME}/reset/")


async def test_no_mail_is_sent_without_a_public_url(database: Database, office: PostOffice) -> None:
    settings = office.settings | {"public_url": None}
    async with running_app(database, **settings) as running:
        ada = await running.person("ada", verified=True)
        await running.visitor().post(
            "/passwords/forgotten", {"email": ada.email}, headers={"Host": EVIL}
        )
        assert await outbox(running.db) == []
        assert office.mails == []
