from typing import Any, Literal

from fastapi import Request, Response

from homeshelf import clock
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.errors import Invalid, or_not_found
from homeshelf.families import invitations, store
from homeshelf.families.bodies import Answered, NewInvitation
from homeshelf.families.callers import Admin
from homeshelf.families.links import ticket_of, token_of
from homeshelf.families.messages import goes_by_mail, mailed
from homeshelf.families.model import Family, Invitation, InvitationStatus, Ticket
from homeshelf.families.model import Member as Membership
from homeshelf.sentences import _
from homeshelf.table import Database
from homeshelf.web.body import Empty
from homeshelf.web.idempotency import minting
from homeshelf.web.ids import InvitationId
from homeshelf.web.json import Json, shown
from homeshelf.web.links import base_url
from homeshelf.web.openapi import answers, extended, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, Services, TheServices

router = api_router()

SHOWN = extended(Invitation, status=InvitationStatus)
WITH_LINK = extended(Invitation, status=InvitationStatus, link=str)


def invitation_json(invitation: Invitation) -> dict[str, Any]:
    return shown(invitation, status=invitation.status_at(clock.timestamp()))


def with_link(request: Request, invitation: Invitation) -> dict[str, Any]:
    services: Services = request.app.state.services
    link = f"{base_url(request)}/join/{token_of(services.signer, invitation)}"
    return invitation_json(invitation) | {"link": link}


async def with_link_again(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    """The answer as it was, with the link that holds now."""
    services: Services = request.app.state.services
    found = await store.invitation(services.db, kept["familyId"], kept["invitationId"])
    return kept if found is None else kept | {"link": with_link(request, found)["link"]}


@router.post("/invitations", status_code=201)
@answers(WITH_LINK)
@minting(with_link_again)
async def invite(
    admin: Admin, new: NewInvitation, request: Request, services: TheServices
) -> Response:
    unit = mailed(services, admin.account, admin.once.unit(services.db, invitation_json, 201))
    by_mail = goes_by_mail(services, admin.account)
    invitation = await invitations.invite(
        unit, services.signer, admin.membership, new.email, new.role, mailed=by_mail
    )
    return Json(with_link(request, invitation), 201)


@router.get("/invitations")
@answers(page_of(SHOWN))
async def listed(
    admin: Admin,
    db: Db,
    asked: PageAsked,
    status: InvitationStatus | Literal["all"] = "pending",
) -> Response:
    if status == "all":
        found = store.invitations_of(admin.family_id)
    else:
        found = store.invitations_with_status(admin.family_id, status, clock.timestamp())
    page = await db.query(found.up_to_date().page(asked.limit, asked.start(admin.caller)))
    return Json(asked.listed(admin.caller, page, invitation_json))


@router.get("/invitations/mine")
@answers(page_of(extended(Invitation, status=InvitationStatus, familyName=str)))
async def mine(person: Person, db: Db, asked: PageAsked) -> Response:
    """Those who are invited read what to, so the family's name goes with it."""
    start = asked.start(person.caller)
    if not person.account.email_verified:
        return Json({"items": []})
    page = await invitations.open_to(db, person.account.email, asked.limit, start)
    families = await db.get_many(
        [Family.key(family_id=id_) for id_ in {found.family_id for found in page.items}],
        skip=True,
    )
    names = {family.family_id: family.name for family in families if family is not None}
    items = [
        invitation_json(found) | {"familyName": names[found.family_id]}
        for found in page.items
        if found.family_id in names
    ]
    return Json(asked.envelope(person.caller, items, page.next))


@router.post("/invitations/accept")
@answers(Membership)
async def accept(person: Person, answered: Answered, db: Db) -> Response:
    ticket = await _ticket(db, person, answered)
    unit = person.once.unit(db, shown)
    return Json(shown(await invitations.accept(unit, person.member_id, ticket)))


@router.post("/invitations/decline", status_code=204)
async def decline(person: Person, answered: Answered, db: Db) -> Response:
    ticket = await _ticket(db, person, answered)
    await invitations.decline(person.once.unit(db, lambda _: None, 204), ticket)
    return Response(status_code=204)


@router.delete("/invitations/{invitationId}", status_code=204)
async def revoke(admin: Admin, invitation_id: InvitationId, db: Db) -> Response:
    await invitations.revoke(db, admin.family_id, invitation_id)
    return Response(status_code=204)


@router.post("/invitations/{invitationId}/resend")
@answers(WITH_LINK)
@minting(with_link_again)
async def send_again(
    admin: Admin,
    invitation_id: InvitationId,
    request: Request,
    services: TheServices,
    _nothing: Empty = None,
) -> Response:
    unit = mailed(services, admin.account, admin.once.unit(services.db, invitation_json))
    by_mail = goes_by_mail(services, admin.account)
    invitation = await invitations.send_again(
        unit, services.signer, admin.membership, invitation_id, mailed=by_mail
    )
    return Json(with_link(request, invitation))


async def _ticket(db: Database, person: AccountHolder, answered: Answered) -> Ticket:
    match answered.token, answered.invitation_id:
        case str(token), None:
            return or_not_found(ticket_of(token))
        case None, str(invitation_id):
            return await invitations.ticket_for(db, person.account, invitation_id)
    raise Invalid([("token", _("Send either the token of the link or an invitationId."))])
