"""The outbox. A letter is stored in the transaction of its cause, and deleted when sent."""

from collections.abc import Sequence

from homeshelf.config import Settings
from homeshelf.coordination.work_queue import WorkQueue
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.model import MAIL, Letter, Recipient
from homeshelf.table import Database, Query, TransactionCancelled, Write, absent, exists


def can_mail(settings: Settings) -> bool:
    return any(channel.name == MAIL for channel in channels_of(settings))


def writes_for_all_channels(settings: Settings, letter: Letter) -> Sequence[Write]:
    return [letter.by(channel.name).put(absent) for channel in channels_of(settings)]


async def can_reach(db: Database, settings: Settings, letter: Letter, recipient: Recipient) -> bool:
    """Return whether the letter's channel is enabled and has an address of the recipient."""
    for channel in channels_of(settings):
        if channel.name == (letter.channel or MAIL):
            return await channel.find_address(db, recipient) is not None
    return False


async def reaching_channels(db: Database, settings: Settings, recipient: Recipient) -> list[str]:
    return [
        channel.name
        for channel in channels_of(settings)
        if await channel.find_address(db, recipient) is not None
    ]


def waiting_letters(
    shard: str, until: str | None = None, *, since: str | None = None
) -> Query[Letter]:
    """Letters of a shard that are due until a time, the longest due first."""
    return Letter.between("due_at", since, until, shard=shard)


OUTBOX = WorkQueue(MAIL, "OUTBOX", waiting_letters)


def queue_of(channel: str) -> WorkQueue[Letter]:
    if channel == MAIL:
        return OUTBOX

    def waiting(shard: str, until: str | None = None, *, since: str | None = None) -> Query[Letter]:
        return waiting_letters(f"{channel}-{shard}", until, since=since)

    return WorkQueue(channel, f"OUTBOX#{channel}", waiting)


async def replace(db: Database, old: Letter, new: Letter) -> bool:
    """Replace a letter; return False if another worker has changed it."""
    try:
        await db.transact(old.delete(exists), new.put(absent))
    except TransactionCancelled:
        return False
    return True


async def remove_handover_mark(db: Database, kept: Letter, letter: Letter) -> None:
    if kept is not letter:
        await replace(db, kept, letter)


async def delete_letter(db: Database, letter: Letter) -> None:
    await db.write(letter.delete())
