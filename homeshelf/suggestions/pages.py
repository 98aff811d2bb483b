"""Wishes: for children a page to ask on, for parents one card at a time to decide."""

from typing import Any

from fastapi import Response

from homeshelf.access.view import MemberView
from homeshelf.errors import HomeshelfError, NotFound
from homeshelf.families.callers import SuggesterView
from homeshelf.inventory import store as inventory
from homeshelf.sentences import _
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import WishForm
from homeshelf.suggestions.deciding_pages import CARDS, deciding_page
from homeshelf.suggestions.seeing import seen
from homeshelf.web.forms import Form
from homeshelf.web.ids import ItemId
from homeshelf.web.pages import Said, page_router, see_other

router = page_router("/wishes")

EARLIER = 30
SAID = {
    "asked": _("Asked! You will see here what becomes of it."),
}


@router.get("")
async def wishes_page(view: MemberView, said: Said = "", wish: Said = "") -> Response:
    if view.who.role == "suggester":
        return await _asking(view, Form(WishForm), SAID.get(said, ""))
    return await deciding_page(view, said, wish)


@router.get("/items/{itemId}")
async def one_item(view: SuggesterView, item_id: ItemId) -> Response:
    found = await inventory.item(view.db, view.who.family_id, item_id)
    if found is None or found.status != "active":
        raise NotFound(_("That is not in the stock any more."))
    return await view.page("suggestions/item.html", item=found, form=Form(WishForm))


@router.post("")
async def ask(view: SuggesterView) -> Response:
    form = await view.form(WishForm)
    if form.body is None:
        return await _asking(view, form, "")
    try:
        await store.suggest(view.db, view.who.membership, form.body.wish())
    except HomeshelfError as refused:
        return await _asking(view, form, refused.detail)
    return see_other("/wishes?said=asked")


async def _asking(view: MemberView, form: Form[Any], said: str) -> Response:
    items = await view.db.all(inventory.items_by_quantity(view.who.family_id, "active").page(CARDS))
    mine = await store.asked_by(view.db, view.who.family_id, view.who.member_id, EARLIER)
    return await view.page(
        "suggestions/ask.html",
        items=sorted(items, key=lambda item: item.name.casefold()),
        mine=await seen(view.db, mine),
        form=form,
        said=said,
    )
