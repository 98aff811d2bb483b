from typing import Literal

from fastapi import Response

from homeshelf.access import Admin, Member, Person
from homeshelf.access.shell import counts as counted
from homeshelf.errors import or_not_found
from homeshelf.families import store
from homeshelf.families.bodies import FamilyChange, MemberChange, NewFamily
from homeshelf.families.invitations_api import router as invitations
from homeshelf.families.model import Family
from homeshelf.families.model import Member as Membership
from homeshelf.web.ids import MemberId
from homeshelf.web.json import Json, shown
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, TheServices

router = api_router()

COUNTS = {"pendingSuggestions": int, "unresolvedNotifications": int, "pendingEntries": int}


@router.post("/families", status_code=201)
@answers(Family)
async def found_family(person: Person, new: NewFamily, db: Db) -> Response:
    unit = person.once.unit(db, shown, 201)
    return Json(shown(await store.found_family(unit, person.member_id, new.name)), 201)


@router.get("/family")
@answers(Family)
async def family(member: Member, db: Db) -> Response:
    return Json(shown(or_not_found(await store.family(db, member.family_id))))


@router.patch("/family")
@answers(Family)
async def rename_family(admin: Admin, change: FamilyChange, db: Db) -> Response:
    unit = admin.once.unit(db, shown)
    renamed = await store.rename_family(unit, admin.family_id, change.name, change.version)
    return Json(shown(renamed))


@router.get("/family/counts")
@answers(COUNTS)
async def counts(member: Member, services: TheServices) -> Response:
    return Json(await counted(services, member.family_id))


@router.get("/members")
@answers(page_of(Membership))
async def members(
    member: Member,
    db: Db,
    asked: PageAsked,
    status: Literal["active", "removed", "all"] = "active",
) -> Response:
    if status != "active":
        member.require("admin")
    everyone = store.members_of(member.family_id)
    found = everyone if status == "all" else store.members_with_status(member.family_id, status)
    page = await db.query(found.up_to_date().page(asked.limit, asked.start(member.caller)))
    return Json(asked.listed(member.caller, page, shown))


@router.get("/members/{memberId}")
@answers(Membership)
async def one_member(member: Member, member_id: MemberId, db: Db) -> Response:
    return Json(shown(or_not_found(await store.member(db, member.family_id, member_id))))


@router.patch("/members/{memberId}")
@answers(Membership)
async def change_member(
    admin: Admin, member_id: MemberId, change: MemberChange, db: Db
) -> Response:
    unit, given = admin.once.unit(db, shown), change.given("version")
    changed = await store.change_member(unit, admin.family_id, member_id, change.version, given)
    return Json(shown(changed))


@router.delete("/members/{memberId}", status_code=204)
async def remove_member(member: Member, member_id: MemberId, db: Db) -> Response:
    if member_id != member.member_id:
        member.require("admin")
    await store.remove_member(db, member.family_id, member_id)
    return Response(status_code=204)


router.routes.extend(invitations.routes)
