"""What people are told of wishes: admins that there is one, who asked what was decided."""

from collections.abc import Sequence
from functools import partial

from homeshelf.outbox.news import Matter, Passage, Topic
from homeshelf.sentences import _
from homeshelf.suggestions import store
from homeshelf.suggestions.model import Suggestion
from homeshelf.suggestions.seeing import seen
from homeshelf.table import Database


async def _passages(pending: bool, db: Database, matters: Sequence[Matter]) -> list[Passage | None]:
    found = await db.get_many([store.key_of(it.family_id, it.id) for it in matters], skip=True)
    return [
        await _passage(db, wish) if wish and wish.is_pending is pending else None for wish in found
    ]


async def _passage(db: Database, wish: Suggestion) -> Passage:
    if wish.lacks_names:
        wish = (await seen(db, [wish]))[0].suggestion
    return _wish(wish) if wish.is_pending else _answer(wish)


def _wish(wish: Suggestion) -> Passage:
    title = f"{wish.suggested_by_name} asks for {_what(wish)}"
    return Passage(title, _with_words(f"{title}.", wish.notes), "/wishes", "Decide")


def _answer(wish: Suggestion) -> Passage:
    what, approved = _what(wish), wish.status == "approved"
    where = "on the list" if wish.type == "add_to_shopping" else "in the stock"
    line = (
        _("Yes: {what} is {where} now.", what=what, where=where)
        if approved
        else _("No, not this time: {what}.", what=what)
    )
    return Passage(
        f"{'Yes' if approved else 'No'} to {what}",
        _with_words(line, None if approved else wish.rejection_notes),
        "/wishes",
        "Look at your wishes",
    )


def _what(wish: Suggestion) -> str:
    return wish.item_name_snapshot or wish.proposed_item_name or "something"


def _with_words(line: str, words: str | None) -> tuple[str, ...]:
    return (line, f"“{words}”") if words else (line,)


async def _suggester(db: Database, matter: Matter) -> list[str]:
    wish = await store.suggestion(db, matter.family_id, matter.id)
    return [wish.suggested_by] if wish else []


TOPICS = {
    "wish": Topic(partial(_passages, True)),
    "answer": Topic(partial(_passages, False), _suggester),
}
