"""Signing in with the identity provider: there, back again, and then a session of our own."""

from typing import Annotated

import structlog
from fastapi import APIRouter, Query, Request, Response

from homeshelf.accounts.ways import Next, holds_invitation, let_in, within
from homeshelf.errors import NotFound, Unauthenticated
from homeshelf.identity.exchange import address_to_go_to, redeem
from homeshelf.identity.fetching import in_reach
from homeshelf.identity.model import Claims
from homeshelf.identity.provider import Provider
from homeshelf.identity.store import account_of
from homeshelf.identity.trips import Trip, forget, keep, new_trip, under_way
from homeshelf.signing import same
from homeshelf.web.house import House, TheHouse
from homeshelf.web.links import base_url
from homeshelf.web.pages import page, see_other

BACK = "/sign-in/callback"

Given = Annotated[str, Query(max_length=4000)]

router = APIRouter(include_in_schema=False)
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
        claims, token = await _who_came(house, trip, code, iss)
    except Unauthenticated:
        return _not_yet(request, "What came back cannot be trusted.")
    invited = await holds_invitation(house, trip.way_on)
    try:
        account = await account_of(house, claims, token, invited=invited)
    except Unauthenticated as refused:
        return _not_yet(request, refused.detail, 401)
    response = await let_in(request, house, account, trip.way_on, vouched=True)
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


async def _who_came(house: House, trip: Trip, code: str, iss: str) -> tuple[Claims, str]:
    """What the provider says about them, and the token that it tells more for."""
    provider = _provider(house)
    with in_reach():
        if iss and iss != (await provider.metadata()).issuer:
            raise Unauthenticated
        tokens = await redeem(provider, code, trip)
    if tokens is None:
        raise Unauthenticated
    return await provider.signed_in(tokens.id_token, trip.nonce), tokens.access_token


def _not_yet(request: Request, why: str, status: int = 400) -> Response:
    return page(
        request,
        "web/error.html",
        status,
        title="You are not signed in yet",
        detail=why,
        way_path="/sign-in",
        way_word="Try again",
    )


def _provider(house: House) -> Provider:
    if house.identity is None:
        raise NotFound
    return house.identity
