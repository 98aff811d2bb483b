"""Test starting and stopping `homeshelf serve`."""

import json
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from homeshelf import clock
from tests.forked_processes import run
from tests.forked_processes import served as served_loaded
from tests.network import make_certificate
from tests.processes import Served, free_port, kept_waiting, on_dynamodb, served
from tests.servers import Server

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares ports and has /proc")
PASSWORD = "correct horse battery"
QUICK_SECONDS = 5
"""The limit on the time of a start."""
ADA = {"email": "ada@home.local", "password": PASSWORD, "name": "Ada"}


def test_greeting_is_printed_once_the_server_responds(tmp_path: Path) -> None:
    with served(tmp_path) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/readyz").status_code == 200
        assert homeshelf.greeting == f"Homeshelf is at {homeshelf.url} - open it and sign up"
    assert homeshelf.log.read_text().count("\n") == 1  # that request, and nothing else


def test_greeting_names_the_public_url_and_the_address_it_listens_on(tmp_path: Path) -> None:
    public = "https://shelf.example"
    with served_loaded(tmp_path, HOMESHELF_PUBLIC_URL=public) as homeshelf:
        assert homeshelf.greeting == (
            f"Homeshelf is at {public}, and listens at {homeshelf.url} - open it and sign up"
        )


def test_greeting_names_both_addresses_on_a_network(tmp_path: Path) -> None:
    everywhere = "0.0.0.0"  # noqa: S104  # which is what is tested
    with served_loaded(tmp_path, "--host", everywhere, HOMESHELF_SIGNUP="invited") as homeshelf:
        assert f"Homeshelf is at {homeshelf.url}" in homeshelf.greeting
        assert homeshelf.greeting.endswith(" - open it and sign in, or follow your invitation")


def test_second_start_finds_the_data_and_is_fast(tmp_path: Path) -> None:
    with served_loaded(tmp_path) as homeshelf:
        assert httpx.post(f"{homeshelf.url}/api/v1/accounts", json=ADA).status_code == 201
    took = [_second_start(tmp_path)]
    while took[-1] >= QUICK_SECONDS and len(took) < 3:  # a busy machine is not quick each time
        took.append(_second_start(tmp_path))
    assert min(took) < QUICK_SECONDS


@LINUX
def test_idle_server_uses_little_memory(tmp_path: Path) -> None:
    with served(tmp_path) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/readyz").status_code == 200
        assert _children(homeshelf.process.pid) == []
        rollup = Path(f"/proc/{homeshelf.process.pid}/smaps_rollup").read_text()
        (pss,) = (line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:"))
    assert int(pss) < 80 * 1024


@pytest.mark.parametrize(
    ("number", "workers"), [(signal.SIGTERM, "1"), pytest.param(signal.SIGINT, "2", marks=LINUX)]
)
def test_stop_finishes_running_requests(
    tmp_path: Path, number: signal.Signals, workers: str
) -> None:
    body = json.dumps(ADA).encode()
    with (
        _served_by(workers, tmp_path) as homeshelf,
        _connected(homeshelf.url) as connection,
    ):
        connection.sendall(
            b"POST /api/v1/accounts HTTP/1.1\r\nHost: home.test\r\nContent-Type: application/json"
            b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:10]
        )
        time.sleep(0.3)
        homeshelf.tell_to_stop(number)
        time.sleep(0.3)
        connection.sendall(body[10:])
        assert connection.recv(100).startswith(b"HTTP/1.1 201")
        assert homeshelf.exit_code() == 0


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=LINUX)])
def test_stop_closes_streams_and_idle_connections_at_once(tmp_path: Path, workers: str) -> None:
    with (
        _served_by(workers, tmp_path) as homeshelf,
        httpx.Client(base_url=homeshelf.url) as client,
    ):
        _found_family(client)
        with client.stream("GET", "/api/v1/events", timeout=10) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith(":")
            told = time.monotonic()
            homeshelf.tell_to_stop()
            assert list(lines) == [""]
            assert homeshelf.exit_code() == 0
            assert time.monotonic() - told < 3


@LINUX
def test_worker_that_fails_repeatedly_stops_the_server(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", "2") as homeshelf:
        watching = homeshelf.process.pid
        _, other = _children(watching)

        def is_over_after_another_death() -> bool:
            for child in _children(watching):
                if child != other:
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
            return not _is_alive(watching)

        _eventually(is_over_after_another_death, within=30)
        assert homeshelf.exit_code() == 1
        assert not Path(f"/proc/{other}").exists()
    lines = [json.loads(line) for line in homeshelf.log.read_text().splitlines()]
    assert [line["event"] for line in lines[-4:]] == ["worker_died"] * 3 + ["workers_keep_dying"]
    assert {line["signal"] for line in lines[-4:-1]} == {"SIGKILL"}


@LINUX
def test_workers_end_with_their_supervisor(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", "2") as homeshelf:
        children = _children(homeshelf.process.pid)
        assert len(children) == 2
        homeshelf.process.kill()
        _eventually(lambda: not any(_is_alive(child) for child in children))


NO_CERTIFICATE = (
    "letter.txt and letter.txt must be a certificate and its key, both as PEM and the key "
    "without a password."
)
NOT_WRITABLE = (
    "The database letter.txt/below/homeshelf.db cannot be written; "
    "check the folder and who owns it."
)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("HOMESHELF_SIGNUP=nobody", "HOMESHELF_SIGNUP must be one of open, invited, closed."),
        (
            "HOMESHELF_DATABASE=sqlite:///letter.txt",
            "letter.txt is not a Homeshelf database; nothing in it was changed.",
        ),
        ("HOMESHELF_DATA_DIR=letter.txt/below", NOT_WRITABLE),
        ("--certificate letter.txt", "HTTPS needs both --certificate and --key."),
        (
            "--certificate letter.txt --key none.pem",
            "none.pem cannot be read: No such file or directory.",
        ),
        ("--certificate letter.txt --key letter.txt", NO_CERTIFICATE),
        (
            "--host no.such.host.invalid",
            "There is no address called no.such.host.invalid; try --host 127.0.0.1.",
        ),
        (
            "--host 192.0.2.1",
            "This machine has no address 192.0.2.1; try --host 127.0.0.1 or 0.0.0.0.",
        ),
    ],
)
def test_start_error_is_one_sentence(tmp_path: Path, asked: str, sentence: str) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, this is no database, nor a certificate.")
    name, equals, value = asked.partition("=")
    options, settings = ([], {name: value}) if equals else (asked.split(), {})
    done = run(tmp_path, "serve", "--port", str(free_port()), *options, **settings)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")


def test_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with served_loaded(tmp_path) as homeshelf:
        port = urlsplit(homeshelf.url).port
        done = run(tmp_path, "serve", "--port", str(port))
    sentence = f"Port {port} is in use by another program; choose one with --port.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_missing_tables_error_names_the_command(tmp_path: Path, dynoxide: Server) -> None:
    settings = on_dynamodb(dynoxide, f"{clock.new_id()}.")
    done = run(tmp_path, "serve", "--port", str(free_port()), **settings)
    sentence = "The database lacks all its tables: run `homeshelf tables create` first.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
    assert run(tmp_path, "tables", "create", **settings).returncode == 0
    with served_loaded(tmp_path, **settings) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/readyz").status_code == 200


def test_missing_database_is_one_sentence(tmp_path: Path) -> None:
    away = Server(f"http://127.0.0.1:{free_port()}", "eu-central-1", "key", "secret")
    done = run(tmp_path, "serve", "--port", str(free_port()), **on_dynamodb(away, ""))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"The database at {away.endpoint} cannot be reached; try again later.\n")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.*deprecated")
def test_https_uses_new_tls_versions_and_http_1_1(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    options = ("--certificate", str(certificate), "--key", str(key))
    with served_loaded(tmp_path, *options) as homeshelf:
        assert homeshelf.greeting.startswith(f"Homeshelf is at {homeshelf.url} ")
        trust = ssl.create_default_context(cafile=certificate)
        answer = httpx.get(f"{homeshelf.url}/healthz", verify=trust)
        assert answer.headers["strict-transport-security"]
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            assert _handshake(homeshelf.url, certificate, version) == "http/1.1"
        with pytest.raises((ssl.SSLError, ConnectionError)):
            _handshake(homeshelf.url, certificate, ssl.TLSVersion.TLSv1_1)


def test_long_bodies_are_complete_over_https(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    options = ("--certificate", str(certificate), "--key", str(key))
    trust = ssl.create_default_context(cafile=certificate)
    with (
        served_loaded(tmp_path, *options) as homeshelf,
        httpx.Client(base_url=homeshelf.url, verify=trust) as client,
    ):
        _found_family(client)
        long = client.post("/api/v1/shopping-list", json={"name": "x" * 1_000_000})
        assert long.status_code == 400
        shown = client.get("/api/v1/openapi.json")
        assert len(shown.content) == int(shown.headers["content-length"]) > 40_000
        with client.stream("GET", "/api/v1/events", timeout=10) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith(":")
            homeshelf.tell_to_stop()
            assert list(lines) == [""]
        assert homeshelf.exit_code() == 0


def test_plain_http_at_an_https_port_is_closed(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    options = ("--certificate", str(certificate), "--key", str(key))
    with served_loaded(tmp_path, *options) as homeshelf, _connected(homeshelf.url) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: home.test\r\n\r\n")
        with suppress(ConnectionResetError):
            while connection.recv(1000):
                pass


def test_http_2_is_refused_at_once(tmp_path: Path) -> None:
    with served_loaded(tmp_path) as homeshelf, _connected(homeshelf.url) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


def test_log_names_routes_without_secrets(tmp_path: Path) -> None:
    with served_loaded(tmp_path) as homeshelf, httpx.Client(base_url=homeshelf.url) as client:
        token = _found_family(client)
        client.get(f"/api/v1/members/{clock.new_id()}")
        client.get("/no/such/page", params={"token": token})
    text = homeshelf.log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["route"] for line in lines if line["event"] == "request"] == [
        "/api/v1/accounts",
        "/api/v1/tokens",
        "/api/v1/families",
        "/api/v1/members/{memberId}",
        "unknown",
    ]
    assert all(line["request_id"] for line in lines)
    for secret in (PASSWORD, token, "ada@home.local"):
        assert secret not in text


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=LINUX)])
def test_metrics_cover_all_processes(tmp_path: Path, workers: str) -> None:
    with served(tmp_path, "--workers", workers, HOMESHELF_METRICS="local") as homeshelf:
        for _ in range(20):
            assert httpx.get(f"{homeshelf.url}/healthz").status_code == 200
        httpx.request("MKCALENDAR", f"{homeshelf.url}/healthz")
        httpx.get(f"{homeshelf.url}/api/v1/members/{clock.new_id()}")
        ends = time.monotonic() + 5
        while "{memberId}" not in httpx.get(f"{homeshelf.url}/metrics").text:
            assert time.monotonic() < ends  # another process counts it once it has answered
        found = [httpx.get(f"{homeshelf.url}/metrics").text for _ in range(4)]
    for text in found:
        assert _count(text, 'method="GET",route="/healthz",status="200"') == 20
        assert _count(text, 'method="GET",route="/api/v1/members/{memberId}",status="401"') == 1
        assert 'method="other"' in text
        assert "MKCALENDAR" not in text


def test_metrics_are_off_by_default(tmp_path: Path) -> None:
    with served_loaded(tmp_path) as homeshelf:
        assert httpx.get(f"{homeshelf.url}/metrics").status_code == 404


def _served_by(workers: str, folder: Path) -> AbstractContextManager[Served]:
    return served_loaded(folder) if workers == "1" else served(folder, "--workers", workers)


def _found_family(client: httpx.Client) -> str:
    assert client.post("/api/v1/accounts", json=ADA).status_code == 201
    known = {"email": ADA["email"], "password": PASSWORD}
    token: str = client.post("/api/v1/tokens", json=known).json()["accessToken"]
    client.headers["Authorization"] = f"Bearer {token}"
    assert client.post("/api/v1/families", json={"name": "Ours"}).status_code == 201
    return token


def _connected(url: str) -> socket.socket:
    at = urlsplit(url)
    return socket.create_connection((at.hostname, at.port), timeout=10)


def _handshake(url: str, certificate: Path, version: ssl.TLSVersion) -> str | None:
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    context.set_alpn_protocols(["h2", "http/1.1"])
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = version
    with _connected(url) as plain, context.wrap_socket(plain) as secure:
        return secure.selected_alpn_protocol()


def _count(metrics: str, labels: str) -> float:
    line = f"homeshelf_requests_total{{{labels}}} "
    return sum(
        float(each.removeprefix(line)) for each in metrics.splitlines() if each.startswith(line)
    )


def _second_start(folder: Path) -> float:
    began = time.monotonic()
    with served(folder) as homeshelf:
        took = time.monotonic() - began - kept_waiting(homeshelf.process.pid)
        assert httpx.post(f"{homeshelf.url}/api/v1/accounts", json=ADA).status_code == 409
    return took


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in listed.split()]


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _eventually(holds: Callable[[], bool], within: float = 10.0) -> None:
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
