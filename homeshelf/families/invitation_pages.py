"""Inviting somebody, and coming in."""

from contextlib import suppress

import segno
from fastapi import Request, Response
from markupsafe import Markup

from homeshelf.access import signed_in
from homeshelf.access.shell import shell_for, shell_of
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.accounts.cookies import keep_signed_in
from homeshelf.errors import Duplicate, NotFound, Unauthenticated
from homeshelf.families import invitations, store
from homeshelf.families.bodies import NewInvitation
from homeshelf.families.callers import Admin, FamilyMember
from homeshelf.families.invitations_api import with_link
from homeshelf.families.links import ticket_of
from homeshelf.families.messages import goes_by_mail, mailed
from homeshelf.families.model import Invitation, Ticket
from homeshelf.outbox.store import can_mail
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import InvitationId
from homeshelf.web.pages import Shell, page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

router = page_router()


@router.get("/family/invite")
async def invite_page(request: Request, admin: Admin, services: TheServices) -> Response:
    return await _invite(request, services, admin, Form(NewInvitation))


@router.post("/family/invite")
async def invite(request: Request, admin: Admin, services: TheServices) -> Response:
    form = await sent_form(request, NewInvitation)
    if form.body is None:
        return await _invite(request, services, admin, form)
    asked, by_mail = form.body, goes_by_mail(services, admin.account)
    unit = mailed(services, admin.account, services.db)
    try:
        made = await invitations.invite(
            unit, services.signer, admin.membership, asked.email, asked.role, mailed=by_mail
        )
    except Duplicate as there:
        waiting = there.record
        if not isinstance(waiting, Invitation) or waiting.role != asked.role:
            return await _invite(request, services, admin, form.but(email=there.detail))
        made = waiting
    return see_other(f"/family/invitations/{made.invitation_id}")


@router.get("/family/invitations/{invitationId}")
async def invitation_page(
    request: Request, admin: Admin, invitation_id: InvitationId, services: TheServices
) -> Response:
    """The link and its code to scan: with no mail server this is how it reaches anybody."""
    found = await store.invitation(services.db, admin.family_id, invitation_id)
    if found is None or found.status != "pending":
        raise NotFound("This invitation was answered or taken back.")
    shown = with_link(request, found)
    shell = await shell_of(services, admin)
    return page(
        request,
        "families/invitation.html",
        shell=shell,
        invitation=found,
        status=shown["status"],
        link=shown["link"],
        qr=_qr(shown["link"]),
        by_mail=can_mail(services.settings),
        account=admin.account,
    )


@router.post("/family/invitations/{invitationId}/resend")
async def send_again(admin: Admin, invitation_id: InvitationId, services: TheServices) -> Response:
    unit = mailed(services, admin.account, services.db)
    by_mail = goes_by_mail(services, admin.account)
    await invitations.send_again(
        unit, services.signer, admin.membership, invitation_id, mailed=by_mail
    )
    return see_other(f"/family/invitations/{invitation_id}")


@router.post("/family/invitations/{invitationId}/revoke")
async def take_back(admin: Admin, invitation_id: InvitationId, services: TheServices) -> Response:
    await invitations.revoke(services.db, admin.family_id, invitation_id)
    return see_other("/family?said=taken-back")


@router.get("/join/{token}")
async def join_page(request: Request, token: str, services: TheServices) -> Response:
    """Opening the link changes nothing: scanners and previews open it too."""
    ticket = _ticket(token)
    invitation, host = await invitations.admitted(services.db, ticket)
    family = await store.family(services.db, ticket.family_id)
    if family is None:
        raise NotFound(_OLD_LINK)
    try:
        person = await signed_in(request)
    except Unauthenticated:
        person = None
    shell = await shell_for(request, services, person) if person else Shell()
    return page(
        request,
        "families/join.html",
        token=token,
        family=family,
        host=host,
        invitation=invitation,
        person=person,
        shell=shell,
    )


@router.post("/join/{token}/accept")
async def accept(request: Request, token: str, person: Person, services: TheServices) -> Response:
    return await _come_in(request, services, person, _ticket(token))


@router.post("/join/{token}/decline")
async def decline(token: str, person: Person, services: TheServices) -> Response:
    await invitations.decline(services.db, _ticket(token))
    return see_other("/families" if person.account.families else "/families/new")


@router.post("/invitations/{invitationId}/accept")
async def accept_offer(
    request: Request, invitation_id: InvitationId, person: Person, services: TheServices
) -> Response:
    """One that Home offers: the address is the person's own."""
    ticket = await invitations.ticket_for(services.db, person.account, invitation_id)
    return await _come_in(request, services, person, ticket)


@router.post("/invitations/{invitationId}/decline")
async def decline_offer(
    invitation_id: InvitationId, person: Person, services: TheServices
) -> Response:
    ticket = await invitations.ticket_for(services.db, person.account, invitation_id)
    await invitations.decline(services.db, ticket)
    return see_other("/")


_OLD_LINK = "This invitation was used, taken back, or is older than a week. Ask for a new one."


def _ticket(token: str) -> Ticket:
    ticket = ticket_of(token)
    if ticket is None:
        raise NotFound(_OLD_LINK)
    return ticket


async def _come_in(
    request: Request, services: Services, person: AccountHolder, ticket: Ticket
) -> Response:
    with suppress(Duplicate):  # in the family already, which is where they want to be
        await invitations.accept(services.db, person.member_id, ticket)
    response = see_other("/")
    keep_signed_in(request, response, person.session, ticket.family_id)
    return response


async def _invite(
    request: Request, services: Services, admin: FamilyMember, form: Form[NewInvitation]
) -> Response:
    status = 400 if form.wrong else 200
    shell = await shell_of(services, admin)
    return page(request, "families/invite.html", status, shell=shell, form=form)


def _qr(link: str) -> Markup:
    picture = segno.make(link, error="m", micro=False)
    drawn = picture.svg_inline(border=2, omitsize=True, svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  # drawn from squares alone
