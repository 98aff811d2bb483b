"""Inviting somebody, and coming in."""

from contextlib import suppress

from fastapi import Response

from homeshelf.access import signed_in
from homeshelf.access.view import AnyView, View
from homeshelf.accounts.browsers import keep_signed_in
from homeshelf.accounts.callers import PersonView
from homeshelf.errors import Duplicate, NotFound, Unauthenticated, or_not_found
from homeshelf.families import invitations, store
from homeshelf.families.bodies import NewInvitation
from homeshelf.families.callers import AdminView
from homeshelf.families.invitations_api import with_link
from homeshelf.families.links import ticket_of
from homeshelf.families.messages import goes_by_mail, mailed
from homeshelf.families.model import Invitation, Ticket
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.ids import InvitationId
from homeshelf.web.pages import see_other
from homeshelf.web.requests import page_router

router = page_router()


@router.get("/family/invite")
async def invite_page(view: AdminView) -> Response:
    return await _invite(view, Form(NewInvitation))


@router.post("/family/invite")
async def invite(view: AdminView) -> Response:
    form = await view.form(NewInvitation)
    if form.body is None:
        return await _invite(view, form)
    asked, by_mail = form.body, goes_by_mail(view.services, view.who.account)
    unit = mailed(view.services, view.who.account, view.db)
    try:
        made = await invitations.invite(
            unit,
            view.services.signer,
            view.who.membership,
            asked.email,
            asked.role,
            mailed=by_mail,
        )
    except Duplicate as there:
        waiting = there.record
        if not isinstance(waiting, Invitation) or waiting.role != asked.role:
            return await _invite(view, form.but(email=there.detail))
        made = waiting
    return see_other(f"/family/invitations/{made.invitation_id}")


@router.get("/family/invitations/{invitationId}")
async def invitation_page(view: AdminView, invitation_id: InvitationId) -> Response:
    """The link and its code to scan: with no mail server this is how it reaches anybody."""
    found = await store.invitation(view.db, view.who.family_id, invitation_id)
    if found is None or found.status != "pending":
        raise NotFound(_("This invitation was answered or taken back."))
    shown = with_link(view.request, found)
    return await view.page(
        "families/invitation.html",
        invitation=found,
        status=shown["status"],
        link=shown["link"],
        qr=qr_code(shown["link"], border=2),
        by_mail=can_mail(view.services.settings),
        account=view.who.account,
    )


@router.post("/family/invitations/{invitationId}/resend")
async def send_again(view: AdminView, invitation_id: InvitationId) -> Response:
    unit = mailed(view.services, view.who.account, view.db)
    by_mail = goes_by_mail(view.services, view.who.account)
    await invitations.send_again(
        unit, view.services.signer, view.who.membership, invitation_id, mailed=by_mail
    )
    return see_other(f"/family/invitations/{invitation_id}")


@router.post("/family/invitations/{invitationId}/revoke")
async def take_back(view: AdminView, invitation_id: InvitationId) -> Response:
    await invitations.revoke(view.db, view.who.family_id, invitation_id)
    return see_other("/family?said=taken-back")


@router.get("/join/{token}")
async def join_page(view: AnyView, token: str) -> Response:
    """Opening the link changes nothing: scanners and previews open it too."""
    ticket = _ticket(token)
    invitation, host = await invitations.admitted(view.db, ticket)
    family = or_not_found(await store.family(view.db, ticket.family_id), _OLD_LINK)
    try:
        person = await signed_in(view.request)
    except Unauthenticated:
        person = None
    return await View(view.request, person).page(
        "families/join.html",
        token=token,
        family=family,
        host=host,
        invitation=invitation,
        person=person,
    )


@router.post("/join/{token}/accept")
async def accept(view: PersonView, token: str) -> Response:
    return await _come_in(view, _ticket(token))


@router.post("/join/{token}/decline")
async def decline(view: PersonView, token: str) -> Response:
    await invitations.decline(view.db, _ticket(token))
    return see_other("/families" if view.who.account.families else "/families/new")


@router.post("/invitations/{invitationId}/accept")
async def accept_offer(view: PersonView, invitation_id: InvitationId) -> Response:
    """One that Home offers: the address is the view.who's own."""
    ticket = await invitations.ticket_for(view.db, view.who.account, invitation_id)
    return await _come_in(view, ticket)


@router.post("/invitations/{invitationId}/decline")
async def decline_offer(view: PersonView, invitation_id: InvitationId) -> Response:
    ticket = await invitations.ticket_for(view.db, view.who.account, invitation_id)
    await invitations.decline(view.db, ticket)
    return see_other("/")


_OLD_LINK = _("This invitation was used, taken back, or is older than a week. Ask for a new one.")


def _ticket(token: str) -> Ticket:
    return or_not_found(ticket_of(token), _OLD_LINK)


async def _come_in(view: PersonView, ticket: Ticket) -> Response:
    with suppress(Duplicate):  # in the family already, which is where they want to be
        await invitations.accept(view.db, view.who.member_id, ticket)
    response = see_other("/")
    keep_signed_in(view.request, response, view.who.session, ticket.family_id)
    return response


async def _invite(view: AdminView, form: Form[NewInvitation]) -> Response:
    return await view.page("families/invite.html", form=form)
