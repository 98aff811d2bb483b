"""A channel for tests that posts to a server like ntfy's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from homeshelf.config import Settings
from homeshelf.coordination.attempts import Count
from homeshelf.outbox.channel import (
    BeforeHandover,
    NoResponse,
    PersonalAddress,
    Refused,
    ServerUnavailable,
)
from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.table import Database, Keys, Sparse

TIMEOUT = aiohttp.ClientTimeout(total=5)


class NtfyAddress(PersonalAddress):
    keys = Keys(PK="ACCOUNT#{memberId}", SK="NTFY")

    server: str
    topic: str
    token: Sparse[str] = None


ADDRESS = NtfyAddress


@dataclass(frozen=True)
class Ntfy:
    name: str = "ntfy"

    async def find_address(self, db: Database, recipient: Recipient) -> NtfyAddress | None:
        if recipient.member_id is None:
            return None
        return await db.get(NtfyAddress.key(member_id=recipient.member_id))

    def counts(self, _letter: Letter, _recipient: Recipient) -> Sequence[Count]:
        return ()

    async def send(
        self,
        _letter_id: str,
        message: Message,
        address: NtfyAddress,
        before_handover: BeforeHandover,
    ) -> None:
        body: dict[str, Any] = {
            "topic": address.topic,
            "title": message.title,
            "message": "\n".join((*message.before, *message.after)),
            "click": message.link,
        }
        headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
        try:
            async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
                await before_handover()
                async with session.post(address.server, json=body, headers=headers) as answer:
                    if answer.status != 200:
                        raise Refused(f"it said {answer.status}")
        except aiohttp.ClientConnectorError:
            raise ServerUnavailable("it cannot be reached.") from None
        except (aiohttp.ClientConnectionError, TimeoutError):
            raise NoResponse("it hung up.") from None


def channel_of(settings: Settings) -> Ntfy | None:
    return Ntfy() if settings.public_url else None
