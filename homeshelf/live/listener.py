"""One open stream, and the right that it depends on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass
from math import inf
from typing import Any

import structlog
from fastapi.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from homeshelf import clock
from homeshelf.table import Database, Key, TableError

MOST_WAITING = 1000

log = structlog.get_logger()


@dataclass(frozen=True)
class Right:
    keys: Sequence[Key[Any]]
    until: Callable[[Sequence[Any]], float]
    """Returns when the right ends, in Unix seconds, by these records; 0 if there is none."""
    watched: frozenset[tuple[str, str]] = frozenset()
    """The types and ids of the changes that may end the right."""
    is_admin: bool = False


class Listener:
    def __init__(self, right: Right, *, visible: bool = True) -> None:
        self.right = right
        self.visible = visible
        self.until = self.checked_at = inf  # until the first check admits it
        self.ended = False
        self._waiting: list[bytes] = []
        self._changed_scopes = asyncio.Event()

    def tell(self, event: bytes) -> None:
        if self.ended:
            return
        self._waiting.append(event)
        self._changed_scopes.set()
        if len(self._waiting) >= MOST_WAITING:  # the client is not reading, and can resume later
            self.end()

    def end(self) -> None:
        self.ended = True
        self._changed_scopes.set()

    def dismiss(self) -> None:
        """End the stream without sending the events that wait, because the right is over."""
        self._waiting.clear()
        self.end()

    async def wait_for_events(self, patience: float) -> bytes:
        """Return the waiting events, or nothing after `patience` seconds or at the end."""
        try:
            async with asyncio.timeout(patience):
                await self._changed_scopes.wait()
        except TimeoutError:
            return b""
        events = b"".join(self._waiting)
        self._waiting.clear()
        if not self.ended:
            self._changed_scopes.clear()
        return events


async def check_rights(db: Database, listeners: Iterable[Listener]) -> None:
    asked = list(listeners)
    try:
        await _check(db, asked)
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001  # one bad listener must not end the others
        if len(asked) == 1:
            log.warning("listener_ended", error=repr(error))
            asked[0].dismiss()
            return
        for listener in asked:
            await check_rights(db, [listener])


async def _check(db: Database, listeners: Sequence[Listener]) -> None:
    """Read the records of all listeners at once, because most share them."""
    wanted = list({key for each in listeners for key in each.right.keys})
    found = dict(zip(wanted, await db.get_many(wanted, skip=True), strict=True))
    now = asyncio.get_running_loop().time()
    for listener in listeners:
        right = listener.right
        listener.until = right.until([found[key] for key in right.keys])
        listener.checked_at = now
        if listener.until <= clock.seconds():
            listener.dismiss()


QUIET_SECONDS = 15.0
STALLED_SECONDS = 30.0
COMMENT = b": homeshelf\n\n"
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    "200": {
        "description": "One event a changed record, and `reset` where some were missed.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'id: ...\ndata: {"type":"ShoppingListItem","id":"...","version":3}\n\n',
            }
        },
    }
}


class EventStream(StreamingResponse):
    def __init__(
        self, place: AbstractContextManager[None], listening: AbstractAsyncContextManager[Listener]
    ) -> None:
        # A proxy that buffers the response would hold the events back.
        headers = {"X-Accel-Buffering": "no"}
        super().__init__((), headers=headers, media_type="text/event-stream")
        self._place = place
        self._listening = listening

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            # A client that reads nothing for so long has disconnected without closing.
            async with asyncio.timeout(STALLED_SECONDS):
                await send(message)

        with self._place:
            async with self._listening as listener:
                self.body_iterator = _events(listener)
                with suppress(TimeoutError):
                    await super().__call__(scope, receive, send_in_time)


async def _events(listener: Listener) -> AsyncIterator[bytes]:
    yield COMMENT
    while not listener.ended:
        events = await listener.wait_for_events(QUIET_SECONDS)
        if events or not listener.ended:
            yield events or COMMENT
