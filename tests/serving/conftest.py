"""What the tests of the server share."""

import asyncio
from collections.abc import Callable

from uvicorn.loops.auto import auto_loop_factory


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that serves, and the one that does where there is no other."""
    return {"uvloop": auto_loop_factory(), "asyncio": asyncio.new_event_loop}
