from typing import Annotated, Any

from fastapi import Depends, Query, Response

from homeshelf.access import InFamily, InRole, Member
from homeshelf.coordination.transaction import existing
from homeshelf.families.callers import FamilyMember
from homeshelf.inventory.model import InventoryItem
from homeshelf.sentences import _
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions import store
from homeshelf.suggestions.bodies import Approval, NewSuggestion, Rejection
from homeshelf.suggestions.details import DetailedSuggestion, with_details
from homeshelf.suggestions.fields import Status, SuggestionId
from homeshelf.suggestions.model import Suggestion
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import extended, operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db

router = api_router()

SEEN = extended(Suggestion, suggesterStatus=str, itemStatus=str | None, alreadyOnList=bool)

Admin = Annotated[InFamily, Depends(InRole("admin", _("Invalid reviewer ID or not an admin")))]
Suggester = Annotated[
    FamilyMember, Depends(InRole("suggester", _("Invalid suggester ID or not a suggester")))
]


@router.get("/suggestions", responses=operation_responses(page_of(SEEN, "suggestions")))
async def suggestions(
    member: Member, asked: PageAsked, db: Db, status: Annotated[Status | None, Query()] = None
) -> Response:
    statuses, mark = (status,) if status else store.STATUSES, asked.start(member.caller)
    found, after = await store.newest_suggestions(db, member.family_id, statuses, asked.limit, mark)
    listed = [_suggestion_json(each) for each in await with_details(db, found)]
    return Json(asked.envelope(member.caller, listed, after, "suggestions"))


@router.post(
    "/suggestions", status_code=201, responses=operation_responses(Suggestion, 422, status=201)
)
async def suggest(suggester: Suggester, body: NewSuggestion, db: Db) -> Response:
    return await suggester.request.respond(
        db, lambda unit: store.add_suggestion(unit, suggester.membership, body.given()), status=201
    )


@router.get("/suggestions/{suggestionId}", responses=operation_responses(SEEN))
async def suggestion(member: Member, suggestion_id: SuggestionId, db: Db) -> Response:
    found = await existing(db, store.key_of(member.family_id, suggestion_id))
    return Json(_suggestion_json(*await with_details(db, [found])))


@router.post(
    "/suggestions/{suggestionId}/approve",
    responses=operation_responses(
        {"suggestion": Suggestion, "created": InventoryItem | ShoppingListItem}, 422
    ),
)
async def approve_suggestion(
    admin: Admin, suggestion_id: SuggestionId, body: Approval, db: Db
) -> Response:
    key = store.key_of(admin.family_id, suggestion_id)
    return await admin.request.respond(
        db, lambda unit: store.approve(unit, key, body.version, admin.member_id), _approval_json
    )


@router.post("/suggestions/{suggestionId}/reject", responses=operation_responses(Suggestion))
async def reject_suggestion(
    admin: Admin, suggestion_id: SuggestionId, body: Rejection, db: Db
) -> Response:
    key = store.key_of(admin.family_id, suggestion_id)
    return await admin.request.respond(
        db,
        lambda unit: store.reject(unit, key, body.version, admin.member_id, body.rejection_notes),
    )


def _suggestion_json(each: DetailedSuggestion) -> dict[str, Any]:
    return shown(
        each.suggestion,
        suggesterStatus=each.suggester_status,
        itemStatus=each.item_status,
        alreadyOnList=each.already_on_list,
    )


def _approval_json(result: store.ApprovalResult) -> dict[str, Any]:
    return {"suggestion": shown(result.suggestion), "created": shown(result.created)}
