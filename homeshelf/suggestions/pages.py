"""Wishes: for children a page to ask on, for parents one card at a time to decide."""

from typing import Any

from fastapi import Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.errors import (
    AlreadyReviewed,
    HomeshelfError,
    ItemUnavailable,
    NotFound,
    VersionConflict,
)
from homeshelf.families.callers import SuggesterView
from homeshelf.inventory import store as inventory
from homeshelf.sentences import _
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import DecisionForm, WishForm
from homeshelf.suggestions.seeing import seen
from homeshelf.web.forms import Form
from homeshelf.web.ids import ItemId, SuggestionId
from homeshelf.web.pages import Said, page_router, see_after, see_other

router = page_router("/wishes")

CARDS = 300
EARLIER = 30
SAID = {
    "asked": _("Asked! You will see here what becomes of it."),
    "yes": _("Done. It is on its way."),
    "no": _("Said no, kindly."),
    "decided": _("Somebody else has decided that already."),
    "gone": _("That is not in the stock any more. You can still say no."),
}


@router.get("")
async def wishes_page(view: MemberView, said: Said = "") -> Response:
    if view.who.role == "suggester":
        return await _asking(view, Form(WishForm), SAID.get(said, ""))
    return await _deciding(view, SAID.get(said, ""))


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


@router.post("/{suggestionId}/decide")
async def decide(view: AdminView, suggestion_id: SuggestionId) -> Response:
    form = await view.form(DecisionForm)
    if form.body is None:
        return see_other("/wishes")
    key, asked = store.key_of(view.who.family_id, suggestion_id), form.body
    own = view.db, key, asked.version, view.who.member_id
    return await see_after(
        store.approve(*own) if asked.answer == "yes" else store.reject(*own, asked.rejection_notes),
        f"/wishes?said={asked.answer}",
        {
            AlreadyReviewed: "/wishes?said=decided",
            VersionConflict: "/wishes?said=decided",
            ItemUnavailable: "/wishes?said=gone",
        },
    )


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


async def _deciding(view: MemberView, said: str) -> Response:
    waiting = await view.db.all(store.with_status(view.who.family_id, "pending"))
    decided, _ = await store.newest(
        view.db, view.who.family_id, ("approved", "rejected"), EARLIER, None
    )
    return await view.page(
        "suggestions/decide.html",
        cards=await seen(view.db, waiting[::-1][:CARDS]),
        decided=await seen(view.db, decided),
        form=Form(DecisionForm),
        said=said,
    )
