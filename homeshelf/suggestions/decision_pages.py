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
from homeshelf.shopping.store import key_of, pending_entries, remove_if_pending
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import DecisionForm, ListToggleForm
from homeshelf.suggestions.details import with_details
from homeshelf.suggestions.fields import SuggestionId
from homeshelf.table import TableError
from homeshelf.web.forms import Form
from homeshelf.web.idempotency import IdempotentRequest
from homeshelf.web.ids import is_id
from homeshelf.web.json import shown
from homeshelf.web.pages import page_router, see_other

router = page_router("/wishes")

MAX_CARDS = 300
MAX_DECIDED = 30
MESSAGES = {
    "yes": _("Done. It’s on the list."),
    "stocked": _("Done. It’s in your stock."),
    "no": _("Said no, kindly."),
    "decided": _("Someone else has already decided that."),
    "gone": _("That’s no longer in your stock. You can still say no."),
}
CREATED_ITEM_MESSAGES = ("listed", "not-listed", "off-list")


@dataclass(frozen=True)
class Message:
    text: str
    suggestion_id: str = ""
    offers_adding: bool | None = None
    """True offers adding to the list, False removing from it."""


@router.post("/{suggestionId}/decide")
async def decide(view: AdminView, suggestion_id: SuggestionId) -> Response:
    form = await view.form(DecisionForm)
    if form.body is None:
        return await decision_page(view, "", suggestion_id, form)
    try:
        return see_other(await _apply_decision(view, suggestion_id, form.body))
    except (AlreadyReviewed, VersionConflict, IdempotencyMismatch):
        return see_other("/wishes?said=decided")
    except ItemUnavailable:
        return see_other("/wishes?said=gone")


@router.post("/{suggestionId}/list")
async def toggle_list_entry(view: AdminView, suggestion_id: SuggestionId) -> Response:
    family_id = view.who.family_id
    form = await view.form(ListToggleForm)
    wish = await existing(view.db, store.key_of(family_id, suggestion_id))
    item_id = (await store.created_item_ids(view.db, [wish])).get(suggestion_id)
    if item_id is None:
        raise NotFound
    if form.body is None:
        return see_other("/wishes")
    if form.body.wanted:
        listed = await _add_to_list(view, view.who.request, suggestion_id, item_id)
        return see_other(listed)
    waiting = await pending_entries(view.db, family_id, item_id)
    for entry_id in waiting.members[:1]:
        await remove_if_pending(view.db, key_of(family_id, entry_id))
    return see_other(_message_path("off-list", suggestion_id))


async def decision_page(
    view: MemberView, said: str, wish: str, refused: Form[DecisionForm] | None = None
) -> Response:
    """Show the pending wishes; an invalid form is first, as submitted."""
    waiting = (await view.db.all(store.with_status(view.who.family_id, "pending")))[::-1]
    message = await _find_message(view, said, wish)
    if refused:
        waiting = sorted(waiting, key=lambda each: each.suggestion_id != wish)
        is_ours = "rejectionNotes" in refused.wrong
        message = (
            None if is_ours else Message(_("This form isn’t from Homeshelf. Open the page again."))
        )
        if all(each.suggestion_id != wish for each in waiting):
            message = Message(MESSAGES["decided"])
    decided, _more = await store.newest_suggestions(
        view.db, view.who.family_id, ("approved", "rejected"), MAX_DECIDED, None
    )
    return await view.page(
        "suggestions/decide.html",
        cards=await with_details(view.db, waiting[:MAX_CARDS]),
        decided=await with_details(view.db, decided),
        form=refused or Form(DecisionForm),
        refused=wish if refused else "",
        message=message,
    )


async def _apply_decision(view: AdminView, suggestion_id: str, body: DecisionForm) -> str:
    request = view.who.request.of_form(body.answer, f"{body.version} {body.rejection_notes or ''}")
    wish = store.key_of(view.who.family_id, suggestion_id), body.version, view.who.member_id
    if body.answer == "no":
        await request.outcome(view.db, lambda unit: store.reject(unit, *wish, body.rejection_notes))
        return "/wishes?said=no"
    created = await request.outcome(
        view.db, lambda unit: store.approve(unit, *wish), lambda result: shown(result.created)
    )
    if created["entityType"] == "ShoppingListItem":
        return "/wishes?said=yes"
    if not body.to_list:
        return "/wishes?said=stocked"
    item_id = created["itemId"]
    return await _add_to_list(view, request.of_form("list", item_id), suggestion_id, item_id)


async def _add_to_list(
    view: AdminView, request: IdempotentRequest, suggestion_id: str, item_id: str
) -> str:
    """List the item in a request of its own: if it fails, the approval stands."""
    who = view.who.family_id, view.who.member_id
    try:
        await request.outcome(
            view.db, lambda unit: store.list_created_item(view.services, unit, *who, item_id)
        )
    except Duplicate:
        pass
    except (HomeshelfError, TableError):
        return _message_path("not-listed", suggestion_id)
    return _message_path("listed", suggestion_id)


def _message_path(said: str, suggestion_id: str) -> str:
    return f"/wishes?said={said}&wish={suggestion_id}"


async def _find_message(view: MemberView, said: str, suggestion_id: str) -> Message | None:
    if said in MESSAGES:
        return Message(MESSAGES[said])
    if said not in CREATED_ITEM_MESSAGES or not is_id(suggestion_id):
        return None
    found = await store.suggestion(view.db, view.who.family_id, suggestion_id)
    if found is None:
        return None
    (wish,) = await with_details(view.db, [found])
    if wish.created_item_status is None:
        return None
    what = found.item_name
    if wish.is_on_list:
        text = _("Done. {what} is on the list.", what=what)
        return Message(text, suggestion_id, offers_adding=False)
    if wish.created_item_status != "active" or said == "listed":
        return Message(_("Done. {what} is no longer on the list.", what=what))
    if said == "off-list":
        text = _("{what} is off the list again. It’s still in your stock.", what=what)
    else:
        text = _("{what} is in your stock, but couldn’t be added to the list.", what=what)
    return Message(text, suggestion_id, offers_adding=True)
