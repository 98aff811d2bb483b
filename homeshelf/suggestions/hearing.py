"""Answers are news until the child has seen them, for two weeks."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.coordination.changes import announced
from homeshelf.coordination.transaction import existing
from homeshelf.errors import NotFound
from homeshelf.suggestions.model import HeardAnswer, Suggestion
from homeshelf.table import Database, Key

NEWS = timedelta(days=14)


async def hear(db: Database, key: Key[Suggestion], member_id: str) -> None:
    """Mark the answer as seen on every device of the child."""
    wish = await existing(db, key)
    if wish.suggested_by != member_id or wish.is_pending:
        raise NotFound
    ttl = int((clock.now() + NEWS).timestamp())
    heard = HeardAnswer(family_id=wish.family_id, suggestion_id=wish.suggestion_id, ttl=ttl)
    await db.transact(heard.put(), *announced(wish))


def news_since() -> str:
    """Return the timestamp before which no decision is news."""
    return clock.timestamp(clock.now() - NEWS)


async def unheard(db: Database, wishes: Sequence[Suggestion]) -> set[str]:
    since = clock.now() - NEWS
    fresh = [
        wish
        for wish in wishes
        if wish.reviewed_at and datetime.fromisoformat(wish.reviewed_at) > since
    ]
    keys = (HeardAnswer.key(family_id=it.family_id, suggestion_id=it.suggestion_id) for it in fresh)
    heard = {it.suggestion_id for it in await db.get_existing(keys)}
    return {wish.suggestion_id for wish in fresh} - heard
