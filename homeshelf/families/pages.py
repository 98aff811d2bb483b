"""The family: who is in it, what they may do, and what it is called."""

from typing import Any

from fastapi import Response

from homeshelf import clock
from homeshelf.accounts.browsers import keep_signed_in
from homeshelf.accounts.callers import PersonView
from homeshelf.errors import LastAdmin, NotFound, VersionConflict, or_not_found
from homeshelf.families import store
from homeshelf.families.bodies import FamilyChange, MemberChange, NewFamily
from homeshelf.families.callers import AdminView, MemberView
from homeshelf.families.offers import offers_to
from homeshelf.sentences import _
from homeshelf.web.forms import Form
from homeshelf.web.ids import FamilyId, MemberId
from homeshelf.web.pages import Said, see_other
from homeshelf.web.requests import page_router

router = page_router()

SAID = {
    "last-admin": _("A family keeps at least one admin. Make somebody else an admin first."),
    "meanwhile": _("Somebody changed this meanwhile. Here is how it is now."),
    "saved": "Saved.",
    "removed": _("Removed. An invitation brings them back."),
    "taken-back": _("Taken back. The link does not work any more."),
}
REFUSED = ("last-admin", "meanwhile")


@router.get("/families")
async def families_page(view: PersonView) -> Response:
    homes = await store.homes(view.db, view.who.account)
    offers = await offers_to(view.db, view.who.account)
    return await view.page("families/families.html", homes=homes, offers=offers)


@router.get("/families/new")
async def new_family_page(view: PersonView) -> Response:
    return await _new_family(view, Form(NewFamily))


@router.post("/families/new")
async def found_family(view: PersonView) -> Response:
    form = await view.form(NewFamily)
    if form.body is None:
        return await _new_family(view, form)
    founded = await store.found_family(view.db, view.who.member_id, form.body.name)
    response = see_other("/")
    keep_signed_in(view.request, response, view.who.session, founded.family_id)
    return response


@router.post("/families/{familyId}/choose")
async def choose_family(view: PersonView, family_id: FamilyId) -> Response:
    if family_id not in view.who.account.families:
        raise NotFound
    response = see_other("/")
    keep_signed_in(view.request, response, view.who.session, family_id)
    return response


@router.get("/family")
async def family_page(view: MemberView, said: Said = "") -> Response:
    return await _family(view, said)


@router.post("/family/name")
async def rename(view: AdminView) -> Response:
    form = await view.form(FamilyChange)
    if form.body is None:
        return await _family(view, naming=form)
    try:
        asked = form.body
        await store.rename_family(view.db, view.who.family_id, asked.name, asked.version)
    except VersionConflict:
        return see_other("/family?said=meanwhile")
    return see_other("/family?said=saved")


@router.post("/family/members/{memberId}")
async def change_member(view: AdminView, member_id: MemberId) -> Response:
    form = await view.form(MemberChange)
    if form.body is None:
        return see_other("/family")
    try:
        await store.change_member(
            view.db, view.who.family_id, member_id, form.body.version, form.body.given("version")
        )
    except VersionConflict:
        return see_other("/family?said=meanwhile")
    except LastAdmin:
        return see_other("/family?said=last-admin")
    return see_other("/family?said=saved")


@router.get("/family/members/{memberId}/remove")
async def remove_member_page(view: MemberView, member_id: MemberId) -> Response:
    """Asks before somebody goes, and names what goes with them."""
    if member_id != view.who.member_id:
        view.who.require("admin")
    person = await store.member(view.db, view.who.family_id, member_id)
    if person is None or not person.is_active:
        raise NotFound(_("They are not in the family any more."))
    waiting = await store.waiting_invitations(view.db, view.who.family_id, clock.timestamp())
    home = await store.family(view.db, view.who.family_id)
    return await view.page(
        "families/remove.html",
        person=person,
        is_self=member_id == view.who.member_id,
        is_last=person.is_admin and home is not None and home.admins == 1,
        last_admin=SAID["last-admin"],
        invitations=sum(each.is_vouched_for(person) for each in waiting),
    )


@router.post("/family/members/{memberId}/remove")
async def remove_member(view: MemberView, member_id: MemberId) -> Response:
    if member_id != view.who.member_id:
        view.who.require("admin")
    try:
        await store.remove_member(view.db, view.who.family_id, member_id)
    except LastAdmin:
        return see_other("/family?said=last-admin")
    if member_id != view.who.member_id:
        return see_other("/family?said=removed")
    response = see_other("/families")
    keep_signed_in(view.request, response, view.who.session, None)
    return response


async def _new_family(view: PersonView, form: Form[NewFamily]) -> Response:
    offers = await offers_to(view.db, view.who.account)
    return await view.page("families/new.html", form=form, person=view.who, offers=offers)


async def _family(view: MemberView, said: str = "", naming: Form[Any] | None = None) -> Response:
    found = or_not_found(await store.family(view.db, view.who.family_id))
    people = await view.db.all(store.members_with_status(view.who.family_id, "active").up_to_date())
    waiting = await store.waiting_invitations(view.db, view.who.family_id, clock.timestamp())
    return await view.page(
        "families/family.html",
        member=view.who,
        family=found,
        people=sorted(people, key=lambda each: each.created_at),
        waiting=waiting if view.who.role == "admin" else [],
        said=SAID.get(said, ""),
        refused=said in REFUSED,
        naming=naming or Form(FamilyChange),
    )
