"""During an attack other clients are answered, and memory stays bounded."""

import os
import resource
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from homeshelf.serving.machine import MAX_CONNECTIONS
from tests.network import make_certificate
from tests.processes import USUAL_FILES, Served, served, served_with_files

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
PROBE_ADDRESS = "127.0.0.250"
GROWTH_MB, LEFT_MB = 60, 30
ANSWERED_WITHIN = 2.0
PROBE_INTERVAL = 0.02
"""The pause between two probes, which leaves CPU time to the attacker."""
ATTACKS = {
    "silent": 2000,
    "dripping": 2000,
    "idle": 2000,
    "requests": 1000,
    "bodies": 300,
    "bodies of a member": 300,
    "small_bodies": 1000,
    "bomb": 300,
    "headers": 2000,
}
SHORT_ATTACKS = {
    "silent": 1200,
    "requests": 500,
    "bodies": 150,
    "bodies of a member": 150,
    "small_bodies": 500,
    "bomb": 150,
}
SHORT_SECONDS = 1.5
"""The duration of a short attack, long enough to open its connections and send its data."""
MORE_THAN_A_DEADLINE = 12.0
HEAD_SECONDS, BODY_SECONDS = 15.0, 35.0
"""The waits after a head and a body, longer than their deadlines of ten and thirty seconds."""
PASSWORD = "correct horse battery"
IDLE_CONNECTIONS = 10_000
FILES_FOR_ALL = 12_000
OTHER_FILES = 100
IDLE_ATTACK_SECONDS = 120.0
MAX_KB_PER_CONNECTION = 8
"""The most memory for each connection that stays open."""


@LINUX
@pytest.mark.parametrize("attack", SHORT_ATTACKS)
def test_short_attack_stops_no_other_client(tmp_path: Path, attack: str) -> None:
    """The limit of open files is that of a common system."""
    with served_with_files(tmp_path, USUAL_FILES, USUAL_FILES) as homeshelf:
        _require_service_during(homeshelf, attack, SHORT_ATTACKS[attack], 1, SHORT_SECONDS)


@LINUX
@pytest.mark.parametrize("attack", ["silent", "dripping"])
def test_short_attack_on_handshakes_stops_no_other_client(tmp_path: Path, attack: str) -> None:
    certificate, key = make_certificate(tmp_path)
    trust = ssl.create_default_context(cafile=certificate)
    options = ("--certificate", str(certificate), "--key", str(key))
    with (
        served(tmp_path, *options) as homeshelf,
        _attacker(homeshelf, attack, 1000, 1, SHORT_SECONDS) as attacker,
    ):
        while attacker.poll() is None:
            assert _probe(homeshelf.url, trust) < ANSWERED_WITHIN
            time.sleep(PROBE_INTERVAL)


@LINUX
@pytest.mark.torture
@pytest.mark.parametrize("addresses", [1, 50])
@pytest.mark.parametrize("attack", ATTACKS)
def test_long_attack_stops_no_other_client(tmp_path: Path, attack: str, addresses: int) -> None:
    """The attack lasts longer than the deadlines."""
    seconds = BODY_SECONDS if "bodies" in attack else HEAD_SECONDS
    with served_with_files(tmp_path, USUAL_FILES) as homeshelf:
        _require_service_during(homeshelf, attack, ATTACKS[attack], addresses, seconds)


@LINUX
@pytest.mark.torture
def test_ten_thousand_idle_connections_delay_no_other_client(tmp_path: Path) -> None:
    """The server keeps as many as it has room for, and a new one replaces the longest idle."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < FILES_FOR_ALL:
        pytest.skip(f"no more than {most} files may be open here")
    with served_with_files(tmp_path, FILES_FOR_ALL) as homeshelf:
        before = _memory(homeshelf)
        with _attacker(
            homeshelf, "idle", IDLE_CONNECTIONS, 500, IDLE_ATTACK_SECONDS, once=True
        ) as attacker:
            assert attacker.stdout
            assert attacker.stdout.readline() == "all have come\n"
            assert max(_probe(homeshelf.url) for _ in range(100)) < ANSWERED_WITHIN
            assert 0.9 * MAX_CONNECTIONS < _files(homeshelf) < MAX_CONNECTIONS + OTHER_FILES
            assert _memory(homeshelf) - before < MAX_CONNECTIONS * MAX_KB_PER_CONNECTION / 1024
        assert _eventually_below(homeshelf, before + LEFT_MB)
        assert '"level":"error"' not in homeshelf.log.read_text()


@LINUX
def test_server_works_with_few_open_files(tmp_path: Path) -> None:
    """At a limit of 256 files, 600 silent connections take none from the database."""
    with (
        served_with_files(tmp_path, 128, 256) as homeshelf,
        _attacker(homeshelf, "silent", 600, 50, 2 * SHORT_SECONDS) as attacker,
    ):
        while attacker.poll() is None:
            assert _probe(homeshelf.url) < ANSWERED_WITHIN
            for more_tries in (True, True, False):
                try:
                    _sign_up(homeshelf.url, f"{time.monotonic_ns()}@home.local")
                    break
                except httpx.RemoteProtocolError:
                    assert more_tries  # the client may be too slow
            time.sleep(0.2)  # stays below the limit of sign-ups per address and hour
        assert "cannot_accept" not in homeshelf.log.read_text()


@LINUX
def test_server_raises_its_limit_of_open_files(tmp_path: Path) -> None:
    with served_with_files(tmp_path, 150, 300) as homeshelf:
        limits = Path(f"/proc/{homeshelf.process.pid}/limits").read_text()
    (files,) = (line.split() for line in limits.splitlines() if line.startswith("Max open files"))
    assert files[3:5] == ["300", "300"]


def _require_service_during(
    homeshelf: Served, attack: str, connections: int, addresses: int, seconds: float
) -> None:
    token = _token(homeshelf.url) if attack.endswith("of a member") else ""
    _probe(homeshelf.url)
    before = most = _memory(homeshelf)
    kind = attack.partition(" ")[0]
    with _attacker(homeshelf, kind, connections, addresses, seconds, token) as attacker:
        asked = 0
        while attacker.poll() is None:
            assert _probe(homeshelf.url) < ANSWERED_WITHIN
            most = max(most, _memory(homeshelf))
            asked += 1
            time.sleep(PROBE_INTERVAL)
        opened = int(attacker.communicate()[0])
    assert asked > seconds
    assert opened >= connections
    assert most - before < GROWTH_MB
    assert _eventually_below(homeshelf, before + LEFT_MB)
    assert '"level":"error"' not in homeshelf.log.read_text()


@contextmanager
def _attacker(
    homeshelf: Served,
    kind: str,
    connections: int,
    addresses: int,
    seconds: float,
    token: str = "",
    *,
    once: bool = False,
) -> "Iterator[subprocess.Popen[str]]":
    command = [sys.executable, "-m", "tests.serving.attacker", kind]
    command += [str(urlsplit(homeshelf.url).port), "--connections", str(connections)]
    command += ["--addresses", str(addresses), "--seconds", str(seconds), "--token", token]
    command += ["--once"] if once else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        try:
            yield attacker
        finally:
            attacker.kill()


def _probe(url: str, trust: ssl.SSLContext | None = None) -> float:
    """Return the seconds until a new client at another address gets a response."""
    at = urlsplit(url)
    began = time.monotonic()
    where, here = (at.hostname, at.port), (PROBE_ADDRESS, 0)
    with ExitStack() as stack:
        client = stack.enter_context(socket.create_connection(where, 10, source_address=here))
        if trust is not None:
            client = stack.enter_context(trust.wrap_socket(client, server_hostname=at.hostname))
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200")
    return time.monotonic() - began


def _token(url: str) -> str:
    email = "ada@home.local"
    _sign_up(url, email)
    known = {"email": email, "password": PASSWORD}
    token: str = httpx.post(f"{url}/api/v1/tokens", json=known).json()["accessToken"]
    return token


def _sign_up(url: str, email: str) -> None:
    new = {"email": email, "password": PASSWORD, "name": "Ada"}
    assert (
        httpx.post(f"{url}/api/v1/accounts", json=new, timeout=ANSWERED_WITHIN).status_code == 201
    )


def _memory(homeshelf: Served) -> float:
    """Return the proportional memory (PSS) of the server in MB."""
    lines = Path(f"/proc/{homeshelf.process.pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _files(homeshelf: Served) -> int:
    """Return the number of open files, which include connections."""
    return len(os.listdir(f"/proc/{homeshelf.process.pid}/fd"))  # noqa: PTH208  # there are many


def _eventually_below(homeshelf: Served, most: float) -> bool:
    deadline = time.monotonic() + MORE_THAN_A_DEADLINE
    while _memory(homeshelf) > most:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True
