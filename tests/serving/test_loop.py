"""Which event loop serves."""

import asyncio
import sys

import pytest
import uvloop

from homeshelf.commands import process
from homeshelf.commands.serve import Binding
from homeshelf.serving.machine import new_loop
from tests.running import SETTINGS


def test_it_is_uvloops() -> None:
    loop = new_loop()
    loop.close()
    assert isinstance(loop, uvloop.Loop)


def test_where_there_is_none_it_is_asyncios_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)  # how an import is made to fail
    loop = new_loop()
    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop)


def test_a_process_serves_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(*_: object) -> int:
        return int(isinstance(asyncio.get_running_loop(), uvloop.Loop))

    monkeypatch.setattr(process, "_run", serve)
    assert process.run(SETTINGS, Binding("127.0.0.1", 0), lambda: None) == 1
