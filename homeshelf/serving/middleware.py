"""What uvicorn's protocol and the application have between them: each request starts here."""

import asyncio
from collections import deque

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from homeshelf.serving.protocol import REQUEST

STARTS_AT_ONCE = 8
"""How many requests start in a round of the event loop."""

Turn = tuple[RequestResponseCycle, asyncio.Future[None]]

log = structlog.get_logger()


class RequestGate:
    """Start requests when enough of them is there, a few at once, each address in turn.

    A client that sends thousands waits for its own; the request of any other client is next.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._starts_left = STARTS_AT_ONCE
        self._queues: dict[str | None, deque[Turn]] = {}
        """By address; the first is next."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope["extensions"]
        protocol, cycle = extensions[REQUEST]
        try:
            if cycle.more_body:
                while protocol.waits_for_body(cycle):
                    await cycle.message_event.wait()
                    cycle.message_event.clear()
                if cycle.disconnected:
                    return
                cycle.message_event.set()  # for the handler, which waits for it as well
                send = _close_unless_complete(cycle, send)
            if await self._has_turn(protocol.guard.address, cycle):
                await self._app(scope, receive, send)
        except Exception:
            log.exception("request_broken_off")
            raise
        finally:
            extensions.clear()  # it refers to the scope, and both would be kept as garbage

    async def _has_turn(self, address: str | None, cycle: RequestResponseCycle) -> bool:
        """Wait for a turn; a request has none whose client has left in the meantime."""
        loop = asyncio.get_running_loop()
        if self._starts_left:
            if self._starts_left == STARTS_AT_ONCE:
                loop.call_soon(self._start_more)
            self._starts_left -= 1
            return True
        turn = cycle, loop.create_future()
        self._queues.setdefault(address, deque()).append(turn)
        await turn[1]
        return not cycle.disconnected

    def _start_more(self) -> None:
        """In the next round of the loop, start the requests whose turn it is."""
        self._starts_left = STARTS_AT_ONCE
        while self._queues and self._starts_left:
            address = next(iter(self._queues))
            queue = self._queues.pop(address)
            cycle, turn = queue.popleft()
            if queue:
                self._queues[address] = queue
            if not cycle.disconnected:
                self._starts_left -= 1
            if not turn.done():
                turn.set_result(None)
        if self._starts_left < STARTS_AT_ONCE:
            asyncio.get_running_loop().call_soon(self._start_more)


def _close_unless_complete(cycle: RequestResponseCycle, send: Send) -> Send:
    """Close the connection after a response that does not wait for the body of its request."""

    async def send_closing(message: Message) -> None:
        if message["type"] == "http.response.start" and cycle.more_body:
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return send_closing
