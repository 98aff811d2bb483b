"""Test that SIGHUP reloads the certificate and its key, and never ends the server."""

import shutil
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.forked_processes import served as served_loaded
from tests.network import make_certificate
from tests.processes import Served, served

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares ports")


def test_reload_with_a_bad_certificate_keeps_the_old_one(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    with served_loaded(tmp_path, *_options(certificate, key)) as homeshelf:
        before = _presented(homeshelf)

        def require_refusal(number: int) -> None:
            homeshelf.process.send_signal(signal.SIGHUP)
            _eventually(lambda: _count(homeshelf, "certificate_refused") == number)
            assert _presented(homeshelf) == before

        key.write_text("no key")
        require_refusal(1)
        certificate.write_text("no certificate")
        require_refusal(2)
        key.unlink()
        require_refusal(3)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=LINUX)])
def test_reload_serves_the_new_certificate_and_keeps_connections(
    tmp_path: Path, workers: str
) -> None:
    certificate, key = make_certificate(tmp_path)
    trust = ssl.create_default_context(cafile=certificate)
    renewed = tmp_path / "renewed"
    renewed.mkdir()
    with (
        _served_by(workers, tmp_path, *_options(certificate, key)) as homeshelf,
        closing(HTTPSConnection(urlsplit(homeshelf.url).netloc, context=trust)) as connection,
    ):
        connection.connect()
        opened = connection.sock
        for new, old in zip(make_certificate(renewed), (certificate, key), strict=True):
            shutil.copy(new, old)
        homeshelf.process.send_signal(signal.SIGHUP)
        new_certificate = {ssl.PEM_cert_to_DER_cert(certificate.read_text())}
        _eventually(lambda: {_presented(homeshelf) for _ in range(20)} == new_certificate)
        assert _count(homeshelf, "certificate_loaded") > 0
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        assert connection.sock is opened
        homeshelf.tell_to_stop()
        assert homeshelf.exit_code() == 0


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=LINUX)])
def test_reload_without_a_certificate_is_logged_and_ignored(tmp_path: Path, workers: str) -> None:
    with _served_by(workers, tmp_path) as homeshelf:
        homeshelf.process.send_signal(signal.SIGHUP)
        _eventually(lambda: _count(homeshelf, "reload_ignored") > 0)
        assert httpx.get(f"{homeshelf.url}/healthz").status_code == 200
        homeshelf.tell_to_stop()
        assert homeshelf.exit_code() == 0
    assert _count(homeshelf, "worker_died") == 0


def _served_by(workers: str, folder: Path, *options: str) -> AbstractContextManager[Served]:
    """Serve with these workers; a single process is forked, because that is faster."""
    if workers == "1":
        return served_loaded(folder, *options)
    return served(folder, "--workers", workers, *options)


def _options(certificate: Path, key: Path) -> tuple[str, ...]:
    return "--certificate", str(certificate), "--key", str(key)


def _presented(homeshelf: Served) -> bytes:
    """Return the certificate that a new connection is shown."""
    at = urlsplit(homeshelf.url)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection((at.hostname, at.port), timeout=10) as plain,
        context.wrap_socket(plain) as secure,
    ):
        return secure.getpeercert(binary_form=True) or b""


def _count(homeshelf: Served, event: str) -> int:
    return homeshelf.log.read_text().count(f'"event":"{event}"')


def _eventually(holds: Callable[[], bool], within: float = 10.0) -> None:
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
