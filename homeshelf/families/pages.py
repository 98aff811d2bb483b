"""The family: who is in it, what they may do, and what it is called."""

from typing import Annotated, Any

from fastapi import Query, Request, Response

from homeshelf import clock
from homeshelf.access.shell import shell_for, shell_of
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.accounts.cookies import keep_signed_in
from homeshelf.errors import LastAdmin, NotFound, VersionConflict
from homeshelf.families import store
from homeshelf.families.bodies import FamilyChange, MemberChange, NewFamily
from homeshelf.families.callers import Admin, FamilyMember, Member
from homeshelf.families.offers import offers_to
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import FamilyId, MemberId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

router = page_router()

SAID = {
    "last-admin": "A family keeps at least one admin. Make somebody else an admin first.",
    "meanwhile": "Somebody changed this meanwhile. Here is how it is now.",
    "saved": "Saved.",
    "removed": "Removed. An invitation brings them back.",
    "taken-back": "Taken back. The link does not work any more.",
}


@router.get("/families")
async def families_page(request: Request, person: Person, services: TheServices) -> Response:
    homes = await store.homes(services.db, person.account)
    shell = await shell_for(request, services, person)
    offers = await offers_to(services.db, person.account)
    return page(request, "families/families.html", shell=shell, homes=homes, offers=offers)


@router.get("/families/new")
async def new_family_page(request: Request, person: Person, services: TheServices) -> Response:
    return await _new_family(request, services, person, Form(NewFamily))


@router.post("/families/new")
async def found_family(request: Request, person: Person, services: TheServices) -> Response:
    form = await sent_form(request, NewFamily)
    if form.body is None:
        return await _new_family(request, services, person, form)
    founded = await store.found_family(services.db, person.member_id, form.body.name)
    response = see_other("/")
    keep_signed_in(request, response, person.session, founded.family_id)
    return response


@router.post("/families/{familyId}/choose")
async def choose_family(request: Request, family_id: FamilyId, person: Person) -> Response:
    if family_id not in person.account.families:
        raise NotFound
    response = see_other("/")
    keep_signed_in(request, response, person.session, family_id)
    return response


@router.get("/family")
async def family_page(
    request: Request,
    member: Member,
    services: TheServices,
    said: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    return await _family(request, services, member, said=SAID.get(said, ""))


@router.post("/family/name")
async def rename(request: Request, admin: Admin, services: TheServices) -> Response:
    form = await sent_form(request, FamilyChange)
    if form.body is None:
        return await _family(request, services, admin, naming=form)
    try:
        asked = form.body
        await store.rename_family(services.db, admin.family_id, asked.name, asked.version)
    except VersionConflict:
        return see_other("/family?said=meanwhile")
    return see_other("/family?said=saved")


@router.post("/family/members/{memberId}")
async def change_member(
    request: Request, admin: Admin, member_id: MemberId, services: TheServices
) -> Response:
    form = await sent_form(request, MemberChange)
    if form.body is None:
        return see_other("/family")
    try:
        await store.change_member(
            services.db, admin.family_id, member_id, form.body.version, form.body.given("version")
        )
    except VersionConflict:
        return see_other("/family?said=meanwhile")
    except LastAdmin:
        return see_other("/family?said=last-admin")
    return see_other("/family?said=saved")


@router.get("/family/members/{memberId}/remove")
async def remove_member_page(
    request: Request, member: Member, member_id: MemberId, services: TheServices
) -> Response:
    """Asks before somebody goes, and names what goes with them."""
    if member_id != member.member_id:
        member.require("admin")
    person = await store.member(services.db, member.family_id, member_id)
    if person is None or not person.is_active:
        raise NotFound("They are not in the family any more.")
    waiting = await store.waiting_invitations(services.db, member.family_id, clock.timestamp())
    home = await store.family(services.db, member.family_id)
    return page(
        request,
        "families/remove.html",
        shell=await shell_of(services, member),
        person=person,
        is_self=member_id == member.member_id,
        is_last=person.is_admin and home is not None and home.admins == 1,
        last_admin=SAID["last-admin"],
        invitations=sum(each.is_vouched_for(person) for each in waiting),
    )


@router.post("/family/members/{memberId}/remove")
async def remove_member(
    request: Request, member: Member, member_id: MemberId, services: TheServices
) -> Response:
    if member_id != member.member_id:
        member.require("admin")
    try:
        await store.remove_member(services.db, member.family_id, member_id)
    except LastAdmin:
        return see_other("/family?said=last-admin")
    if member_id != member.member_id:
        return see_other("/family?said=removed")
    response = see_other("/families")
    keep_signed_in(request, response, member.session, None)
    return response


async def _new_family(
    request: Request, services: Services, person: AccountHolder, form: Form[NewFamily]
) -> Response:
    status = 400 if form.wrong else 200
    shell = await shell_for(request, services, person)
    offers = await offers_to(services.db, person.account)
    known = {"shell": shell, "form": form, "person": person, "offers": offers}
    return page(request, "families/new.html", status, **known)


async def _family(
    request: Request,
    services: Services,
    member: FamilyMember,
    said: str = "",
    naming: Form[Any] | None = None,
) -> Response:
    found = await store.family(services.db, member.family_id)
    if found is None:
        raise NotFound
    people = await services.db.all(
        store.members_with_status(member.family_id, "active").up_to_date()
    )
    waiting = await store.waiting_invitations(services.db, member.family_id, clock.timestamp())
    return page(
        request,
        "families/family.html",
        400 if naming else 200,
        shell=await shell_of(services, member),
        member=member,
        family=found,
        people=sorted(people, key=lambda each: each.created_at),
        waiting=waiting if member.role == "admin" else [],
        said=said,
        naming=naming or Form(FamilyChange),
    )
