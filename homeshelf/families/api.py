from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Header, Query, Request, Response

from homeshelf import clock
from homeshelf.access.view import counts as counted
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.accounts.model import SessionPolicy
from homeshelf.coordination.changes import SESSION_ENDED
from homeshelf.coordination.transaction import existing
from homeshelf.errors import Invalid, or_not_found
from homeshelf.families import invitations, store
from homeshelf.families.bodies import Answered, FamilyChange, MemberChange, NewFamily, NewInvitation
from homeshelf.families.callers import Admin, FamilyMember, Member, remove_person, visible_members
from homeshelf.families.fields import InvitationId, MemberId
from homeshelf.families.model import (
    Family,
    Invitation,
    InvitationStatus,
    Proof,
    invitation_token,
    parse_token,
)
from homeshelf.families.model import Member as Membership
from homeshelf.live.hub import Hub
from homeshelf.live.listener import DOCUMENTED, EventStream, Right
from homeshelf.sentences import _
from homeshelf.table import Database, Key
from homeshelf.web.body import Empty
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import error_responses, extended, operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices, base_url, services_of

router = api_router()


@router.post("/families", status_code=201, responses=operation_responses(Family, status=201))
async def found_family(person: Person, new: NewFamily, db: Db) -> Response:
    return await person.request.respond(
        db, lambda unit: store.create_family(unit, person.account.own_key(), new.name), status=201
    )


@router.get("/family", responses=operation_responses(Family))
async def family(member: Member, db: Db) -> Response:
    return Json(shown(await existing(db, Family.key(family_id=member.family_id))))


@router.patch("/family", responses=operation_responses(Family))
async def rename_family(admin: Admin, change: FamilyChange, db: Db) -> Response:
    key = Family.key(family_id=admin.family_id)
    return await admin.request.respond(
        db, lambda unit: store.rename_family(unit, key, change.name, change.version)
    )


@router.get(
    "/family/counts",
    responses=operation_responses(
        {"pendingSuggestions": int, "unresolvedNotifications": int, "pendingEntries": int}
    ),
)
async def counts(member: Member, services: TheServices) -> Response:
    return Json(await counted(services, member.family_id))


@router.get("/members", responses=operation_responses(page_of(Membership)))
async def members(
    member: Member,
    db: Db,
    paging: PageAsked,
    status: Literal["active", "removed", "all"] = "active",
) -> Response:
    found = visible_members(member, status)
    return await paging.answer(db, member.caller, found.up_to_date())


@router.get("/members/{memberId}", responses=operation_responses(Membership))
async def one_member(member: Member, member_id: MemberId, db: Db) -> Response:
    key = Membership.key(family_id=member.family_id, member_id=member_id)
    return Json(shown(await existing(db, key)))


@router.patch("/members/{memberId}", responses=operation_responses(Membership))
async def change_member(
    admin: Admin, member_id: MemberId, change: MemberChange, db: Db
) -> Response:
    key, changes = store.member_key(admin.family_id, member_id), change.given("version")
    return await admin.request.respond(
        db, lambda unit: store.change_member(unit, key, change.version, changes)
    )


@router.delete("/members/{memberId}", status_code=204)
async def remove_member(member: Member, member_id: MemberId, db: Db) -> None:
    await remove_person(db, member, member_id)


@router.get("/events", responses=DOCUMENTED | error_responses(429))
async def events(
    request: Request,
    member: Member,
    last_event_id: Annotated[str | None, Header()] = None,
    since: Annotated[str | None, Query()] = None,
    visible: Annotated[bool, Query()] = True,
) -> Response:
    """Stream changes since the page was made; `visible=0` lets them arrive some seconds later."""
    services = services_of(request)
    hub = services.of(Hub)
    place = hub.places.hold(member.member_id)
    right = stream_right(member, SessionPolicy.from_settings(services.settings))
    return EventStream(
        place, hub.listening(member.family_id, right, last_event_id, since, visible=visible)
    )


def stream_right(member: FamilyMember, terms: SessionPolicy) -> Right:
    """Return the records that a stream depends on, or the end of a provider's token."""
    own = member.session
    keys: list[Key[Any]] = [member.account.own_key(), member.membership.own_key()]
    if own.is_stored:
        keys.append(own.own_key())

    def until(found: Sequence[Any]) -> float:
        account, membership, session = found if own.is_stored else (*found, own)
        if account is None or membership is None or session is None or not membership.is_active:
            return 0
        if membership.is_admin != member.membership.is_admin:
            return 0  # the client reconnects in its new role
        if not terms.allows(session, account):
            return 0
        ends_at: int | None = terms.limit_lifetime(session, account).ends_at
        until: int = session.ttl
        return until if ends_at is None else min(until, ends_at)

    watched = frozenset({("Member", member.member_id), (SESSION_ENDED, member.member_id)})
    return Right(keys, until, watched, member.membership.is_admin)


SHOWN = extended(Invitation, status=InvitationStatus)
WITH_LINK = extended(Invitation, status=InvitationStatus, link=str)


def invitation_json(invitation: Invitation) -> dict[str, Any]:
    return shown(invitation, status=invitation.status_at(clock.timestamp()))


def with_link(request: Request, invitation: Invitation) -> dict[str, Any]:
    token = invitation_token(services_of(request).signer, invitation)
    return invitation_json(invitation) | {"link": f"{base_url(request)}/join/{token}"}


async def _add_link(
    request: Request, answer: dict[str, Any], invitation: Invitation | None
) -> dict[str, Any]:
    if invitation is None:
        db = services_of(request).db
        invitation = await store.get_invitation(db, answer["familyId"], answer["invitationId"])
    return answer | {"link": with_link(request, invitation)["link"]} if invitation else answer


@router.post("/invitations", status_code=201, responses=operation_responses(WITH_LINK, status=201))
async def invite(
    admin: Admin, new: NewInvitation, request: Request, services: TheServices
) -> Response:
    return await admin.request.respond(
        services.db,
        lambda unit: invitations.invite(
            unit, admin.membership, services, admin.account, new.email, new.role
        ),
        invitation_json,
        201,
        add_secret=partial(_add_link, request),
    )


@router.get("/invitations", responses=operation_responses(page_of(SHOWN)))
async def listed(
    admin: Admin, db: Db, paging: PageAsked, status: InvitationStatus | Literal["all"] = "pending"
) -> Response:
    found = (
        store.invitations_of(admin.family_id)
        if status == "all"
        else store.invitations_with_status(admin.family_id, status, clock.timestamp())
    )
    return await paging.answer(db, admin.caller, found.up_to_date(), invitation_json)


@router.get(
    "/invitations/mine",
    responses=operation_responses(
        page_of(extended(Invitation, status=InvitationStatus, familyName=str))
    ),
)
async def mine(person: Person, db: Db, paging: PageAsked) -> Response:
    """List the caller's invitations with the name of each family."""
    start = paging.start(person.caller)
    page = await invitations.open_invitations_for(db, person.account, paging.limit, start)
    families = await db.get_existing(Family.key(family_id=found.family_id) for found in page.items)
    names = {family.family_id: family.name for family in families}
    items = [
        invitation_json(found) | {"familyName": names[found.family_id]}
        for found in page.items
        if found.family_id in names
    ]
    return Json(paging.envelope(person.caller, items, page.next))


@router.post("/invitations/accept", responses=operation_responses(Membership))
async def accept(person: Person, answered: Answered, db: Db) -> Response:
    async def accept_invitation(unit: Database) -> Membership:
        proof = await _invitation_proof(unit, person, answered)
        return await invitations.accept(unit, person.member_id, proof)

    return await person.request.respond(db, accept_invitation)


@router.post("/invitations/decline", status_code=204)
async def decline(person: Person, answered: Answered, db: Db) -> Response:
    async def decline_invitation(unit: Database) -> None:
        proof = await _invitation_proof(unit, person, answered)
        await invitations.decline(unit, proof.key, proof)

    return await person.request.respond(db, decline_invitation, lambda _: None, 204)


@router.delete("/invitations/{invitationId}", status_code=204)
async def revoke(admin: Admin, invitation_id: InvitationId, db: Db) -> None:
    await invitations.revoke(db, invitations.invitation_key(admin.family_id, invitation_id))


@router.post("/invitations/{invitationId}/resend", responses=operation_responses(WITH_LINK))
async def send_again(
    admin: Admin,
    invitation_id: InvitationId,
    request: Request,
    services: TheServices,
    _nothing: Empty = None,
) -> Response:
    key = invitations.invitation_key(admin.family_id, invitation_id)
    return await admin.request.respond(
        services.db,
        lambda unit: invitations.send_again(unit, key, services, admin.account, admin.membership),
        invitation_json,
        add_secret=partial(_add_link, request),
    )


async def _invitation_proof(db: Database, person: AccountHolder, answered: Answered) -> Proof:
    match answered.token, answered.invitation_id:
        case str(token), None:
            return or_not_found(parse_token(token))
        case None, str(invitation_id):
            return await invitations.proof_by_address(db, person.account, invitation_id)
    raise Invalid([("token", _("Send either the token from the link or an invitationId."))])
