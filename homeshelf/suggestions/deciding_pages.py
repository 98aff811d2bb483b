from dataclasses import dataclass

from fastapi import Response

from homeshelf.access.view import AdminView, MemberView
from homeshelf.coordination.transaction import existing
from homeshelf.errors import (
    AlreadyReviewed,
    Duplicate,
    HomeshelfError,
    IdempotencyMismatch,
    ItemUnavailable,
    NotFound,
    VersionConflict,
)
from homeshelf.sentences import _
from homeshelf.shopping.store import pending_entries, undo_adding
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import DecisionForm, ListForm
from homeshelf.suggestions.details import with_details
from homeshelf.suggestions.fields import SuggestionId
from homeshelf.table import TableError
from homeshelf.web.forms import Form
from homeshelf.web.idempotency import IdempotentRequest
from homeshelf.web.ids import is_id
from homeshelf.web.json import shown
from homeshelf.web.pages import page_router, see_other

router = page_router("/wishes")

CARDS = 300
DECIDED = 30
SAID = {
    "yes": _("Done. It is on the list."),
    "stocked": _("Done. It is in the stock."),
    "no": _("Said no, kindly."),
    "decided": _("Somebody else has decided that already."),
    "gone": _("That is not in the stock any more. You can still say no."),
}
ABOUT_NEW = ("listed", "not-listed", "off-list")


@dataclass(frozen=True)
class Told:
    """What came of the last decision, and what can be done about it."""

    text: str
    suggestion_id: str = ""
    offers: bool | None = None
    """Whether to offer the list (True), taking it off (False), or nothing."""


@router.post("/{suggestionId}/decide")
async def decide(view: AdminView, suggestion_id: SuggestionId) -> Response:
    form = await view.form(DecisionForm)
    if form.body is None:
        return await deciding_page(view, "", suggestion_id, form)
    try:
        return see_other(await _decided(view, suggestion_id, form.body))
    except (AlreadyReviewed, VersionConflict, IdempotencyMismatch):
        return see_other("/wishes?said=decided")
    except ItemUnavailable:
        return see_other("/wishes?said=gone")


@router.post("/{suggestionId}/list")
async def put_on_list_or_off(view: AdminView, suggestion_id: SuggestionId) -> Response:
    """Put the item that an approval made on the list, or undo that."""
    family_id = view.who.family_id
    form = await view.form(ListForm)
    wish = await existing(view.db, store.key_of(family_id, suggestion_id))
    item_id = (await store.created_item_ids(view.db, [wish])).get(suggestion_id)
    if item_id is None:
        raise NotFound
    if form.body is None:
        return see_other("/wishes")
    if form.body.wanted:
        listed = await _listed(view, view.who.request, suggestion_id, item_id)
        return see_other(listed)
    waiting = await pending_entries(view.db, family_id, item_id)
    for entry_id in waiting.members[:1]:
        await undo_adding(view.db, family_id, entry_id)
    return see_other(_about("off-list", suggestion_id))


async def deciding_page(
    view: MemberView, said: str, wish: str, refused: Form[DecisionForm] | None = None
) -> Response:
    """Show the pending wishes; a refused answer is on top, as it was filled in."""
    waiting = (await view.db.all(store.with_status(view.who.family_id, "pending")))[::-1]
    told = await _told(view, said, wish)
    if refused:
        waiting = sorted(waiting, key=lambda each: each.suggestion_id != wish)
        told = None if "rejectionNotes" in refused.wrong else Told(_("This is no form of ours."))
        if all(each.suggestion_id != wish for each in waiting):
            told = Told(SAID["decided"])
    decided, _more = await store.newest(
        view.db, view.who.family_id, ("approved", "rejected"), DECIDED, None
    )
    return await view.page(
        "suggestions/decide.html",
        cards=await with_details(view.db, waiting[:CARDS]),
        decided=await with_details(view.db, decided),
        form=refused or Form(DecisionForm),
        refused=wish if refused else "",
        told=told,
    )


async def _decided(view: AdminView, suggestion_id: str, asked: DecisionForm) -> str:
    """Carry out a decision once, however often it is sent; returns the next address."""
    request = view.who.request.of_form(
        asked.answer, f"{asked.version} {asked.rejection_notes or ''}"
    )
    wish = store.key_of(view.who.family_id, suggestion_id), asked.version, view.who.member_id
    if asked.answer == "no":
        await request.outcome(
            view.db, lambda unit: store.reject(unit, *wish, asked.rejection_notes)
        )
        return "/wishes?said=no"
    created = await request.outcome(
        view.db, lambda unit: store.approve(unit, *wish), lambda result: shown(result.created)
    )
    if created["entityType"] == "ShoppingListItem":
        return "/wishes?said=yes"
    if not asked.to_list:
        return "/wishes?said=stocked"
    item_id = created["itemId"]
    return await _listed(view, request.of_form("list", item_id), suggestion_id, item_id)


async def _listed(
    view: AdminView, request: IdempotentRequest, suggestion_id: str, item_id: str
) -> str:
    """Put the item on the list as a request of its own: if it fails, the approval stands."""
    who = view.who.family_id, view.who.member_id
    try:
        await request.outcome(
            view.db, lambda unit: store.list_created(view.services, unit, *who, item_id)
        )
    except Duplicate:
        pass
    except (HomeshelfError, TableError):
        return _about("not-listed", suggestion_id)
    return _about("listed", suggestion_id)


def _about(said: str, suggestion_id: str) -> str:
    """Keep the message in the address, so that reloading shows it again."""
    return f"/wishes?said={said}&wish={suggestion_id}"


async def _told(view: MemberView, said: str, suggestion_id: str) -> Told | None:
    if said in SAID:
        return Told(SAID[said])
    if said not in ABOUT_NEW or not is_id(suggestion_id):
        return None
    found = await store.suggestion(view.db, view.who.family_id, suggestion_id)
    if found is None:
        return None
    (wish,) = await with_details(view.db, [found])
    if wish.made_status is None:
        return None
    what = found.what
    if wish.is_on_list:
        return Told(_("Done. {what} is on the list.", what=what), suggestion_id, offers=False)
    if wish.made_status != "active" or said == "listed":
        return Told(_("Done. {what} is not on the list any more.", what=what))
    if said == "off-list":
        text = _("{what} is off the list again. It is still in the stock.", what=what)
    else:
        text = _("{what} is in the stock. It could not be put on the list.", what=what)
    return Told(text, suggestion_id, offers=True)
