"""What the tests of the server share."""

import asyncio
from collections.abc import Callable

from homeshelf.serving.machine import new_loop


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that serves, and the one that does where there is no other."""
    return {"uvloop": new_loop, "asyncio": asyncio.new_event_loop}
