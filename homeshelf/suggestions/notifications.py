"""Notify admins of wishes, and children of decisions."""

from collections.abc import Sequence
from functools import partial

from homeshelf.outbox.notifications import Cause, NotificationKind, NotificationText
from homeshelf.sentences import _
from homeshelf.suggestions import store
from homeshelf.suggestions.details import DetailedSuggestion, with_details
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database


async def _write_texts(
    pending: bool, db: Database, causes: Sequence[Cause]
) -> list[NotificationText | None]:
    found = await db.get_many([store.key_of(it.family_id, it.id) for it in causes], skip=True)
    told = [wish if wish and wish.is_pending is pending else None for wish in found]
    each = iter(await with_details(db, [wish for wish in told if wish]))
    write = _wish_text if pending else _answer_text
    return [write(next(each)) if wish else None for wish in told]


def _wish_text(now: DetailedSuggestion) -> NotificationText:
    wish = now.suggestion
    who, what = wish.suggested_by_name, _item_name(wish)
    return NotificationText(
        _("{who} is asking for {what}", who=who, what=what),
        _add_quote(_("{who} is asking for {what}.", who=who, what=what), wish.notes),
        "/wishes",
        _("Decide"),
    )


def _answer_text(now: DetailedSuggestion) -> NotificationText:
    wish = now.suggestion
    what, look = _item_name(wish), _("See your wishes")
    if wish.status != "approved":
        line = _("Not this time: {what}.", what=what)
        told = _add_quote(line, wish.rejection_notes)
        return NotificationText(_("Not this time: {what}", what=what), told, "/wishes", look)
    if now.is_on_list:
        line = _("Yes! {what} is on the list now.", what=what)
    elif now.created_item_status == "active":
        line = _("Yes! {what} is in the stock now.", what=what)
    else:  # bought or deleted since
        line = _("Yes! {what}.", what=what)
    return NotificationText(_("Yes! {what}", what=what), (line,), "/wishes", look)


def _item_name(wish: Suggestion) -> str:
    return wish.item_name_snapshot or wish.proposed_item_name or _("something")


def _add_quote(line: str, words: str | None) -> tuple[str, ...]:
    return (line, _("“{words}”", words=words)) if words else (line,)


async def _find_suggester(db: Database, cause: Cause) -> list[str]:
    wish = await store.suggestion(db, cause.family_id, cause.id)
    return [wish.suggested_by] if wish else []


NOTIFICATION_KINDS = {
    "wish": NotificationKind(partial(_write_texts, True)),
    "answer": NotificationKind(partial(_write_texts, False), _find_suggester),
}
