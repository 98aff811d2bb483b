"""Forwarding headers of trusted proxies, and the host names to serve."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import structlog
from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import Scope

from homeshelf import clock, ip
from homeshelf.config import Settings
from homeshelf.config.addresses import ascii_host
from homeshelf.sentences import _
from homeshelf.table import HELPER, Database, Keys, Record, TableError, absent
from homeshelf.web.pages import page
from homeshelf.web.problems import problem_response
from homeshelf.web.requests import is_for_programs
from homeshelf.web.services import services_of

REMEMBERED_SECONDS = 7 * 24 * 3600
_SAID = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host")

log = structlog.get_logger()


class UnnamedProxy(Record):
    """An untrusted sender of forwarding headers, recorded for `homeshelf doctor`."""

    table = HELPER
    keys = Keys(PK="UNNAMED_PROXY", SK="UNNAMED_PROXY")

    address: str
    ttl: int


class Forwarding:
    def __init__(self, proxies: Sequence[ip.Network]) -> None:
        self._proxies = proxies
        self._telling: asyncio.Task[None] | None = None
        """The report of an untrusted sender, made once in a process."""

    def believe(self, scope: Scope) -> None:
        """Apply forwarding headers if the request comes from a trusted proxy."""
        peer = scope.get("client") or ("", 0)
        scope["client"] = (ip.plain(peer[0]), peer[1])
        if self._proxies and ip.is_in(peer[0], self._proxies):
            self._believe(scope, Headers(scope=scope))
        elif self._telling is None and is_forwarded(scope):
            db = services_of(scope["app"]).db
            self._telling = asyncio.create_task(_report_untrusted(db, scope["client"][0]))

    def _believe(self, scope: Scope, headers: Headers) -> None:
        # A proxy may add its own header line below one that the client made up.
        forwarded = ",".join(headers.getlist("x-forwarded-for"))
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        while len(hops) > 1 and ip.is_in(hops[-1], self._proxies):
            hops.pop()
        if hops:
            scope["client"] = (ip.plain(hops[-1]), 0)
        if (scheme := headers.get("x-forwarded-proto", "")) in ("http", "https"):
            scope["scheme"] = scheme
        if host := headers.get("x-forwarded-host"):
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope["headers"] = [*others, (b"host", host.encode("latin-1"))]


def is_forwarded(scope: Scope) -> bool:
    """Return whether a request has forwarding headers, trusted or not."""
    return any(name in _SAID for name, _ in scope["headers"])


async def _report_untrusted(db: Database, address: str) -> None:
    log.warning(
        "forwarding_headers_ignored",
        address=address,
        advice="if this is your proxy, name it in HOMESHELF_TRUSTED_PROXIES",
    )
    seen = UnnamedProxy(address=address, ttl=clock.seconds() + REMEMBERED_SECONDS)
    with suppress(TableError):
        await db.put(seen, absent)


async def proxy_finding(db: Database, settings: Settings) -> tuple[str, bool]:
    """Return the finding of `homeshelf doctor`: a sender in the home network is likely a proxy."""
    seen = await db.get(UnnamedProxy.key())
    if seen is None or ip.is_in(seen.address, settings.trusted_proxies):
        named = ", ".join(map(str, settings.trusted_proxies)) or "nobody"
        return f"forwarding headers count from {named}.", True
    address = ip.address(seen.address)
    is_near = address is not None and address.is_private
    advice = "if that is your proxy, name it in HOMESHELF_TRUSTED_PROXIES"
    return f"forwarding headers came from {seen.address} and were ignored; {advice}.", not is_near


FOR_ANY_NAME = frozenset({"/healthz", "/readyz", "/metrics"})


class Hosts:
    """The host names to serve.

    A foreign name that resolves to this server would share its origin (DNS rebinding), so it is
    refused. IP addresses cannot be rebound.
    """

    def __init__(self, public_url: str | None, names: Iterable[str]) -> None:
        """Serve every name if there is no public URL."""
        self._home = public_url
        ours = urlsplit(public_url or "").hostname or ""
        self._names = frozenset(map(ascii_host, (ours, "localhost", *names)))

    def serves(self, scope: Scope) -> bool:
        if self._home is None or scope["path"] in FOR_ANY_NAME:
            return True
        host = Headers(scope=scope).get("host", "")
        return not host or _without_port(host) in self._names or ip.address(host) is not None

    def refusal(self, request: Request) -> Response:
        """Return a problem, or a page without styles, which this name could not load."""
        if is_for_programs(request.scope):
            return problem_response(421, "not_found", _("Homeshelf is at {home}.", home=self._home))
        return page(request, "web/misdirected.html", 421, home=self._home)


def _without_port(host: str) -> str:
    return host.rpartition(":")[0].rstrip(".").lower() if ":" in host else host.rstrip(".").lower()
