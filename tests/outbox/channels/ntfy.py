"""A channel of the tests: it posts to a server as ntfy's, with a topic for each member."""

from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from homeshelf.config import Settings
from homeshelf.outbox.channel import LastMoment, NoAnswer, Refused, ServerAway
from homeshelf.outbox.model import Letter, Message, Recipient
from homeshelf.web.attempts import Count

TIMEOUT = aiohttp.ClientTimeout(total=5)


@dataclass(frozen=True)
class Ntfy:
    url: str
    name: str = "ntfy"

    def reaches(self, recipient: Recipient) -> bool:
        return recipient.member_id is not None

    def counts(self, _letter: Letter, _recipient: Recipient) -> Sequence[Count]:
        return ()

    async def send(self, _letter_id: str, message: Message, last_moment: LastMoment) -> None:
        said = {
            "topic": message.to.member_id,
            "title": message.title,
            "message": "\n".join((*message.before, *message.after)),
            "click": message.link,
        }
        try:
            async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
                await last_moment()
                async with session.post(self.url, json=said) as answer:
                    if answer.status != 200:
                        raise Refused(f"it said {answer.status}")
        except aiohttp.ClientConnectorError:
            raise ServerAway("it cannot be reached.") from None
        except (aiohttp.ClientError, TimeoutError):
            raise NoAnswer("it hung up.") from None


def channel_of(settings: Settings) -> Ntfy | None:
    url = getattr(settings, "ntfy_url", None)
    return Ntfy(url) if url else None
