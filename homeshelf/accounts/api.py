from collections.abc import Sequence
from typing import Any

from fastapi import Request, Response

from homeshelf.accounts import entrance, leaving, profile, store, tokens
from homeshelf.accounts.bodies import (
    Confirmation,
    Forgotten,
    MailedToken,
    Preferences,
    Profile,
    Refresh,
    Reset,
    SignIn,
    SignUp,
)
from homeshelf.accounts.devices import device_of
from homeshelf.accounts.model import Account, NewPassword, Session
from homeshelf.accounts.posting import password_changed_writes, send_reset, verification_writes
from homeshelf.errors import Invalid, NotFound, Unauthenticated
from homeshelf.families import store as families
from homeshelf.mail.store import can_send
from homeshelf.table import Write
from homeshelf.web.access import Person, SignedIn
from homeshelf.web.house import Db, House, TheHouse
from homeshelf.web.ids import SessionId
from homeshelf.web.json import Json
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import answers, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router

router = api_router()

TOKENS = {"accessToken": str, "tokenType": str, "expiresIn": int, "refreshToken": str}
MINE = {"familyId": str, "name": str, "role": str}
PROFILE = {
    "memberId": str,
    "email": str | None,
    "emailVerified": bool,
    "name": str,
    "families": [MINE],
}
SESSION = {
    "sessionId": str,
    "device": str,
    "createdAt": str,
    "lastUsedAt": str,
    "current": bool,
}
PREFERENCES = {"theme": str, "timeZone": str, "mail": str}


@router.post("/accounts", status_code=201)
@answers({"memberId": str, "email": str, "name": str}, 403)
async def sign_up(asked: SignUp, request: Request, house: TheHouse) -> Response:
    address = address_of(request)
    new = await entrance.sign_up(house, address, asked.email, asked.password, asked.name)
    return Json({"memberId": new.member_id, "email": new.email, "name": new.name}, 201)


@router.post("/accounts/verify", status_code=204)
async def verify_email(asked: MailedToken, request: Request, house: TheHouse) -> Response:
    await entrance.verify_email(house, address_of(request), asked.token)
    return Response(status_code=204)


@router.post("/me/verification", status_code=202)
async def send_verification(person: Person, house: TheHouse) -> Response:
    if not can_send(house.settings):
        raise NotFound
    kept = person.once.keep(lambda _: None, 202)
    if writes := verification_writes(house, person.account):
        await house.db.transact(*writes, *kept(None))
    return Response(status_code=202)


@router.post("/passwords/forgotten", status_code=202)
async def forgotten(asked: Forgotten, house: TheHouse) -> Response:
    """Whether there is such an account shows neither in the answer nor in its time."""
    return Response(status_code=202, background=send_reset(house, asked.email))


@router.post("/passwords/reset", status_code=204)
async def reset(asked: Reset, request: Request, house: TheHouse) -> Response:
    await entrance.reset_password(house, address_of(request), asked.token, asked.password)
    return Response(status_code=204)


@router.post("/tokens")
@answers(TOKENS, 401)
async def sign_in(asked: SignIn, request: Request, house: TheHouse) -> Response:
    account = await entrance.sign_in(house, address_of(request), asked.email, asked.password)
    if asked.family_id is not None and asked.family_id not in account.families:
        raise NotFound
    device = device_of(request.headers.get("user-agent", ""))
    most = house.settings.limit_sessions
    session = await store.start_session(house.db, account, device, most=most)
    return Json(tokens.pair(house.signer, session, asked.family_id))


@router.post("/tokens/refresh")
@answers(TOKENS, 401)
async def refresh(asked: Refresh, house: TheHouse) -> Response:
    turn = tokens.read_refresh(house.signer, asked.refresh_token)
    if turn is None:
        raise Unauthenticated
    account, session = await store.take_turn(
        house.db, house.terms, turn.member_id, turn.session_id, turn.number, asked.family_id
    )
    kept = turn.family_id if turn.family_id in account.families else None
    return Json(tokens.pair(house.signer, session, asked.family_id or kept))


@router.delete("/tokens", status_code=204)
async def sign_out(person: Person, db: Db) -> Response:
    await store.end_session(db, person.account, person.session.session_id)
    return Response(status_code=204)


@router.get("/me")
@answers(PROFILE)
async def me(person: Person, db: Db) -> Response:
    return Json(_profile(person.account, await _families(db, person.account)))


@router.patch("/me")
@answers(PROFILE)
async def change_me(asked: Profile, person: Person, request: Request, house: TheHouse) -> Response:
    given = asked.given()
    password = None
    if "password" in given:
        password = await _new_password(asked, person, request, house)
    theirs = await _families(house.db, person.account)

    def shown(account: Account) -> dict[str, Any]:
        return _profile(account, theirs)

    kept = person.once.keep(shown)

    def also(account: Account) -> Sequence[Write]:
        told = password_changed_writes(house, account) if password else ()
        return (*kept(account), *told)

    changed = await profile.change_profile(
        house.db, person.session, given.get("name"), password, also
    )
    return Json(shown(changed))


@router.delete("/me", status_code=204)
async def leave(
    person: Person, request: Request, house: TheHouse, asked: Confirmation | None = None
) -> Response:
    account, given = person.account, asked.password if asked else ""
    await entrance.confirm_leaving(house, address_of(request), account, given)
    await leaving.delete_account(house.db, account.member_id, account.password_hash)
    return Response(status_code=204)


@router.get("/me/sessions")
@answers(page_of(SESSION))
async def sessions(person: Person, db: Db, paging: PageAsked) -> Response:
    query = store.sessions_of(person.member_id, person.account.era)
    found = await db.query(query.page(paging.limit, paging.start(person.caller)))

    def shown(session: Session) -> dict[str, Any]:
        return {
            "sessionId": session.session_id,
            "device": session.device,
            "createdAt": session.created_at,
            "lastUsedAt": session.last_used_at,
            "current": session.session_id == person.session.session_id,
        }

    return Json(paging.listed(person.caller, found, shown))


@router.delete("/me/sessions/{sessionId}", status_code=204)
async def end_session(session_id: SessionId, person: Person, db: Db) -> Response:
    await store.end_session(db, person.account, session_id)
    return Response(status_code=204)


@router.get("/me/preferences")
@answers(PREFERENCES)
async def preferences(person: Person) -> Response:
    return Json(_preferences(person.account))


@router.patch("/me/preferences")
@answers(PREFERENCES)
async def set_preferences(asked: Preferences, person: Person, db: Db) -> Response:
    also = person.once.keep(_preferences)
    changed = await store.set_preferences(db, person.member_id, asked.given(), also)
    return Json(_preferences(changed))


async def _new_password(
    asked: Profile, person: SignedIn, request: Request, house: House
) -> NewPassword:
    if not asked.current_password:
        raise Invalid([("currentPassword", "To change the password, say the current one too.")])
    return await entrance.new_password(
        house, address_of(request), person.account, asked.current_password, asked.password
    )


async def _families(db: Db, account: Account) -> list[dict[str, Any]]:
    return [
        {"familyId": family.family_id, "name": family.name, "role": member.role}
        for family, member in await families.homes(db, account)
    ]


def _profile(account: Account, theirs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "memberId": account.member_id,
        "email": account.email or None,
        "emailVerified": account.email_verified,
        "name": account.name,
        "families": theirs,
    }


def _preferences(account: Account) -> dict[str, Any]:
    return {"theme": account.theme, "timeZone": account.time_zone, "mail": account.mail}
