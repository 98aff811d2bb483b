"""Serves the application in one process, with one event loop."""

import asyncio
import gc
import multiprocessing
import signal
import socket
import ssl
from collections.abc import Callable

import structlog
from uvicorn.loops.auto import auto_loop_factory

from homeshelf.app import create_app
from homeshelf.commands.serve import Binding
from homeshelf.config import Settings
from homeshelf.live.hub import Hub
from homeshelf.serving import machine
from homeshelf.serving.limits import ConnectionLimits
from homeshelf.serving.server import Server
from homeshelf.web.services import services_of

GRACE_SECONDS = 8.0
"""The time for requests in flight; container runtimes kill ten seconds after SIGTERM."""
MAX_WAITING_BYTES = 32_000_000
"""Incomplete request bodies and unread responses of all clients together."""

log = structlog.get_logger()


def run(settings: Settings, binding: Binding, ready: Callable[[], None]) -> int:
    """Serve until a signal arrives or the supervisor has ended."""
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        return runner.run(_run(settings, binding, ready))


async def _run(settings: Settings, binding: Binding, ready: Callable[[], None]) -> int:
    stop = _stop_event()
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        limits = ConnectionLimits(
            total=machine.max_connections(),
            waiting_per_address=settings.limit_connections,
            waiting_bytes=MAX_WAITING_BYTES,
            exempt=settings.trusted_proxies,
        )
        server = Server(app, _listener(binding), limits)
        # Adding the handler before the certificate is first loaded loses no renewal.
        server.loop.add_signal_handler(signal.SIGHUP, _reload_certificate, server, binding)
        server.tls = _tls_context(binding)
        gc.collect()
        gc.freeze()  # loaded code stays, so collections can skip it
        server.start()
        ready()
        await stop.wait()
        await services_of(app).of(Hub).close()
        if not await server.stop(GRACE_SECONDS):
            log.warning("requests_cut_off", after_seconds=GRACE_SECONDS)
    return 0


def _tls_context(binding: Binding) -> ssl.SSLContext | None:
    if binding.certificate and binding.key:
        return machine.load_certificate(binding.certificate, binding.key)
    return None


def _reload_certificate(server: Server, binding: Binding) -> None:
    """Use the renewed certificate for new connections, or keep the old one if it is bad."""
    try:
        server.tls = _tls_context(binding)
    except (OSError, ValueError) as error:  # an ssl.SSLError is an OSError
        path = str(binding.certificate)
        log.error("certificate_refused", certificate=path, error=str(error))  # noqa: TRY400
        return
    if server.tls:
        log.info("certificate_loaded", certificate=str(binding.certificate))
    else:
        log.info("reload_ignored", reason="there is no certificate to load again")


def _stop_event() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:

        def orphaned() -> None:
            loop.remove_reader(supervisor.sentinel)
            stop.set()

        loop.add_reader(supervisor.sentinel, orphaned)
    return stop


def _listener(binding: Binding) -> socket.socket:
    family = socket.AF_INET6 if ":" in binding.address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((binding.address, binding.port))
    return listener
