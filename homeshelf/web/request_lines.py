"""The log's line of each request, written some at a time behind the answers: one by one they would
take longer than a short answer does. Among the metrics each counts at once."""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from homeshelf import clock, logs

AFTER_SECONDS = 0.25
AT_ONCE = 100

Observe = Callable[[str, str, int, float], None]
"""Told of each request: its method, its route, the status of its answer, and the seconds."""


class _Noted(NamedTuple):
    at: int
    method: str
    route: str
    status: int
    seconds: float
    about: Callable[[], Mapping[str, str]]


class RequestLines:
    def __init__(self, observe: Observe | None) -> None:
        self._observe = observe
        self._noted: list[_Noted] = []

    def note(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        about: Callable[[], Mapping[str, str]],
    ) -> None:
        """`about` is what else the line says, worked out when it is written."""
        if self._observe:
            self._observe(method, route, status, seconds)
        if not self._noted:
            asyncio.get_running_loop().call_later(AFTER_SECONDS, self._write_some)
        self._noted.append(_Noted(clock.nanoseconds(), method, route, status, seconds, about))

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
        if some:
            logs.write_lines(map(_line, some))


def _line(noted: _Noted) -> logs.Event:
    return {
        "method": noted.method,
        "route": noted.route,
        "status": noted.status,
        "ms": round(noted.seconds * 1000, 2),
        "event": "request",
        **noted.about(),
        "level": "info",
        "at": clock.timestamp(clock.moment(noted.at)),
    }
