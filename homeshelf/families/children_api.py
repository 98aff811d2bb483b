"""Children without an e-mail, for programs: adding them, and the links that sign them in."""

from typing import Any

from fastapi import Request, Response

from homeshelf.accounts import tokens
from homeshelf.accounts.api import TOKENS
from homeshelf.accounts.bodies import MailedToken
from homeshelf.accounts.browsers import device_of
from homeshelf.families import children
from homeshelf.families.bodies import ChildEmail, NewChild, NewLink
from homeshelf.families.callers import Admin
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Member as Membership
from homeshelf.web.idempotency import minting
from homeshelf.web.ids import MemberId
from homeshelf.web.json import Json, shown
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import answers, extended
from homeshelf.web.requests import api_router
from homeshelf.web.services import TheServices, services_of

router = api_router()


def _link(request: Request, link: SignInLink) -> dict[str, str]:
    return {"link": children.url_of(request, link), "linkExpiresAt": link.expires_at}


async def _link_again(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    """The answer as it was, with the child's last link."""
    db = services_of(request).db
    found = await children.link_of(db, kept["familyId"], kept["memberId"])
    return kept if found is None else kept | _link(request, found)


async def _only_link_again(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    again = await _link_again(request, kept)
    return {name: again[name] for name in ("link", "linkExpiresAt") if name in again}


async def _email_link_again(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    db = services_of(request).db
    found = await children.pending_address(db, kept["familyId"], kept["memberId"])
    return {} if found is None else {"link": children.password_url(request, found)}


def _whose(record: Any) -> dict[str, str]:
    """What is kept for a request that is sent again: no secret."""
    return {"familyId": record.family_id, "memberId": record.member_id}


@router.post("/members", status_code=201)
@answers(extended(Membership, link=str, linkExpiresAt=str))
@minting(_link_again)
async def add_child(
    admin: Admin, new: NewChild, request: Request, services: TheServices
) -> Response:
    unit = admin.once.unit(services.db, lambda child: shown(child.member), 201)
    child = await children.add_child(unit, services, admin.membership, new.name, new.picture)
    return Json(shown(child.member) | _link(request, child.link), 201)


@router.post("/members/{memberId}/sign-in-link")
@answers({"link": str, "linkExpiresAt": str})
@minting(_only_link_again)
async def new_link(
    admin: Admin,
    member_id: MemberId,
    request: Request,
    services: TheServices,
    asked: NewLink | None = None,
) -> Response:
    unit = admin.once.unit(services.db, _whose)
    end_others = asked is not None and asked.end_others
    link = await children.new_link(
        unit, services, admin.membership, member_id, end_others=end_others
    )
    return Json(_link(request, link))


@router.post("/members/{memberId}/email")
@answers({"link": str})
@minting(_email_link_again)
async def give_email(
    admin: Admin, member_id: MemberId, asked: ChildEmail, request: Request, services: TheServices
) -> Response:
    unit = admin.once.unit(services.db, _whose)
    pending = await children.give_email(
        unit, services, admin.account, admin.membership, member_id, asked.email
    )
    return Json({"link": children.password_url(request, pending)})


@router.post("/tokens/link")
@answers(TOKENS)
async def sign_in(asked: MailedToken, request: Request, services: TheServices) -> Response:
    session = await children.sign_in(services, address_of(request), asked.token, device_of(request))
    return Json(tokens.pair(services.signer, session, session.family_id))
