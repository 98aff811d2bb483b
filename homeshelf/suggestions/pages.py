"""Show a child's answers, offers and earlier wishes."""

from typing import Annotated

from fastapi import Query, Response

from homeshelf.access.view import MemberView
from homeshelf.errors import ItemUnavailable, NotFound
from homeshelf.families.callers import SuggesterView
from homeshelf.inventory import store as inventory
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.item_list import ItemFilter, list_items
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.shopping.pages import query_string
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import WishForm
from homeshelf.suggestions.child_view import (
    count_asked_items,
    count_unseen_answers,
    mark_answer_seen,
    news_start,
    read_requests,
    reread_requests,
    sort_for_child,
    unseen_answers,
)
from homeshelf.suggestions.decision_pages import decision_page
from homeshelf.suggestions.details import with_details
from homeshelf.suggestions.fields import SuggestionId
from homeshelf.web.body import LONGEST_SEARCH
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.json import Json
from homeshelf.web.pages import OutcomeKey, page_router, see_other

router = page_router("/wishes")

MAX_CARDS = 300
MAX_EARLIER = 30
MESSAGES = {
    "asked": _("Asked! You’ll see the answer here."),
    "asked-before": _("You’ve already asked for that. Wait for the answer."),
    "on-list": _("That’s already on the list."),
}
_ITEM_GONE = _("That’s no longer in the stock.")


@router.get("")
async def wishes_page(
    view: MemberView,
    said: OutcomeKey = "",
    wish: OutcomeKey = "",
    q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
) -> Response:
    if view.who.role == "suggester":
        return await _render_wishes(view, MESSAGES.get(said, ""), q.strip())
    return await decision_page(view, said, wish)


@router.get("/new")
async def new_wish_page(view: SuggesterView, name: Annotated[str, Query()] = "") -> Response:
    return await _render_new_wish(view, Form(WishForm, {"name": name[:100]}))


@router.get("/unseen")
async def unseen_count(view: SuggesterView) -> Response:
    """Count the answers to show, for the badge of an open page."""
    count = await count_unseen_answers(view.db, view.who.family_id, view.who.member_id)
    return Json({"unseenAnswers": count}, headers={"Cache-Control": "no-store"})


@router.get("/items/{itemId}")
async def item_page(view: SuggesterView, item_id: ItemId) -> Response:
    found = await _find_item(view, item_id)
    if found is None:
        raise NotFound(_ITEM_GONE)
    return await _render_item(view, found, Form(WishForm))


@router.post("")
async def add_wish(view: SuggesterView) -> Response:
    form = await view.form(WishForm)
    if form.body is None:
        item_id = form.typed.get("itemId", "")
        is_item = is_id(item_id) and not form.typed.get("name")
        item = await _find_item(view, item_id) if is_item else None
        return await (_render_item(view, item, form) if item else _render_new_wish(view, form))
    by_now = await reread_requests(view.db, view.who.family_id, view.who.member_id)
    wished, name = form.body.item_id, form.body.name or ""
    state = by_now.item(wished) if wished else by_now.name(name)
    if not state.is_free:
        return see_other(f"/wishes?said={'on-list' if state.is_on_list else 'asked-before'}")
    try:
        await store.add_suggestion(view.db, view.who.membership, form.body.to_suggestion())
    except (NotFound, ItemUnavailable) as refused:
        return await _render_wishes(view, _ITEM_GONE, status=refused.status)
    return see_other("/wishes?said=asked")


@router.post("/{suggestionId}/heard")
async def mark_seen(
    view: SuggesterView, suggestion_id: SuggestionId, back: OutcomeKey = ""
) -> Response:
    key = store.key_of(view.who.family_id, suggestion_id)
    await mark_answer_seen(view.db, key, view.who.member_id)
    return see_other("/" if back == "home" else "/wishes")


async def _render_wishes(
    view: MemberView, said: str, q: str = "", status: int | None = None
) -> Response:
    family_id, member_id = view.who.family_id, view.who.member_id
    wanted = ItemFilter("active", low_stock=False, q=q or None)
    items, more = await list_items(view.db, family_id, wanted, MAX_CARDS)
    own = await store.suggestions_by_member(
        view.db, family_id, member_id, MAX_EARLIER, news_start()
    )
    news = await unseen_answers(view.db, own)
    answered = [each for each in own if each.suggestion_id in news]
    earlier = [each for each in own if each.suggestion_id not in news][:MAX_EARLIER]
    mine = await with_details(view.db, [*answered, *earlier])
    return await view.page(
        "suggestions/ask.html",
        status,
        items=sort_for_child(items, await count_asked_items(view.db, own)),
        more=more is not None,
        open_requests=await read_requests(view.db, family_id, member_id),
        answers=sorted(
            mine[: len(answered)], key=lambda each: each.suggestion.reviewed_at or "", reverse=True
        ),
        mine=mine[len(answered) :],
        form=Form(WishForm),
        q=q,
        here=f"/wishes{query_string(q=q)}",
        said=said,
    )


async def _render_new_wish(view: SuggesterView, form: Form[WishForm]) -> Response:
    return await view.page("suggestions/new.html", form=form)


async def _render_item(view: SuggesterView, item: InventoryItem, form: Form[WishForm]) -> Response:
    now = await read_requests(view.db, view.who.family_id, view.who.member_id)
    state = now.item(item.item_id)
    return await view.page("suggestions/item.html", item=item, state=state, form=form)


async def _find_item(view: SuggesterView, item_id: str) -> InventoryItem | None:
    found = await inventory.get_item(view.db, view.who.family_id, item_id.lower())
    return found if found and found.status == "active" else None
