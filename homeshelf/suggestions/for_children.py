"""What children see: what is wished for or listed already, and answers that are news."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.coordination.changes import announced
from homeshelf.coordination.transaction import existing
from homeshelf.errors import NotFound
from homeshelf.sentences import _, said
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.typed import folded
from homeshelf.suggestions import store
from homeshelf.suggestions.model import HeardAnswer, Suggestion
from homeshelf.table import Database, Key, attr

PENDING = attr("status") == "pending"
NEWS = timedelta(days=14)
"""How long an answer is news, unless the child has seen it."""


@dataclass(frozen=True)
class Standing:
    is_mine: bool
    others: tuple[str, ...]
    is_on_list: bool

    @property
    def is_free(self) -> bool:
        return not (self.is_mine or self.others or self.is_on_list)


@dataclass(frozen=True)
class Asked:
    """What is pending in a family, as one of its children sees it."""

    member_id: str
    wishes: Sequence[Suggestion]
    entries: Sequence[ShoppingListItem]

    def item(self, item_id: str) -> Standing:
        return self._standing(
            lambda wish: wish.item_id == item_id, lambda entry: entry.item_id == item_id
        )

    def name(self, name: str) -> Standing:
        """Compare a new thing, which only its name tells from others."""
        sought = folded(name)
        return self._standing(
            lambda wish: folded(wish.proposed_item_name or "") == sought,
            lambda entry: folded(entry.name) == sought,
        )

    def _standing(
        self,
        is_wished: Callable[[Suggestion], bool],
        is_listed: Callable[[ShoppingListItem], bool],
    ) -> Standing:
        wishes = [wish for wish in self.wishes if is_wished(wish)]
        theirs = [wish for wish in wishes if wish.suggested_by != self.member_id]
        names = [wish.suggested_by_name or said(_("Somebody")) for wish in reversed(theirs)]
        return Standing(
            is_mine=len(theirs) < len(wishes),
            others=tuple(dict.fromkeys(names)),
            is_on_list=any(map(is_listed, self.entries)),
        )


async def asked(db: Database, family_id: str, member_id: str) -> Asked:
    return Asked(
        member_id,
        await db.all(store.with_status(family_id, "pending")),
        await db.all(shopping.with_status(family_id, "pending")),
    )


async def asked_by_now(db: Database, family_id: str, member_id: str) -> Asked:
    """Read the same up to date, for decisions."""
    return Asked(
        member_id,
        await db.all(store.suggestions_of(family_id).up_to_date().only(PENDING)),
        await db.all(shopping.whole_list(family_id).up_to_date().only(PENDING)),
    )


async def mark_answer_seen(db: Database, key: Key[Suggestion], member_id: str) -> None:
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


async def unseen_answers(db: Database, wishes: Sequence[Suggestion]) -> set[str]:
    since = clock.now() - NEWS
    fresh = [
        wish
        for wish in wishes
        if wish.reviewed_at and datetime.fromisoformat(wish.reviewed_at) > since
    ]
    keys = (HeardAnswer.key(family_id=it.family_id, suggestion_id=it.suggestion_id) for it in fresh)
    heard = {it.suggestion_id for it in await db.get_existing(keys)}
    return {wish.suggestion_id for wish in fresh} - heard
