"""Fixtures of the server tests."""

import asyncio
from collections.abc import Callable

from uvicorn.loops.auto import auto_loop_factory


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Return the event loop of production, and its fallback."""
    return {"uvloop": auto_loop_factory(), "asyncio": asyncio.new_event_loop}
