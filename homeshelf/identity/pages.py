"""Signing in with the identity provider: there, back again, and then a session of our own."""

from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Request, Response

from homeshelf.accounts import store as accounts
from homeshelf.accounts.model import Account
from homeshelf.accounts.ways import Next, holds_invitation, let_in, within
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.identity.exchange import address_to_go_to, redeem
from homeshelf.identity.fetching import in_reach
from homeshelf.identity.provider import Provider
from homeshelf.identity.store import account_of
from homeshelf.identity.trips import Trip, forget, keep, new_trip, under_way
from homeshelf.signing import same
from homeshelf.web.house import House, TheHouse
from homeshelf.web.links import base_url
from homeshelf.web.pages import page, see_other

BACK = "/sign-in/callback"

Given = Annotated[str, Query(max_length=4000)]

router = APIRouter()
log = structlog.get_logger()


@router.get("/sign-in")
@router.get("/sign-up")
async def go(request: Request, house: TheHouse, way_on: Next = "/") -> Response:
    trip = new_trip(f"{base_url(request)}{BACK}", within(way_on))
    with in_reach():
        response = see_other(await address_to_go_to(_provider(house), trip))
    keep(trip, house.signer, request, response)
    return response


@router.get(BACK)
async def come_back(
    request: Request,
    house: TheHouse,
    code: Given = "",
    state: Given = "",
    error: Given = "",
    iss: Given = "",
) -> Response:
    trip = under_way(house.signer, request)
    if trip is None or not same(state, trip.state):
        return _not_yet(request, "This took too long, or was begun in another browser.")
    if error or not code:
        log.info("sign_in_refused", error=error[:100])
        return _not_yet(request, "You were not signed in there.")
    try:
        account = await _who_came(house, trip, code, iss)
    except Unauthenticated:
        return _not_yet(request, "What came back cannot be trusted.")
    response = await let_in(request, house, account, trip.way_on)
    forget(request, response)
    return response


@router.post("/sign-in")
@router.post("/sign-up")
@router.get("/forgotten")
@router.post("/forgotten")
@router.get("/reset/{token}")
@router.post("/reset/{token}")
async def nothing_here() -> Response:
    """Passwords are the provider's business."""
    raise NotFound


async def _who_came(house: House, trip: Trip, code: str, iss: str) -> Account:
    provider = _provider(house)
    with in_reach():
        if iss and iss != (await provider.endpoints()).issuer:
            raise Unauthenticated
        tokens = await redeem(provider, code, trip)
    if tokens is None:
        raise Unauthenticated
    claims = await provider.signed_in(tokens.id_token, trip.nonce)
    known = await accounts.account(house.db, claims.member_id)
    invited = await holds_invitation(house, trip.way_on)
    return await account_of(house, claims, known, tokens.access_token, invited=invited)


def _not_yet(request: Request, why: str) -> Response:
    return page(
        request,
        "web/error.html",
        400,
        title="You are not signed in yet",
        detail=why,
        way_path="/sign-in",
        way_word="Try again",
    )


def _provider(house: House) -> Provider:
    if house.identity is None:
        raise NotFound
    return house.identity
