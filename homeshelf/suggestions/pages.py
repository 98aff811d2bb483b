"""Wishes: for children a page to ask on, for parents one card at a time to decide."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Request, Response

from homeshelf.access import Admin, InFamily, Member
from homeshelf.access.shell import shell_of
from homeshelf.errors import (
    AlreadyReviewed,
    HomeshelfError,
    ItemUnavailable,
    NotFound,
    VersionConflict,
)
from homeshelf.families.callers import Suggester
from homeshelf.inventory import store as inventory
from homeshelf.suggestions import store
from homeshelf.suggestions.approving import approve
from homeshelf.suggestions.bodies import DecisionForm, WishForm
from homeshelf.suggestions.seeing import Seen, seen
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import ItemId, SuggestionId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

router = page_router("/wishes")

CARDS = 300
EARLIER = 30
SAID = {
    "asked": "Asked! You will see here what becomes of it.",
    "yes": "Done. It is on its way.",
    "no": "Said no, kindly.",
    "decided": "Somebody else has decided that already.",
    "gone": "That is not in the stock any more. You can still say no.",
}


@router.get("")
async def wishes_page(
    request: Request,
    member: Member,
    services: TheServices,
    said: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    if member.role == "suggester":
        return await _asking(request, services, member, Form(WishForm), SAID.get(said, ""))
    return await _deciding(request, services, member, SAID.get(said, ""))


@router.get("/items/{itemId}")
async def one_item(
    request: Request, suggester: Suggester, item_id: ItemId, services: TheServices
) -> Response:
    found = await inventory.item(services.db, suggester.family_id, item_id)
    if found is None or found.status != "active":
        raise NotFound("That is not in the stock any more.")
    shell = await shell_of(services, suggester)
    return page(request, "suggestions/item.html", shell=shell, item=found, form=Form(WishForm))


@router.post("")
async def ask(request: Request, suggester: Suggester, services: TheServices) -> Response:
    form = await sent_form(request, WishForm)
    if form.body is None:
        return await _asking(request, services, suggester, form, "")
    try:
        await store.suggest(services.db, suggester.membership, form.body.wish())
    except HomeshelfError as refused:
        return await _asking(request, services, suggester, form, refused.detail)
    return see_other("/wishes?said=asked")


@router.post("/{suggestionId}/decide")
async def decide(
    request: Request, admin: Admin, suggestion_id: SuggestionId, services: TheServices
) -> Response:
    form = await sent_form(request, DecisionForm)
    if form.body is None:
        return see_other("/wishes")
    key, asked = store.key_of(admin.family_id, suggestion_id), form.body
    try:
        if asked.answer == "yes":
            await approve(services.db, key, asked.version, admin.member_id)
            return see_other("/wishes?said=yes")
        await store.reject(services.db, key, asked.version, admin.member_id, asked.rejection_notes)
    except (AlreadyReviewed, VersionConflict):
        return see_other("/wishes?said=decided")
    except ItemUnavailable:
        return see_other("/wishes?said=gone")
    return see_other("/wishes?said=no")


async def _asking(
    request: Request, services: Services, member: InFamily, form: Form[Any], said: str
) -> Response:
    items = await services.db.query(
        inventory.items_by_quantity(member.family_id, "active").page(CARDS)
    )
    mine = await store.asked_by(services.db, member.family_id, member.member_id, EARLIER)
    return page(
        request,
        "suggestions/ask.html",
        400 if form.wrong else 200,
        shell=await shell_of(services, member),
        items=sorted(items.items, key=lambda item: item.name.casefold()),
        mine=await seen(services.db, mine),
        form=form,
        said=said,
    )


async def _deciding(request: Request, services: Services, member: InFamily, said: str) -> Response:
    waiting = await services.db.all(store.with_status(member.family_id, "pending"))
    decided, _ = await store.newest(
        services.db, member.family_id, ("approved", "rejected"), EARLIER, None
    )
    cards: Sequence[Seen] = await seen(services.db, list(reversed(waiting))[:CARDS])
    return page(
        request,
        "suggestions/decide.html",
        shell=await shell_of(services, member),
        cards=cards,
        decided=await seen(services.db, decided),
        form=Form(DecisionForm),
        said=said,
    )
