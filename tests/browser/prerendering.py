"""A Chromium that prerenders pages.

It does not prerender in a tab with a debugger, such as all of Playwright's. So this browser runs
alone, behind a proxy that sees its requests and serves the page that starts the prerendering.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.browser.screens import FLAGS, chromium_path

COMES = "somebody comes"
HTML, SCRIPT = "text/html", "text/javascript"
_OURS = {"connection", "accept-encoding", "content-length"}


class RecordingProxy:
    """Proxy that records requests. A prerendered page reports when its scripts have run."""

    def __init__(self, running: str, prepared: str) -> None:
        self.running, self.prepared = running, prepared
        self.seen: list[str] = []
        self.purposes: dict[str, str] = {}
        self.ran, self.coming, self.answered = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.url = ""

    def activate_page(self) -> None:
        self.seen.append(COMES)
        self.coming.set()

    async def handle_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, path, _ = head[0].split()
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            status, kind, content = await self._respond(method, path, headers, body)
            start = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}"
            writer.write(f"{start}\r\nConnection: close\r\n\r\n".encode() + content)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):  # the browser is closed
            pass
        finally:
            writer.close()

    async def _respond(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        match path:
            case "/start":
                return 200, HTML, _START.replace("PREPARED", self.prepared).encode()
            case "/comes":
                await self.coming.wait()
                return 200, HTML, b""
            case "/ran.js":
                return 200, SCRIPT, b'fetch("/ran")'
            case "/ran":
                self.ran.set()
                return 200, HTML, b""
        return await self._forward(method, path, headers, body)

    async def _forward(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        self.seen.append(f"{method} {path}")
        self.purposes[path] = headers.get("sec-purpose", "")
        others = {name: text for name, text in headers.items() if name not in _OURS}
        async with httpx.AsyncClient(base_url=self.running) as client:
            found = await client.request(method, path, headers=others, content=body)
        content = found.content
        if path == self.prepared:
            content = content.replace(b"</body>", _RAN + b"</body>")
        if method == "POST":
            self.answered.set()
        return found.status_code, found.headers.get("content-type", HTML), content


@asynccontextmanager
async def open_prerendering_browser(
    running: str, prepared: str, folder: Path
) -> AsyncIterator[RecordingProxy]:
    """Open a browser at a page that prerenders another page of the same site."""
    found = RecordingProxy(running, prepared)
    server = await asyncio.start_server(found.handle_connection, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    browser = await asyncio.create_subprocess_exec(
        chromium_path(whole=True),
        "--headless=new",
        f"--user-data-dir={folder}",
        *FLAGS,
        f"http://127.0.0.1:{port}/start",
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield found
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        await browser.wait()
        server.close()


_START = """<!doctype html>
<script type="speculationrules">
  {"prerender": [{"source": "list", "urls": ["PREPARED"], "eagerness": "immediate"}]}
</script>
<script>fetch("/comes").then(() => { location.href = "PREPARED"; })</script>
"""
_RAN = b'<script type="module" src="/ran.js"></script>'
