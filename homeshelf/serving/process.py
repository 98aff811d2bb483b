"""One process that serves: Granian inside our event loop.

Granian's own command keeps a second process to watch the first, which costs about 10 MB; where one
process serves, whatever started it watches it. And being inside lets us end the event streams
before Granian waits for every request to finish.
"""

import asyncio
import signal
from collections.abc import Callable

import structlog
from fastapi import FastAPI
from granian.constants import Interfaces, SSLProtocols
from granian.log import LogLevels
from granian.server.embed import Server

from homeshelf.app import create_app
from homeshelf.config import Settings
from homeshelf.serving.place import Place

GRACE_SECONDS = 8.0
"""For requests in flight; containers are killed ten seconds after they are told to stop."""
WAITING_CONNECTIONS = 2048
CONNECTIONS = 8192
"""An event stream is a connection too."""

log = structlog.get_logger()


def run(
    settings: Settings, place: Place, ready: Callable[[], None], keeper: int | None = None
) -> int:
    """Serve until told to stop; returns the exit code. `ready` is called once it answers.

    `keeper` is the end of a pipe that closes with the process that watches this one.
    """
    return asyncio.run(_run(settings, place, ready, keeper))


async def _run(
    settings: Settings, place: Place, ready: Callable[[], None], keeper: int | None
) -> int:
    stop = _stop_when_told(keeper)
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        server = _server(app, place)
        serving = asyncio.create_task(server.serve())
        waiting = [asyncio.create_task(stop.wait()), asyncio.create_task(_call(ready, place))]
        await asyncio.wait([serving, waiting[0]], return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if serving.done():
            log.error("serving_ended", error=repr(serving.exception()))
            return 1
        await app.state.hub.close()
        server.stop()  # type: ignore[no-untyped-call]  # Granian types only some
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                await serving
        except TimeoutError:
            log.warning("requests_cut_off", after_seconds=GRACE_SECONDS)
    return 0


def _stop_when_told(keeper: int | None) -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if keeper is not None:

        def orphaned() -> None:
            loop.remove_reader(keeper)
            stop.set()

        loop.add_reader(keeper, orphaned)
    return stop


def _server(app: FastAPI, place: Place) -> Server:
    return Server(
        app,
        address=place.address,
        port=place.port,
        interface=Interfaces.ASGINL,
        websockets=False,
        backlog=WAITING_CONNECTIONS,
        backpressure=CONNECTIONS,
        ssl_cert=place.certificate,
        ssl_key=place.key,
        ssl_protocol_min=SSLProtocols.tls12,
        log_level=LogLevels.error,
        log_dictconfig={
            "handlers": {},
            "formatters": {},
            "loggers": {"_granian": {"propagate": True}},
        },
    )


async def _call(ready: Callable[[], None], place: Place) -> None:
    """Granian does not say when it listens, so that somebody has to knock."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(place.address, place.address)  # noqa: S104  # compared
    while True:
        try:
            _, writer = await asyncio.open_connection(host, place.port)
        except OSError:
            await asyncio.sleep(0.005)
            continue
        writer.close()
        ready()
        return
