"""The log's lines of what is asked most, written some at a time behind the answers."""

import asyncio

from homeshelf import clock, logs
from homeshelf.signing import digest
from homeshelf.web.services import Observe

ROUTE = "/t/{urlId}"
AFTER_SECONDS = 0.25
AT_ONCE = 100

Noted = tuple[int, str, str, int, float]


class RequestLines:
    def __init__(self, observe: Observe | None) -> None:
        self._observe = observe
        self._noted: list[Noted] = []

    def note(self, method: str, url_id: str, status: int, seconds: float) -> None:
        if not self._noted:
            asyncio.get_running_loop().call_later(AFTER_SECONDS, self._write_some)
        self._noted.append((clock.nanoseconds(), method, url_id, status, seconds))

    def write(self) -> None:
        while self._noted:
            self._write()

    def _write_some(self) -> None:
        """Some, and then let others have their turn."""
        self._write()
        if self._noted:
            asyncio.get_running_loop().call_soon(self._write_some)

    def _write(self) -> None:
        some, self._noted = self._noted[:AT_ONCE], self._noted[AT_ONCE:]
        if not some:
            return
        logs.write_lines("request", map(_line, some))
        if self._observe:
            for _, method, _, status, seconds in some:
                self._observe(method, ROUTE, status, seconds)


def _line(noted: Noted) -> logs.Event:
    at, method, url_id, status, seconds = noted
    return {
        "method": method,
        "route": ROUTE,
        "tag": digest(url_id)[:8],
        "status": status,
        "ms": round(seconds * 1000, 2),
        "at": clock.timestamp(clock.moment(at)),
    }
