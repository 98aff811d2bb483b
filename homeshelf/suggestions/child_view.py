"""Read what a child sees: pending wishes, listed items and new answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from homeshelf import clock
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.transaction import existing
from homeshelf.errors import NotFound
from homeshelf.inventory.model import InventoryItem
from homeshelf.pictures import shown_picture
from homeshelf.sentences import _, translate
from homeshelf.shopping import store as shopping
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions import store
from homeshelf.suggestions.model import HeardAnswer, Suggestion
from homeshelf.table import Database, Key, attr

PENDING = attr("status") == "pending"
NEWS_PERIOD = timedelta(days=14)
TREATS = frozenset("🍫🍬🍭🍪🍩🍦🍨🧁🎂🍰🥧🍮🍿🥤🧃🧋🥨🥞🧇🍯🍕🍟🌭🍔")


@dataclass(frozen=True)
class WishState:
    is_mine: bool
    other_names: tuple[str, ...]
    is_on_list: bool

    @property
    def is_free(self) -> bool:
        return not (self.is_mine or self.other_names or self.is_on_list)


@dataclass(frozen=True)
class OpenRequests:
    member_id: str
    wishes: Sequence[Suggestion]
    entries: Sequence[ShoppingListItem]

    def item(self, item_id: str) -> WishState:
        return self._state(
            lambda wish: wish.item_id == item_id, lambda entry: entry.item_id == item_id
        )

    def name(self, name: str) -> WishState:
        sought = fold_name(name)
        return self._state(
            lambda wish: fold_name(wish.proposed_item_name or "") == sought,
            lambda entry: fold_name(entry.name) == sought,
        )

    def _state(
        self, is_wished: Callable[[Suggestion], bool], is_listed: Callable[[ShoppingListItem], bool]
    ) -> WishState:
        wishes = [wish for wish in self.wishes if is_wished(wish)]
        theirs = [wish for wish in wishes if wish.suggested_by != self.member_id]
        names = [wish.suggested_by_name or translate(_("Someone")) for wish in reversed(theirs)]
        return WishState(
            is_mine=len(theirs) < len(wishes),
            other_names=tuple(dict.fromkeys(names)),
            is_on_list=any(map(is_listed, self.entries)),
        )


async def read_requests(db: Database, family_id: str, member_id: str) -> OpenRequests:
    return OpenRequests(
        member_id,
        await db.all(store.with_status(family_id, "pending")),
        await db.all(shopping.entries_with_status(family_id, "pending")),
    )


async def reread_requests(db: Database, family_id: str, member_id: str) -> OpenRequests:
    """Read the same strongly consistently, for decisions."""
    return OpenRequests(
        member_id,
        await db.all(store.suggestions_of(family_id).up_to_date().only(PENDING)),
        await db.all(shopping.whole_list(family_id).up_to_date().only(PENDING)),
    )


async def count_asked_items(db: Database, wishes: Sequence[Suggestion]) -> Counter[str]:
    """Count how often each item was wished for, except in wishes that wait for an answer."""
    answered = [wish for wish in wishes if not wish.is_pending]
    created = await store.created_item_ids(db, answered)
    ids = (wish.item_id or created.get(wish.suggestion_id) for wish in answered)
    return Counter(id_ for id_ in ids if id_)


def sort_for_child(items: Iterable[InventoryItem], asked: Mapping[str, int]) -> list[InventoryItem]:
    """Sort items: those the child asked for most often, then treats, then all others by name."""

    def rank(item: InventoryItem) -> tuple[int, bool, str]:
        is_treat = shown_picture(item.name, item.picture or "") in TREATS
        return -asked.get(item.item_id, 0), not is_treat, item.name.casefold()

    return sorted(items, key=rank)


async def mark_answer_seen(db: Database, key: Key[Suggestion], member_id: str) -> None:
    wish = await existing(db, key)
    if wish.suggested_by != member_id or wish.is_pending:
        raise NotFound
    ttl = int((clock.now() + NEWS_PERIOD).timestamp())
    seen = HeardAnswer(family_id=wish.family_id, suggestion_id=wish.suggestion_id, ttl=ttl)
    await db.transact(seen.put(), *change_writes(wish))


def news_start() -> str:
    return clock.timestamp(clock.now() - NEWS_PERIOD)


async def new_answers(db: Database, family_id: str, member_id: str) -> list[Suggestion]:
    """Return the answers that the child has not seen, latest first."""
    answered = await store.recent_answers(db, family_id, member_id, news_start())
    unseen = await unseen_answers(db, answered)
    return [wish for wish in answered if wish.suggestion_id in unseen]


async def count_unseen_answers(db: Database, family_id: str, member_id: str) -> int:
    return len(await new_answers(db, family_id, member_id))


async def unseen_answers(db: Database, wishes: Sequence[Suggestion]) -> set[str]:
    since = clock.now() - NEWS_PERIOD
    fresh = [
        wish
        for wish in wishes
        if wish.reviewed_at and datetime.fromisoformat(wish.reviewed_at) > since
    ]
    keys = (HeardAnswer.key(family_id=it.family_id, suggestion_id=it.suggestion_id) for it in fresh)
    seen = {it.suggestion_id for it in await db.get_existing(keys)}
    return {wish.suggestion_id for wish in fresh} - seen
