"""Where Homeshelf listens, and how it is told to those who want to open it."""

import errno
import ipaddress
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from homeshelf.commands import CannotRun
from homeshelf.config import Settings


@dataclass(frozen=True)
class Binding:
    address: str
    """Of the machine, in digits."""
    port: int
    certificate: Path | None = None
    key: Path | None = None

    @property
    def url(self) -> str:
        return self._url_at(self.address)

    def greeting(self, settings: Settings) -> str:
        at = settings.public_url or self.url
        here = ipaddress.ip_address(self.address)
        if settings.public_url is None and here.is_unspecified:
            loopback = "127.0.0.1" if here.version == 4 else "::1"
            at = self._url_at(loopback)
            if network := _own_address(here.version):
                at += f", for others in your network at {self._url_at(network)}"
        return f"Homeshelf is at {at} - {_NEXT[settings.signup]}"

    def _url_at(self, address: str) -> str:
        scheme = "https" if self.certificate else "http"
        host = f"[{address}]" if ":" in address else address
        return f"{scheme}://{host}:{self.port}"


_NEXT = {
    "open": "open it and sign up",
    "invited": "open it and sign in, or follow your invitation",
    "closed": "open it and sign in; `homeshelf user create` makes an account",
}


def find_binding(host: str, port: int, certificate: Path | None, key: Path | None) -> Binding:
    if (certificate is None) != (key is None):
        raise CannotRun("HTTPS needs both --certificate and --key.")
    if certificate and key:
        _check_certificate(certificate, key)
    address = _resolved(host)
    _check_free(address, port)
    return Binding(address, port, certificate, key)


def _check_certificate(certificate: Path, key: Path) -> None:
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise CannotRun(f"{path} cannot be read: {error.strerror}.") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, _no_password)
    except (ssl.SSLError, ValueError):
        raise CannotRun(
            f"{certificate} and {key} are no certificate and its key, both as PEM and the key "
            "without a password."
        ) from None


def _no_password() -> str:
    raise ValueError("nobody is there to type it")


def _resolved(host: str) -> str:
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError):
        raise CannotRun(f"There is no address called {host}; try --host 127.0.0.1.") from None


def _check_free(address: str, port: int) -> None:
    """Serving processes share their port, so that the system would let a second server in too."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            otherwise = f"Nothing can listen at {address} on port {port}: {error.strerror}."
            why = _WHY_NOT.get(error.errno or 0, otherwise)
            raise CannotRun(why.format(address=address, port=port)) from None


_WHY_NOT = {
    errno.EADDRINUSE: "Port {port} is in use by another program; choose one with --port.",
    errno.EACCES: "Port {port} needs more rights than yours; choose one above 1023 with --port.",
    errno.EADDRNOTAVAIL: "This machine has no address {address}; try --host 127.0.0.1 or 0.0.0.0.",
}


def _own_address(version: int) -> str | None:
    """The machine's address in its network. Connecting by UDP sends nothing, it only looks."""
    family, far = (
        (socket.AF_INET, "192.0.2.1") if version == 4 else (socket.AF_INET6, "2001:db8::1")
    )
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
