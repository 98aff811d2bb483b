"""The event loop that serves."""

import asyncio
import sys

import pytest
import uvloop

from homeshelf.commands import process
from homeshelf.commands.serve import Binding
from tests.running import SETTINGS


def test_process_serves_on_uvloop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert issubclass(_loop_of_process(monkeypatch), uvloop.Loop)


def test_process_serves_on_asyncio_without_uvloop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)  # makes the import fail
    assert issubclass(_loop_of_process(monkeypatch), asyncio.SelectorEventLoop)


def _loop_of_process(monkeypatch: pytest.MonkeyPatch) -> type[asyncio.AbstractEventLoop]:
    loops: list[type[asyncio.AbstractEventLoop]] = []

    async def serve(*_: object) -> int:
        loops.append(type(asyncio.get_running_loop()))
        return 0

    monkeypatch.setattr(process, "_run", serve)
    process.run(SETTINGS, Binding("127.0.0.1", 0), lambda: None)
    (loop,) = loops
    return loop
