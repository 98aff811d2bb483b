"""Forwarding headers, and reports about untrusted proxies."""

from pathlib import Path

import httpx
import pytest
from fastapi import Request
from structlog.testing import capture_logs

from homeshelf.config.values import networks
from homeshelf.table import Database
from homeshelf.web.forwarding import Forwarding, UnnamedProxy, proxy_finding
from homeshelf.web.limits import address_of
from tests.databases import Opener
from tests.forked_processes import run, served
from tests.moment import Moment
from tests.running import SETTINGS, RunningApp, running_app

NAMED = networks("198.51.100.1, ::ffff:198.51.100.2")
FORWARDED = {"X-Forwarded-For": "192.0.2.1"}
ADVICE = "name it in HOMESHELF_TRUSTED_PROXIES"


@pytest.mark.parametrize(
    ("peer", "forwarded", "believed"),
    [
        ("::ffff:198.51.100.1", "192.0.2.1", "192.0.2.1"),
        ("198.51.100.2", "192.0.2.1", "192.0.2.1"),
        ("198.51.100.1", "192.0.2.1:5678", "192.0.2.1"),
        ("198.51.100.1", "[2001:db8::1]:5678", "2001:db8::/64"),
        ("198.51.100.1", "::ffff:192.0.2.1", "192.0.2.1"),
        ("198.51.100.1", "6.6.6.6, 192.0.2.1:99, 198.51.100.2:443", "192.0.2.1"),
        ("198.51.100.1", "192.0.2.1, ::ffff:198.51.100.1", "192.0.2.1"),
        ("::ffff:203.0.113.7", "192.0.2.1", "203.0.113.7"),
    ],
)
async def test_spellings_of_a_forwarded_address_are_equal(
    database: Database, peer: str, forwarded: str, believed: str
) -> None:
    async with running_app(database, trusted_proxies=NAMED) as running:

        @running.app.get("/api/v1/where")
        async def where(request: Request) -> str:
            return address_of(request)

        headers = {"X-Forwarded-For": forwarded}
        answer = await running.visitor(peer).client.get("/api/v1/where", headers=headers)
        assert answer.json() == believed


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "x-forwarded-for"]
)
async def test_untrusted_proxy_is_logged_once(database: Database, header: str) -> None:
    with capture_logs() as logged:
        async with running_app(database, trusted_proxies=NAMED) as running:
            await running.visitor("198.51.100.1").client.get("/healthz", headers={header: "x"})
            await running.visitor("10.0.0.9").client.get("/healthz")
            assert await _remembered(running) is None
            for peer in ("::ffff:10.0.0.9", "10.0.0.9", "10.0.0.10"):
                await running.visitor(peer).client.get("/healthz", headers={header: "x"})
            await _eventually_remembered(running, "10.0.0.9")
    said = [line for line in logged if line["event"] == "forwarding_headers_ignored"]
    assert [(line["address"], line["log_level"]) for line in said] == [("10.0.0.9", "warning")]


async def test_untrusted_proxy_is_recorded_once(open_another: Opener, moment: Moment) -> None:
    for peer in ("10.0.0.9", "10.0.0.10"):
        async with running_app(open_another()) as running:
            await running.visitor(peer).client.get("/healthz", headers=FORWARDED)
            await _eventually_remembered(running, "10.0.0.9")
    moment.pass_by(8 * 24 * 3600)
    async with running_app(open_another()) as running:
        assert await _remembered(running) is None


@pytest.mark.parametrize(
    ("seen", "is_ok"), [("10.0.0.9", False), ("127.0.0.1", False), ("8.8.8.8", True)]
)
async def test_doctor_reports_an_untrusted_proxy(
    database: Database, seen: str, is_ok: bool
) -> None:
    """Headers from a public address are not reported as wrong, because any client can send them."""
    await database.put(UnnamedProxy(address=seen, ttl=2**40))
    text, found = await proxy_finding(database, SETTINGS)
    assert (seen in text, ADVICE in text, found) == (True, True, is_ok)
    named = SETTINGS.__class__(**{**vars(SETTINGS), "trusted_proxies": networks(seen)})
    text, found = await proxy_finding(database, named)
    assert (ADVICE in text, found) == (False, True)


def test_doctor_reports_a_proxy_that_a_running_server_met(tmp_path: Path) -> None:
    assert "ok    proxy" not in run(tmp_path, "doctor").stdout  # there is no database yet
    with served(tmp_path) as homeshelf:
        assert (
            "ok    proxy: forwarding headers count from nobody." in run(tmp_path, "doctor").stdout
        )
        for _ in range(3):
            httpx.get(f"{homeshelf.url}/readyz", headers=FORWARDED)
    assert homeshelf.log.read_text().count("forwarding_headers_ignored") == 1
    done = run(tmp_path, "doctor")
    assert "WRONG proxy: forwarding headers came from 127.0.0.1 and were ignored" in done.stdout
    assert done.returncode == 1
    assert run(tmp_path, "doctor", HOMESHELF_TRUSTED_PROXIES="127.0.0.1").returncode == 0


async def test_local_metrics_are_refused_through_an_untrusted_proxy(
    database: Database,
) -> None:
    async with running_app(database, metrics="local") as running:
        for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
            client = running.visitor(peer).client
            assert (await client.get("/metrics")).status_code == 200
            assert (await client.get("/metrics", headers=FORWARDED)).status_code == 404


async def _remembered(running: RunningApp) -> str | None:
    found = await running.db.get(UnnamedProxy.key())
    return None if found is None else found.address


async def _eventually_remembered(running: RunningApp, address: str) -> None:
    layers = [layer.kwargs for layer in running.app.user_middleware]
    forwarding = next(layer["forwarding"] for layer in layers if "forwarding" in layer)
    assert isinstance(forwarding, Forwarding)
    assert forwarding._telling is not None
    await forwarding._telling
    assert await _remembered(running) == address
