"""The outbox. A letter is put in the transaction of its cause, and goes when it was sent."""

from collections.abc import Sequence

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.coordination.work_queue import WorkQueue
from homeshelf.mail.model import Letter, Office
from homeshelf.table import Database, Query, TransactionCancelled, Write, absent, exists


def can_send(settings: Settings) -> bool:
    return office_of(settings) is not None


def office_of(settings: Settings) -> Office | None:
    """What it takes to send mail, if all of it is there."""
    server, sender, home = settings.smtp_url, settings.mail_from, settings.public_url
    return Office(server, sender, home) if server and sender and home else None


def missing(settings: Settings) -> list[str]:
    """The variables that are needed for mail and unset."""
    needed = {
        "HOMESHELF_SMTP_URL": settings.smtp_url,
        "HOMESHELF_MAIL_FROM": settings.mail_from,
        "HOMESHELF_PUBLIC_URL": settings.public_url,
    }
    return [variable for variable, value in needed.items() if value is None]


def outbox_writes(settings: Settings, *letters: Letter) -> Sequence[Write]:
    """The writes that put letters into the outbox; none where no mail is sent."""
    return [letter.put(absent) for letter in letters] if can_send(settings) else ()


def waiting_letters(shard: str, until: str | None = None) -> Query[Letter]:
    """Those of a shard that are to be sent by then, the longest due first."""
    return Letter.between("due_at", None, until, shard=shard)


OUTBOX = WorkQueue("mail", "OUTBOX", waiting_letters)


async def replace(db: Database, old: Letter, new: Letter) -> bool:
    """False where the letter is not as it was: another worker has it."""
    try:
        await db.transact(old.delete(exists), new.put(absent))
    except TransactionCancelled:
        return False
    return True


async def postpone(db: Database, letter: Letter) -> None:
    await replace(db, letter, letter.postponed(clock.now()))


async def throw_away(db: Database, letter: Letter) -> None:
    await db.write(letter.delete())
