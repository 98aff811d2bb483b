from functools import partial
from typing import Any

from fastapi import Request, Response

from homeshelf.accounts import tokens
from homeshelf.accounts.addresses import PendingAddress
from homeshelf.accounts.api import TOKENS
from homeshelf.accounts.bodies import MailedToken
from homeshelf.accounts.browsers import device_of
from homeshelf.accounts.model import Account
from homeshelf.families import children
from homeshelf.families.bodies import ChildEmail, NewChild, NewLink
from homeshelf.families.callers import Admin
from homeshelf.families.fields import MemberId
from homeshelf.families.links import SignInLink
from homeshelf.families.model import Member as Membership
from homeshelf.web.json import Json, shown
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import extended, operation_responses
from homeshelf.web.requests import api_router
from homeshelf.web.services import TheServices, services_of

router = api_router()


async def _link_json(
    request: Request, answer: dict[str, Any], link: SignInLink | None
) -> dict[str, Any]:
    if link is None:
        db = services_of(request).db
        link = await children.get_link(db, answer["familyId"], answer["memberId"])
    if link is None:
        return {}
    return {"link": children.sign_in_link_url(request, link), "linkExpiresAt": link.expires_at}


def _ids_json(record: Any) -> dict[str, str]:
    """Return the response without its secret, for storing."""
    return {"familyId": record.family_id, "memberId": record.member_id}


@router.post(
    "/members",
    status_code=201,
    responses=operation_responses(extended(Membership, link=str, linkExpiresAt=str), status=201),
)
async def add_child(
    admin: Admin, new: NewChild, request: Request, services: TheServices
) -> Response:
    async def add_link(answer: dict[str, Any], child: children.Child | None) -> dict[str, Any]:
        return answer | await _link_json(request, answer, child.link if child else None)

    return await admin.request.respond(
        services.db,
        lambda unit: children.add_child(unit, admin.membership, services, new.name, new.picture),
        lambda child: shown(child.member),
        201,
        add_secret=add_link,
    )


@router.post(
    "/members/{memberId}/sign-in-link",
    responses=operation_responses({"link": str, "linkExpiresAt": str}),
)
async def new_link(
    admin: Admin,
    member_id: MemberId,
    request: Request,
    services: TheServices,
    asked: NewLink | None = None,
) -> Response:
    key, end_others = Account.key(member_id=member_id), asked is not None and asked.end_others
    return await admin.request.respond(
        services.db,
        lambda unit: children.replace_link(
            unit, key, services, admin.membership, end_others=end_others
        ),
        _ids_json,
        add_secret=partial(_link_json, request),
    )


@router.post("/members/{memberId}/email", responses=operation_responses({"link": str}))
async def give_email(
    admin: Admin, member_id: MemberId, body: ChildEmail, request: Request, services: TheServices
) -> Response:
    async def only_link(answer: dict[str, Any], pending: PendingAddress | None) -> dict[str, Any]:
        if pending is None:
            ids = answer["familyId"], answer["memberId"]
            pending = await children.get_pending_email(services.db, *ids)
        return {"link": children.password_url(request, pending)} if pending else {}

    return await admin.request.respond(
        services.db,
        lambda unit: children.give_email(
            unit, Account.key(member_id=member_id), admin.account, admin.membership, body.email
        ),
        _ids_json,
        add_secret=only_link,
    )


@router.post("/tokens/link", responses=operation_responses(TOKENS))
async def sign_in(body: MailedToken, request: Request, services: TheServices) -> Response:
    session = await children.sign_in(services, address_of(request), body.token, device_of(request))
    return Json(tokens.token_pair(services.signer, session, session.family_id))
