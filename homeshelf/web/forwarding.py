"""What proxies say about where a request came from, and whom of them to believe."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import structlog
from starlette.datastructures import Headers
from starlette.types import Scope

from homeshelf import clock, ip
from homeshelf.config import Settings
from homeshelf.table import HELPER, Database, Keys, Record, TableError, absent

REMEMBERED_SECONDS = 7 * 24 * 3600
_SAID = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host")

log = structlog.get_logger()


class UnnamedProxy(Record):
    """Who sent forwarding headers without being named: for `homeshelf doctor`."""

    table = HELPER
    keys = Keys(PK="UNNAMED_PROXY", SK="UNNAMED_PROXY")

    address: str
    ttl: int


class Forwarding:
    def __init__(self, proxies: Sequence[ip.Network]) -> None:
        self._proxies = proxies
        self._telling: asyncio.Task[None] | None = None
        """Once in the life of a process: what one request says, a thousand say."""

    def believe(self, scope: Scope) -> None:
        """Forwarding headers count only where the request came from a configured proxy."""
        peer = scope.get("client") or ("", 0)
        scope["client"] = (ip.plain(peer[0]), peer[1])
        if self._proxies and ip.is_in(peer[0], self._proxies):
            self._believe(scope, Headers(scope=scope))
        elif self._telling is None and is_forwarded(scope):
            db: Database = scope["app"].state.services.db
            self._telling = asyncio.create_task(_tell(db, scope["client"][0]))

    def _believe(self, scope: Scope, headers: Headers) -> None:
        # A proxy may add a line of its own below one that the client made up.
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
    """Whether somebody says that they pass it on, believed or not."""
    return any(name in _SAID for name, _ in scope["headers"])


async def _tell(db: Database, address: str) -> None:
    log.warning(
        "forwarding_headers_ignored",
        address=address,
        advice="if this is your proxy, name it in HOMESHELF_TRUSTED_PROXIES",
    )
    seen = UnnamedProxy(address=address, ttl=clock.seconds() + REMEMBERED_SECONDS)
    with suppress(TableError):
        await db.put(seen, absent)


async def proxy_finding(db: Database, settings: Settings) -> tuple[str, bool]:
    """What `homeshelf doctor` says. Anybody can send such headers; in a home network, a proxy."""
    seen = await db.get(UnnamedProxy.key())
    if seen is None or ip.is_in(seen.address, settings.trusted_proxies):
        named = ", ".join(map(str, settings.trusted_proxies)) or "nobody"
        return f"forwarding headers count from {named}.", True
    address = ip.address(seen.address)
    is_near = address is not None and address.is_private
    advice = "if that is your proxy, name it in HOMESHELF_TRUSTED_PROXIES"
    return f"forwarding headers came from {seen.address} and were ignored; {advice}.", not is_near
