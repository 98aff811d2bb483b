from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import Depends, Request, Response

from homeshelf.access.families import families_of
from homeshelf.accounts import profile, signing_in, store, tokens, verifying
from homeshelf.accounts.bodies import (
    Confirmation,
    Forgotten,
    MailedToken,
    NewEmail,
    Preferences,
    Profile,
    Refresh,
    Reset,
    SignIn,
    SignUp,
)
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.accounts.fields import SessionId
from homeshelf.accounts.messages import send_reset
from homeshelf.accounts.model import Account, Session, SessionTerms
from homeshelf.accounts.new_session import begin_for_program
from homeshelf.errors import NotFound
from homeshelf.languages import asked_for
from homeshelf.table import Database
from homeshelf.web.json import Json
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import answers, page_of, refuses
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, Services, TheServices

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
PREFERENCES = {"theme": str, "timeZone": str, "mail": str, "language": str}


async def _own_passwords(services: TheServices) -> None:
    """Hide these paths where an identity provider has the passwords."""
    if services.settings.oidc_issuer is not None:
        raise NotFound


OWN_PASSWORDS = [Depends(_own_passwords)]


@router.post(
    "/accounts",
    status_code=201,
    dependencies=OWN_PASSWORDS,
    responses=answers({"memberId": str, "email": str, "name": str}, 403, status=201),
)
async def sign_up(asked: SignUp, request: Request, services: TheServices) -> Response:
    new = await signing_in.sign_up(
        services,
        address_of(request),
        asked.email,
        asked.password,
        asked.name,
        came_with=asked_for(request.scope["headers"]),
    )
    return Json({"memberId": new.member_id, "email": new.email, "name": new.name}, 201)


@router.post("/accounts/verify", status_code=204)
async def verify_email(asked: MailedToken, request: Request, services: TheServices) -> None:
    await verifying.verify(services, address_of(request), asked.token)


@router.post("/me/verification", status_code=202)
async def send_verification(person: Person, services: TheServices) -> Response:
    return await person.request.respond(
        services.db,
        lambda unit: verifying.send_verification(unit, services, person.account),
        lambda _: None,
        202,
    )


@router.post("/me/email", status_code=202)
async def change_email(
    asked: NewEmail, person: Person, request: Request, services: TheServices
) -> Response:
    who = services, address_of(request), person.account
    return await person.request.respond(
        services.db,
        lambda unit: verifying.ask_for_address(unit, *who, asked.email, asked.current_password),
        lambda _: None,
        202,
    )


@router.post("/passwords/forgotten", status_code=202, dependencies=OWN_PASSWORDS)
async def forgotten(asked: Forgotten, services: TheServices) -> Response:
    """Whether there is such an account shows neither in the answer nor in its time."""
    return Response(status_code=202, background=send_reset(services, asked.email))


@router.post("/passwords/reset", status_code=204, dependencies=OWN_PASSWORDS)
async def reset(asked: Reset, request: Request, services: TheServices) -> None:
    await signing_in.reset_password(services, address_of(request), asked.token, asked.password)


@router.post("/tokens", dependencies=OWN_PASSWORDS, responses=answers(TOKENS, 401))
async def sign_in(asked: SignIn, request: Request, services: TheServices) -> Response:
    account = await signing_in.sign_in(services, address_of(request), asked.email, asked.password)
    if asked.family_id is not None and asked.family_id not in account.families:
        raise NotFound
    session = await begin_for_program(request, services, account)
    return Json(tokens.pair(services.signer, session, asked.family_id))


@router.post("/tokens/refresh", responses=answers(TOKENS, 401))
async def refresh(asked: Refresh, services: TheServices) -> Response:
    session, family_id = await signing_in.renew(services, asked.refresh_token, asked.family_id)
    return Json(tokens.pair(services.signer, session, family_id))


@router.delete("/tokens", status_code=204)
async def sign_out(person: Person, db: Db) -> None:
    await store.end_session(db, person.account, person.session.session_id)


@router.get("/me", responses=answers(PROFILE))
async def me(person: Person, services: TheServices) -> Response:
    return Json(_profile(person.account, await _homes(person, services)))


@router.patch("/me", responses=answers(PROFILE))
async def change_me(
    asked: Profile, person: Person, request: Request, services: TheServices
) -> Response:
    given = asked.given()
    theirs = await _homes(person, services)

    async def change(unit: Database) -> Account:
        password = None
        if "password" in given:
            known, wanted = asked.current_password, asked.password
            password = await signing_in.new_password(
                services, address_of(request), person.account, known, wanted
            )
        key, name = person.account.own_key(), given.get("name")
        return await profile.change_profile(unit, key, services, person.session, name, password)

    return await person.request.respond(services.db, change, partial(_profile, theirs=theirs))


@router.delete("/me", status_code=204, responses=refuses(422))
async def leave(
    person: Person, request: Request, services: TheServices, asked: Confirmation | None = None
) -> None:
    await profile.delete_account(
        services, address_of(request), person.account, asked.password if asked else ""
    )


@router.get("/me/sessions", responses=answers(page_of(SESSION)))
async def sessions(person: Person, services: TheServices, paging: PageAsked) -> Response:
    def shown(session: Session) -> dict[str, Any]:
        return {
            "sessionId": session.session_id,
            "device": session.device,
            "createdAt": session.created_at,
            "lastUsedAt": session.last_used_at,
            "current": session.session_id == person.session.session_id,
        }

    terms = SessionTerms.of(services.settings)
    found = store.sessions_of(person.member_id, person.account.era)
    open_ones = found.matching(terms.admits(person.account))
    return await paging.answer(services.db, person.caller, open_ones, shown)


@router.delete("/me/sessions/{sessionId}", status_code=204)
async def end_session(session_id: SessionId, person: Person, db: Db) -> None:
    await store.end_session(db, person.account, session_id)


@router.get("/me/preferences", responses=answers(PREFERENCES))
async def preferences(person: Person) -> Response:
    return Json(_preferences(person.account))


@router.patch("/me/preferences", responses=answers(PREFERENCES))
async def set_preferences(asked: Preferences, person: Person, db: Db) -> Response:
    return await person.request.respond(
        db,
        lambda unit: store.set_preferences(unit, person.account.own_key(), asked.given()),
        _preferences,
    )


async def _homes(person: AccountHolder, services: Services) -> Sequence[Mapping[str, str]]:
    return await families_of(services).homes_of(services.db, person.account, person.session)


def _profile(account: Account, theirs: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    return {
        "memberId": account.member_id,
        "email": account.email or None,
        "emailVerified": account.email_verified,
        "name": account.name,
        "families": theirs,
    }


def _preferences(account: Account) -> dict[str, Any]:
    return {
        "theme": account.theme,
        "timeZone": account.time_zone,
        "mail": account.mail,
        "language": account.language,
    }
