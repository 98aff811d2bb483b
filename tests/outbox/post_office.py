"""A real mail server for tests, which can be closed, reopened and told how to respond."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from homeshelf import clock
from homeshelf.config.addresses import mail_server, mailbox
from homeshelf.outbox.model import Letter, Pause
from homeshelf.table import Database
from tests.moment import Moment
from tests.outbox.smtp_server import SmtpServers
from tests.processes import free_port
from tests.queues import letters_of

SENDER = "Homeshelf <shelf@example.org>"
HOME = "https://shelf.example"
LONGEST_PAUSE_SECONDS = Pause.LONGEST.total_seconds()
"""The longest pause after which a failed server is tried again."""


@dataclass(frozen=True)
class ReceivedMail:
    sender: str
    to: list[str]
    content: bytes
    message: EmailMessage
    greeted_as: str
    encrypted: bool
    signed_in: bool

    @property
    def text(self) -> str:
        return self._part("plain")

    @property
    def html(self) -> str:
        return self._part("html")

    @property
    def link(self) -> str:
        return next(line for line in self.text.splitlines() if line.startswith("http"))

    def _part(self, kind: str) -> str:
        part = self.message.get_body((kind,))
        assert part is not None
        return str(part.get_content())


class PostOffice:
    def __init__(self, folder: Path, servers: SmtpServers, **options: Any) -> None:
        self.port = free_port()
        self._folder = folder
        self._servers = servers
        self._pid: int | None = None
        folder.mkdir()
        (folder / "options.json").write_text(json.dumps(options))
        self.order()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def settings(self) -> dict[str, Any]:
        return {"smtp_url": mail_server(self.url), "mail_from": mailbox(SENDER), "public_url": HOME}

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOMESHELF_SMTP_URL": self.url,
            "HOMESHELF_MAIL_FROM": SENDER,
            "HOMESHELF_PUBLIC_URL": HOME,
        }

    def open(self) -> None:
        self._pid = self._servers.start(self.port, self._folder)

    async def open_in_thread(self) -> None:
        await asyncio.to_thread(self.open)

    def close(self) -> None:
        if self._pid is not None:
            self._servers.kill(self._pid)
            self._pid = None

    def order(self, **orders: Any) -> None:
        made = self._folder / "orders.part"
        made.write_text(json.dumps(orders))
        made.rename(self._folder / "orders.json")

    @property
    def mails(self) -> list[ReceivedMail]:
        return [_read_mail(path) for path in sorted(self._folder.glob("*.mail"))]

    async def mail(self, number: int = 1, within: float = 10) -> ReceivedMail:
        end = time.monotonic() + within
        while len(self.mails) < number:
            assert time.monotonic() < end, f"mail {number} has not come"
            await asyncio.sleep(0.02)
        return self.mails[number - 1]


async def outbox(db: Database) -> list[Letter]:
    return await letters_of(db)


async def wait_until_outbox_is_empty(db: Database, within: float = 10) -> None:
    end = time.monotonic() + within
    while await outbox(db):
        assert time.monotonic() < end, "something waits in the outbox"
        await asyncio.sleep(0.02)


@asynccontextmanager
async def send_without_success(moment: Moment) -> AsyncIterator[None]:
    """Let the sender try every letter that the block creates once, while the server is closed."""
    with capture_logs() as logs:
        yield
        async with asyncio.timeout(20):
            while all(each["event"] != "mail_server_away" for each in logs):
                moment.pass_by(1)  # it may be left alone since before the block
                await asyncio.sleep(0.02)


async def wait_until_nothing_is_due(db: Database, within: float = 20) -> None:
    end = time.monotonic() + within
    while any(each.handed_over or each.due_at <= clock.timestamp() for each in await outbox(db)):
        assert time.monotonic() < end, "something is due in the outbox"
        await asyncio.sleep(0.02)


async def wait_for_empty_outbox(db: Database, moment: Moment, within: float = 20) -> None:
    end = time.monotonic() + within
    while any(each.handed_over or each.due_at <= clock.timestamp() for each in await outbox(db)):
        assert time.monotonic() < end, "something waits in the outbox"
        moment.pass_by(LONGEST_PAUSE_SECONDS)
        await asyncio.sleep(0.05)


def _read_mail(path: Path) -> ReceivedMail:
    kept = json.loads(path.read_text())
    content = kept["content"].encode("latin-1")
    message = message_from_string(content.decode(), policy=default)
    assert isinstance(message, EmailMessage)
    return ReceivedMail(
        kept["from"],
        kept["to"],
        content,
        message,
        kept["greeted_as"],
        kept["encrypted"],
        kept["signed_in"],
    )
