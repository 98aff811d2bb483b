"""Run mail servers in separate processes: `python -m tests.outbox.smtp_server` starts them."""

import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.servers.leash import die_with_parent
from tests.servers.programs import LEASH


class SmtpServers:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, port: int, folder: Path) -> int:
        pid = self._ask("start", port, str(folder))
        assert pid, "the mail server did not start"
        return pid

    def kill(self, pid: int) -> None:
        self._ask("kill", pid)

    def _ask(self, *what: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def running_smtp_servers() -> Iterator[SmtpServers]:
    program = (sys.executable, "-m", "tests.outbox.smtp_server")
    with subprocess.Popen(
        [sys.executable, "-S", str(LEASH), *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield SmtpServers(process)
        process.kill()


class Handler:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def orders(self) -> dict[str, Any]:
        orders: dict[str, Any] = json.loads((self.folder / "orders.json").read_text())
        return orders

    async def handle_MAIL(  # noqa: N802  # as aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.orders.get("mail"):
            return str(answer)
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        await asyncio.sleep(self.orders.get("slow", 0))
        if answer := self.orders.get("rcpt"):
            return str(answer)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        orders = self.orders
        if answer := orders.get("data"):
            return str(answer)
        if orders.get("hang_up"):
            assert isinstance(server.transport, asyncio.WriteTransport)
            server.transport.abort()
            await asyncio.sleep(60)
        self._keep(session, envelope)
        if orders.get("silent"):
            await asyncio.sleep(60)
        return "250 OK"

    def _keep(self, session: Session, envelope: Envelope) -> None:
        number = len(list(self.folder.glob("*.mail")))
        kept = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": (envelope.original_content or b"").decode("latin-1"),
            "greeted_as": session.host_name,
            "encrypted": session.ssl is not None,
            "signed_in": bool(session.authenticated),
        }
        made = self.folder / f"{uuid4()}.part"
        made.write_text(json.dumps(kept))
        made.rename(self.folder / f"{number:04}-{made.stem}.mail")


async def serve(port: int, folder: Path) -> None:
    options: dict[str, Any] = json.loads((folder / "options.json").read_text())
    context = None
    if "certificate" in options:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
    at_once = context if options.get("tls") == "at once" else None

    def sign_in(_server: SMTP, _session: Session, _envelope: Envelope, _way: str, data: Any) -> Any:
        right = isinstance(data, LoginPassword) and [data.login, data.password] == [
            word.encode() for word in options["user"]
        ]
        return AuthResult(success=right, handled=right)

    def create_protocol() -> SMTP:
        return SMTP(
            Handler(folder),
            enable_SMTPUTF8=options.get("utf8", True),
            tls_context=None if at_once else context,
            authenticator=sign_in if "user" in options else None,
            auth_required="user" in options,
            auth_require_tls="user" not in options,
            hostname="post.test",
        )

    server = await asyncio.get_running_loop().create_server(
        create_protocol, "127.0.0.1", port, ssl=at_once, reuse_address=True
    )
    _print_pid(os.getpid())
    await server.serve_forever()


def main() -> None:
    for line in sys.stdin:
        match json.loads(line):
            case ["start", int(port), str(folder)]:
                if os.fork() == 0:
                    _run_server_in_child(port, Path(folder))
            case ["kill", int(pid)]:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                _print_pid(pid)


def _run_server_in_child(port: int, folder: Path) -> None:
    die_with_parent()
    try:
        asyncio.run(serve(port, folder))
    finally:
        _print_pid(0)  # an error here must not leave the parent waiting
        os._exit(1)


def _print_pid(pid: int) -> None:
    print(pid, flush=True)  # noqa: T201  # for who asked


if __name__ == "__main__":
    main()
