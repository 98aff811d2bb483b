"""The pages of families, members and invitations."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from fastapi import Response

from homeshelf import clock
from homeshelf.access import signed_in
from homeshelf.access.view import AnyView, View
from homeshelf.accounts.browsers import localize_device, set_session_cookie
from homeshelf.accounts.callers import PersonView
from homeshelf.accounts.model import Session
from homeshelf.accounts.store import require_family_access
from homeshelf.errors import (
    Duplicate,
    HomeshelfError,
    LastAdmin,
    NotForChildren,
    NotFound,
    Unauthenticated,
    VersionConflict,
    or_not_found,
)
from homeshelf.families import children, invitations, store
from homeshelf.families.api import with_link
from homeshelf.families.bodies import FamilyChange, MemberChange, NewFamily, NewInvitation
from homeshelf.families.callers import AdminView, MemberView, remove_person, require_may_remove
from homeshelf.families.fields import FamilyId, InvitationId, MemberId
from homeshelf.families.model import Family, Invitation, Member, Proof, parse_token
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.pages import OutcomeKey, page_router, redirect_after, see_other

router = page_router()

MESSAGES = {
    "last-admin": _("A family needs at least one adult. Make someone else an adult first."),
    "meanwhile": _("Someone else changed this. Here’s how it looks now."),
    "saved": _("Saved."),
    "removed": _("Removed. You can invite them back."),
    "child-removed": _("Removed, and signed out everywhere."),
    "signed-out": _("Device signed out."),
    "taken-back": _("Invitation cancelled. The link no longer works."),
}
EDIT_CONFLICT = _("Someone else changed this. Check it, then save.")
REFUSED: Mapping[type[HomeshelfError], str] = {
    VersionConflict: "/family?said=meanwhile",
    LastAdmin: "/family?said=last-admin",
}


@router.get("/families")
async def families_page(view: PersonView) -> Response:
    return await view.page(
        "families/families.html",
        homes=await store.get_homes(view.db, view.who.account, view.who.session),
        offers=await invitations.offers_for(view.db, view.who.account),
    )


@router.get("/families/new")
async def new_family_page(view: PersonView) -> Response:
    return await _show_new_family(view, Form(NewFamily))


@router.post("/families/new")
async def found_family(view: PersonView) -> Response:
    form = await view.form(NewFamily)
    if form.body is None:
        return await _show_new_family(view, form)
    founded = await store.create_family(view.db, view.who.account.own_key(), form.body.name)
    return _choose_response(view, founded.family_id)


@router.post("/families/{familyId}/choose")
async def choose_family(view: PersonView, family_id: FamilyId) -> Response:
    require_family_access(view.who.account, view.who.session, family_id)
    return _choose_response(view, family_id)


@router.get("/family")
async def family_page(view: MemberView, said: OutcomeKey = "", child: OutcomeKey = "") -> Response:
    """Show the family; `child` was just removed and can be brought back."""
    return await _show_family(view, said, removed=child)


@router.post("/family/name")
async def rename(view: AdminView) -> Response:
    form = await view.form(FamilyChange)
    if form.body is None:
        return await _show_family(view, naming=form)
    body, key = form.body, Family.key(family_id=view.who.family_id)
    try:
        await store.rename_family(view.db, key, body.name, body.version)
    except VersionConflict:
        return await _show_family(view, naming=form.without("version").but(name=EDIT_CONFLICT))
    return see_other("/family?said=saved")


@router.post("/family/members/{memberId}")
async def change_member(view: AdminView, member_id: MemberId) -> Response:
    form = await view.form(MemberChange)
    if form.body is None:
        return see_other("/family")
    key, changes = store.member_key(view.who.family_id, member_id), form.body.given("version")
    return await redirect_after(
        store.change_member(view.db, key, form.body.version, changes), "/family?said=saved", REFUSED
    )


@router.get("/family/members/{memberId}/remove")
async def remove_member_page(view: MemberView, member_id: MemberId) -> Response:
    require_may_remove(view.who, member_id)
    person = await store.get_member(view.db, view.who.family_id, member_id)
    if person is None or not person.is_active:
        raise NotFound(_("This person is no longer in the family."))
    waiting = await store.waiting_invitations(view.db, view.who.family_id, clock.timestamp())
    home = await store.get_family(view.db, view.who.family_id)
    return await view.page(
        "families/remove.html",
        person=person,
        is_self=member_id == view.who.member_id,
        is_last=person.is_admin and home is not None and home.admins == 1,
        last_admin=MESSAGES["last-admin"],
        invitations=sum(each.has_valid_inviter(person) for each in waiting),
    )


@router.post("/family/members/{memberId}/remove")
async def remove_member(view: MemberView, member_id: MemberId) -> Response:
    try:
        await remove_person(view.db, view.who, member_id)
    except LastAdmin:
        return see_other("/family?said=last-admin")
    if member_id != view.who.member_id:
        return see_other("/family?said=removed")
    return see_other("/families")


@router.get("/family/invite")
async def invite_page(view: AdminView) -> Response:
    return await view.page("families/invite.html", form=Form(NewInvitation))


@router.post("/family/invite")
async def invite(view: AdminView) -> Response:
    form = await view.form(NewInvitation)
    if form.body is None:
        return await view.page("families/invite.html", form=form)
    body = form.body
    try:
        made = await invitations.invite(
            view.db, view.who.membership, view.services, view.who.account, body.email, body.role
        )
    except Duplicate as duplicate:
        if not isinstance(duplicate.record, Invitation) or duplicate.record.role != body.role:
            return await view.page("families/invite.html", form=form.but(email=duplicate.detail))
        made = duplicate.record
    return see_other(f"/family/invitations/{made.invitation_id}")


@router.get("/family/invitations/{invitationId}")
async def invitation_page(view: AdminView, invitation_id: InvitationId) -> Response:
    found = await store.get_invitation(view.db, view.who.family_id, invitation_id)
    if found is None:
        raise NotFound(_("This invitation no longer exists."))
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
    key = invitations.invitation_key(view.who.family_id, invitation_id)
    await invitations.send_again(view.db, key, view.services, view.who.account, view.who.membership)
    return see_other(f"/family/invitations/{invitation_id}")


@router.post("/family/invitations/{invitationId}/revoke")
async def revoke_invitation(view: AdminView, invitation_id: InvitationId) -> Response:
    await invitations.revoke(view.db, invitations.invitation_key(view.who.family_id, invitation_id))
    return see_other("/family?said=taken-back")


@router.get("/join/{token}")
async def join_page(view: AnyView, token: str) -> Response:
    """Change nothing on GET, as scanners and previews open the link too."""
    proof = _invitation_proof(token)
    invitation, host = await invitations.open_invitation_of(view.db, proof)
    family = or_not_found(await store.get_family(view.db, proof.family_id), _OLD_LINK)
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
    return await _accept_and_choose(view, _invitation_proof(token))


@router.post("/join/{token}/decline")
async def decline(view: PersonView, token: str) -> Response:
    proof = _invitation_proof(token)
    await invitations.decline(view.db, proof.key, proof)
    return see_other("/families" if view.who.account.families else "/families/new")


@router.post("/invitations/{invitationId}/accept")
async def accept_offer(view: PersonView, invitation_id: InvitationId) -> Response:
    return await _accept_and_choose(
        view, await invitations.proof_by_address(view.db, view.who.account, invitation_id)
    )


@router.post("/invitations/{invitationId}/decline")
async def decline_offer(view: PersonView, invitation_id: InvitationId) -> Response:
    proof = await invitations.proof_by_address(view.db, view.who.account, invitation_id)
    await invitations.decline(view.db, proof.key, proof)
    return see_other("/")


_OLD_LINK = _("This invitation has been used, cancelled, or is over a week old. Ask for a new one.")


def _invitation_proof(token: str) -> Proof:
    return or_not_found(parse_token(token), _OLD_LINK)


async def _accept_and_choose(view: PersonView, proof: Proof) -> Response:
    with suppress(Duplicate):  # the person is in the family already
        await invitations.accept(view.db, view.who.member_id, proof)
    return _choose_response(view, proof.family_id)


def _choose_response(view: PersonView, family_id: str) -> Response:
    response = see_other("/")
    set_session_cookie(view.request, response, view.who.session, family_id)
    return response


async def _show_new_family(view: PersonView, form: Form[NewFamily]) -> Response:
    if view.who.account.is_child:
        raise NotForChildren
    return await view.page(
        "families/new.html",
        form=form,
        person=view.who,
        offers=await invitations.offers_for(view.db, view.who.account),
    )


async def _show_family(
    view: MemberView, said: str = "", naming: Form[Any] | None = None, removed: str = ""
) -> Response:
    people = await store.active_members(view.db, view.who.family_id)
    devices, away = await _child_devices(view, people) if view.who.role == "admin" else ({}, [])
    waiting = await store.waiting_invitations(view.db, view.who.family_id, clock.timestamp())
    return await view.page(
        "families/family.html",
        member=view.who,
        family=or_not_found(await store.get_family(view.db, view.who.family_id)),
        people=sorted(people, key=lambda each: each.created_at),
        devices=devices,
        away=away,
        gone=next((each for each in away if each.member_id == removed), None),
        localize_device=localize_device,
        may_have_password=view.services.settings.oidc_issuer is None,
        waiting=waiting if view.who.role == "admin" else [],
        said=MESSAGES.get(said, ""),
        refused=said in ("last-admin", "meanwhile"),
        naming=naming or Form(FamilyChange),
    )


async def _child_devices(
    view: MemberView, people: Sequence[Member]
) -> tuple[Mapping[str, Sequence[Session]], Sequence[Member]]:
    """Return the devices of each child, and the removed children."""
    family_id = view.who.family_id
    removed = await view.db.all(store.members_with_status(family_id, "removed"))
    ids = await children.child_ids_among(view.db, [*people, *removed])
    here = [each.member_id for each in people if each.member_id in ids]
    found = await asyncio.gather(*(children.child_devices(view.db, family_id, id_) for id_ in here))
    return dict(zip(here, found, strict=True)), [e for e in removed if e.member_id in ids]
