"""The command `homeshelf serve`: checks before the start, and the greeting."""

import errno
import gc
import ipaddress
import os
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from homeshelf import logs
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.config import BadSetting, Settings, find_mistakes, read_settings
from homeshelf.moving.progress_marks import unfinished_copy
from homeshelf.serving import workers as worker_processes
from homeshelf.serving.machine import load_certificate
from homeshelf.table import HELPER, TABLES, Database, OlderLayout


@dataclass(frozen=True)
class Binding:
    address: str
    """An IP address."""
    port: int
    certificate: Path | None = None
    key: Path | None = None

    def greeting(self, settings: Settings) -> str:
        at = self._url_at(self.address)
        here = ipaddress.ip_address(self.address)
        if here.is_unspecified:
            at = self._url_at("127.0.0.1" if here.version == 4 else "::1")
            if network := _own_address(here.version):
                at += f", for others in your network at {self._url_at(network)}"
        if settings.public_url is not None:
            at = f"{settings.public_url}, and listens at {at}"
        return f"Homeshelf is at {at} - {_NEXT_STEP[settings.signup]}"

    def _url_at(self, address: str) -> str:
        scheme = "https" if self.certificate else "http"
        host = f"[{address}]" if ":" in address else address
        return f"{scheme}://{host}:{self.port}"


def serve(host: str, port: int, workers: int, certificate: Path | None, key: Path | None) -> int:
    """Check everything first, so that a mistake is one sentence and nothing has started."""
    settings = read_settings(os.environ)
    if mistakes := find_mistakes(os.environ):
        raise BadSetting(mistakes[0])
    logs.configure(settings.log_level)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is no certificate to reload yet
    if workers > 1 and sys.platform != "linux":
        raise CannotRun("Only Linux shares a port between processes: leave out --workers.")
    binding = find_binding(host, port, certificate, key)
    _require_tables()
    load = partial(_load, settings, binding)
    return worker_processes.run(workers, load) if workers > 1 else load()(0)


def _require_tables() -> None:
    try:
        found, half = with_database(_find_tables)
    except OlderLayout:
        typer.echo("Upgrading the database; no earlier version can open it afterwards.", err=True)
        found, half = with_database(_find_tables, upgrade=True)
    missing = [table.name for table in TABLES if table.name not in found]
    if missing:
        names = "all its tables" if not found else f"the table {', '.join(missing)}"
        raise CannotRun(f"The database lacks {names}: run `homeshelf tables create` first.")
    if half:
        raise CannotRun("The database is an unfinished copy: run `homeshelf copy` again first.")


async def _find_tables(db: Database) -> tuple[list[str], bool]:
    """Return the tables that exist, and whether they are an unfinished copy."""
    found = await db.engine.list_tables()
    return found, HELPER.name in found and await unfinished_copy(db) is not None


def _load(settings: Settings, binding: Binding) -> Callable[[int], int]:
    """Load the application, only after the checks, and return the function that serves."""
    gc.disable()  # collections would take a tenth of the loading time
    from homeshelf.commands import process  # noqa: PLC0415

    gc.enable()

    def serve(number: int) -> int:
        def greet() -> None:
            if number == 0:
                typer.echo(binding.greeting(settings))

        return process.run(settings, binding, greet)

    return serve


_NEXT_STEP = {
    "open": "open it and sign up",
    "invited": "open it and sign in, or follow your invitation",
    "closed": "open it and sign in; `homeshelf user create` makes an account",
}


def find_binding(host: str, port: int, certificate: Path | None, key: Path | None) -> Binding:
    if (certificate is None) != (key is None):
        raise CannotRun("HTTPS needs both --certificate and --key.")
    if certificate and key:
        _check_certificate(certificate, key)
    try:
        address = str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError):
        raise CannotRun(f"There is no address called {host}; try --host 127.0.0.1.") from None
    _check_free(address, port)
    return Binding(address, port, certificate, key)


def _check_certificate(certificate: Path, key: Path) -> None:
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise CannotRun(f"{path} cannot be read: {error.strerror}.") from None
    try:
        load_certificate(certificate, key)
    except (ssl.SSLError, ValueError):
        raise CannotRun(
            f"{certificate} and {key} must be a certificate and its key, both as PEM and the key "
            "without a password."
        ) from None


def _check_free(address: str, port: int) -> None:
    """Check that the port is free, because SO_REUSEPORT would let a second server share it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            otherwise = f"Nothing can listen at {address} on port {port}: {error.strerror}."
            why = _BIND_ERRORS.get(error.errno or 0, otherwise)
            raise CannotRun(why.format(address=address, port=port)) from None


_BIND_ERRORS = {
    errno.EADDRINUSE: "Port {port} is in use by another program; choose one with --port.",
    errno.EACCES: "Port {port} needs more rights than yours; choose one above 1023 with --port.",
    errno.EADDRNOTAVAIL: "This machine has no address {address}; try --host 127.0.0.1 or 0.0.0.0.",
}


def _own_address(version: int) -> str | None:
    """Return the machine's address in its network; connecting by UDP sends nothing."""
    family, far = (
        (socket.AF_INET, "192.0.2.1") if version == 4 else (socket.AF_INET6, "2001:db8::1")
    )
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
