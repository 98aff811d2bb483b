"""Wishes for children: answers, what they would like, and what became of it."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf.access.view import MemberView
from homeshelf.errors import ItemUnavailable, NotFound
from homeshelf.families.callers import SuggesterView
from homeshelf.inventory import store as inventory
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.listing import Wanted, listed
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.shopping.pages import asking
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import WishForm
from homeshelf.suggestions.deciding_pages import deciding_page
from homeshelf.suggestions.details import with_details
from homeshelf.suggestions.fields import SuggestionId
from homeshelf.suggestions.for_children import (
    asked,
    asked_by_now,
    mark_answer_seen,
    news_since,
    unseen_answers,
)
from homeshelf.web.body import LONGEST_SEARCH
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.pages import OutcomeKey, page_router, see_other

router = page_router("/wishes")

CARDS = 300
EARLIER = 30
SAID = {
    "asked": _("Asked! You will see here what becomes of it."),
    "asked-before": _("That was asked for already. Now wait for the answer."),
    "on-list": _("That is on the list already."),
}
_GONE = _("That is not in the stock any more.")


@router.get("")
async def wishes_page(
    view: MemberView,
    said: OutcomeKey = "",
    wish: OutcomeKey = "",
    q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
) -> Response:
    if view.who.role == "suggester":
        return await _asking(view, SAID.get(said, ""), q.strip())
    return await deciding_page(view, said, wish)


@router.get("/new")
async def new_wish_page(view: SuggesterView, name: Annotated[str, Query()] = "") -> Response:
    return await _new_wish(view, Form(WishForm, {"name": name[:100]}))


@router.get("/items/{itemId}")
async def one_item(view: SuggesterView, item_id: ItemId) -> Response:
    found = await _item(view, item_id)
    if found is None:
        raise NotFound(_GONE)
    return await _one_item(view, found, Form(WishForm))


@router.post("")
async def ask(view: SuggesterView) -> Response:
    form = await view.form(WishForm)
    if form.body is None:
        item_id = form.typed.get("itemId", "")
        item = await _item(view, item_id) if is_id(item_id) and not form.typed.get("name") else None
        return await (_one_item(view, item, form) if item else _new_wish(view, form))
    by_now = await asked_by_now(view.db, view.who.family_id, view.who.member_id)
    wished, name = form.body.item_id, form.body.name or ""
    standing = by_now.item(wished) if wished else by_now.name(name)
    if not standing.is_free:
        return see_other(f"/wishes?said={'on-list' if standing.is_on_list else 'asked-before'}")
    try:
        await store.suggest(view.db, view.who.membership, form.body.wish())
    except (NotFound, ItemUnavailable) as refused:
        return await _asking(view, _GONE, status=refused.status)
    return see_other("/wishes?said=asked")


@router.post("/{suggestionId}/heard")
async def hear_answer(view: SuggesterView, suggestion_id: SuggestionId) -> Response:
    key = store.key_of(view.who.family_id, suggestion_id)
    await mark_answer_seen(view.db, key, view.who.member_id)
    return see_other("/wishes")


async def _asking(view: MemberView, said: str, q: str = "", status: int | None = None) -> Response:
    family_id, member_id = view.who.family_id, view.who.member_id
    wanted = Wanted("active", low_stock=False, q=q or None)
    items, more = await listed(view.db, family_id, wanted, CARDS)
    own = await store.asked_by(view.db, family_id, member_id, EARLIER, news_since())
    news = await unseen_answers(view.db, own)
    answered = [each for each in own if each.suggestion_id in news]
    earlier = [each for each in own if each.suggestion_id not in news][:EARLIER]
    mine = await with_details(view.db, [*answered, *earlier])
    return await view.page(
        "suggestions/ask.html",
        status,
        items=sorted(items, key=lambda item: item.name.casefold()),
        more=more is not None,
        asked=await asked(view.db, family_id, member_id),
        answers=sorted(
            mine[: len(answered)],
            key=lambda each: each.suggestion.reviewed_at or "",
            reverse=True,
        ),
        mine=mine[len(answered) :],
        form=Form(WishForm),
        q=q,
        here=f"/wishes{asking(q=q)}",
        said=said,
    )


async def _new_wish(view: SuggesterView, form: Form[WishForm]) -> Response:
    return await view.page("suggestions/new.html", form=form)


async def _one_item(view: SuggesterView, item: InventoryItem, form: Form[WishForm]) -> Response:
    now = await asked(view.db, view.who.family_id, view.who.member_id)
    standing = now.item(item.item_id)
    return await view.page("suggestions/item.html", item=item, standing=standing, form=form)


async def _item(view: SuggesterView, item_id: str) -> InventoryItem | None:
    found = await inventory.item(view.db, view.who.family_id, item_id.lower())
    return found if found and found.status == "active" else None
