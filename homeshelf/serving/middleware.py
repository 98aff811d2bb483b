"""The ASGI middleware around the application: each request starts here."""

import asyncio
from weakref import WeakValueDictionary

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from homeshelf.serving.protocol import REQUEST

STARTS_AT_ONCE = 8
"""How many requests of an address start in a round of the event loop."""

log = structlog.get_logger()


class RequestGate:
    """Start a request when a small body is complete and the turn of its address has come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turns: WeakValueDictionary[str | None, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope["extensions"]
        protocol = extensions[REQUEST]
        cycle = protocol.cycle
        try:
            await protocol.receive_small_body()
            turns = self._turns.setdefault(
                protocol.guard.address, asyncio.Semaphore(STARTS_AT_ONCE)
            )
            await turns.acquire()
            asyncio.get_running_loop().call_soon(turns.release)
            if not cycle.disconnected:
                await self._app(scope, receive, send)
        except Exception:
            log.exception("request_broken_off")
            raise
        finally:
            extensions.clear()  # it refers to the scope, and both would be kept as garbage
