"""A proxy between a browser and the server, which can fail like a real connection.

async with line_to(homeshelf.url) as line:
    phone = await visitors.arrive(url=line.url, offline_worker=True)
    line.becomes("cut")

open    everything passes
cut     nothing passes, and new connections are refused at once
hang    nothing passes, and connections stay open
deaf    requests pass; each answer is lost, and its connection with it

With `latency`, every answer takes so many seconds longer.
"""

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Literal
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.processes import free_port

State = Literal["open", "cut", "hang", "deaf"]


@dataclass(eq=False)
class Line:
    upstream: str
    url: str = ""
    state: State = "open"
    latency: float = 0
    _passes: asyncio.Event = field(default_factory=asyncio.Event)
    wires: set[asyncio.StreamWriter] = field(default_factory=set)

    def becomes(self, state: State) -> None:
        self.state = state
        if state in ("open", "deaf"):
            self._passes.set()
        else:
            self._passes.clear()
        if state == "cut":
            self.drop_all()

    @asynccontextmanager
    async def flapping(self, seconds: float) -> AsyncIterator[None]:
        async def flap() -> None:
            states: tuple[State, State] = ("cut", "open")
            for state in cycle(states):
                self.becomes(state)
                await asyncio.sleep(seconds)

        task = asyncio.create_task(flap())
        try:
            yield
        finally:
            task.cancel()
            self.becomes("open")

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self.state == "hang":
                await self._passes.wait()
            if self.state != "cut":
                await self._connect(reader, writer)
        except OSError:  # the server is gone
            pass
        finally:
            self._drop(writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        where = urlsplit(self.upstream)
        from_server, to_server = await asyncio.open_connection(where.hostname, where.port)
        self.wires.add(to_server)
        try:
            await asyncio.gather(
                self._pass(reader, to_server), self._pass(from_server, writer, answers=True)
            )
        finally:
            self._drop(to_server)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(65536):
                await self._passes.wait()
                if answers:
                    await asyncio.sleep(self.latency)
                if answers and self.state == "deaf":
                    break
                writer.write(piece)
                await writer.drain()
        if answers:
            writer.close()

    def drop_all(self) -> None:
        for wire in list(self.wires):
            self._drop(wire)

    def _drop(self, wire: asyncio.StreamWriter) -> None:
        self.wires.discard(wire)
        wire.transport.abort()


@asynccontextmanager
async def line_to(upstream: str) -> AsyncIterator[Line]:
    line = Line(upstream)
    line.becomes("open")
    running: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line.wires.add(writer)
        task = asyncio.create_task(line.connect(reader, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        line.drop_all()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "home.test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    certificate_file, key_file = folder / "home.pem", folder / "home.key"
    certificate_file.write_bytes(certificate.public_bytes(pem))
    key_file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate_file, key_file


class ReverseProxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers
        self.upstream = ""
        super().__init__(("127.0.0.1", free_port()), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def reverse_proxy(headers: Mapping[str, str]) -> Iterator[ReverseProxy]:
    with ReverseProxy(headers) as proxy:
        Thread(target=proxy.serve_forever, args=(0.01,)).start()
        try:
            yield proxy
        finally:
            proxy.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: ReverseProxy

    def do_POST(self) -> None:
        host = self.headers["Host"]
        variables = {
            "$http_host": host,
            "$host": host.partition(":")[0],
            "$scheme": "http",
            "$proxy_add_x_forwarded_for": self.client_address[0],
        }
        sent = {**self.headers, **self.server.headers}
        upstream = HTTPConnection(urlsplit(self.server.upstream).netloc, timeout=10)
        upstream.request(
            "POST",
            self.path,
            self.rfile.read(int(self.headers["Content-Length"])),
            {name: variables.get(value, value) for name, value in sent.items()},
        )
        answer = upstream.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.read())
        upstream.close()

    def log_message(self, *_: object) -> None: ...
