from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fastapi import Depends, Request, Response

from homeshelf.access.families import families_of
from homeshelf.accounts import profile, signing_in, store, tokens, verification
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
from homeshelf.accounts.model import Account, Session, SessionPolicy
from homeshelf.accounts.new_session import start_program_session
from homeshelf.errors import NotFound
from homeshelf.languages import requested_language
from homeshelf.table import Database
from homeshelf.web.json import Json
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import error_responses, operation_responses, page_of
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, Services, TheServices

router = api_router()

TOKENS = {"accessToken": str, "tokenType": str, "expiresIn": int, "refreshToken": str}
OWN_FAMILY = {"familyId": str, "name": str, "role": str}
PROFILE = {
    "memberId": str,
    "email": str | None,
    "emailVerified": bool,
    "name": str,
    "families": [OWN_FAMILY],
}
SESSION = {"sessionId": str, "device": str, "createdAt": str, "lastUsedAt": str, "current": bool}
PREFERENCES = {"theme": str, "timeZone": str, "mail": str, "language": str}


async def _require_local_passwords(services: TheServices) -> None:
    """Return 404 if an identity provider has the passwords."""
    if services.settings.oidc_issuer is not None:
        raise NotFound


LOCAL_PASSWORDS = [Depends(_require_local_passwords)]


@router.post(
    "/accounts",
    status_code=201,
    dependencies=LOCAL_PASSWORDS,
    responses=operation_responses({"memberId": str, "email": str, "name": str}, 403, status=201),
)
async def sign_up(body: SignUp, request: Request, services: TheServices) -> Response:
    language = requested_language(request.scope["headers"])
    new = await signing_in.sign_up(services, address_of(request), body, language, invited=False)
    return Json({"memberId": new.member_id, "email": new.email, "name": new.name}, 201)


@router.post("/accounts/verify", status_code=204)
async def verify_email(body: MailedToken, request: Request, services: TheServices) -> None:
    await verification.verify(services, address_of(request), body.token)


@router.post("/me/verification", status_code=202)
async def send_verification(person: Person, services: TheServices) -> Response:
    return await person.request.respond(
        services.db,
        lambda unit: verification.send_verification(unit, services, person.account),
        lambda _: None,
        202,
    )


@router.post("/me/email", status_code=202)
async def change_email(
    body: NewEmail, person: Person, request: Request, services: TheServices
) -> Response:
    context = services, address_of(request), person.account
    return await person.request.respond(
        services.db,
        lambda unit: verification.request_address_change(
            unit, *context, body.email, body.current_password
        ),
        lambda _: None,
        202,
    )


@router.post("/passwords/forgotten", status_code=202, dependencies=LOCAL_PASSWORDS)
async def forgotten(body: Forgotten, services: TheServices) -> Response:
    """Answer alike, and in the same time, whether or not the account exists."""
    return Response(status_code=202, background=send_reset(services, body.email))


@router.post("/passwords/reset", status_code=204, dependencies=LOCAL_PASSWORDS)
async def reset(body: Reset, request: Request, services: TheServices) -> None:
    await signing_in.reset_password(services, address_of(request), body.token, body.password)


@router.post("/tokens", dependencies=LOCAL_PASSWORDS, responses=operation_responses(TOKENS, 401))
async def sign_in(body: SignIn, request: Request, services: TheServices) -> Response:
    account = await signing_in.sign_in(services, address_of(request), body.email, body.password)
    if body.family_id is not None and body.family_id not in account.families:
        raise NotFound
    session = await start_program_session(request, services, account)
    return Json(tokens.token_pair(services.signer, session, body.family_id))


@router.post("/tokens/refresh", responses=operation_responses(TOKENS, 401))
async def refresh(body: Refresh, services: TheServices) -> Response:
    session, family_id = await signing_in.refresh_session(
        services, body.refresh_token, body.family_id
    )
    return Json(tokens.token_pair(services.signer, session, family_id))


@router.delete("/tokens", status_code=204)
async def sign_out(person: Person, db: Db) -> None:
    await store.end_session(db, person.account, person.session.session_id)


@router.get("/me", responses=operation_responses(PROFILE))
async def me(person: Person, services: TheServices) -> Response:
    return Json(_profile_json(person.account, await _own_families(person, services)))


@router.patch("/me", responses=operation_responses(PROFILE))
async def change_me(
    body: Profile, person: Person, request: Request, services: TheServices
) -> Response:
    given = body.given()
    homes = await _own_families(person, services)

    async def change(unit: Database) -> Account:
        password = None
        if "password" in given:
            known, wanted = body.current_password, body.password
            password = await signing_in.hash_new_password(
                services, address_of(request), person.account, known, wanted
            )
        key, name = person.account.own_key(), given.get("name")
        return await profile.change_profile(unit, key, services, person.session, name, password)

    return await person.request.respond(services.db, change, partial(_profile_json, homes=homes))


@router.delete("/me", status_code=204, responses=error_responses(422))
async def leave(
    person: Person, request: Request, services: TheServices, asked: Confirmation | None = None
) -> None:
    await profile.delete_account(
        services, address_of(request), person.account, asked.password if asked else ""
    )


@router.get("/me/sessions", responses=operation_responses(page_of(SESSION)))
async def sessions(person: Person, services: TheServices, paging: PageAsked) -> Response:
    def shown(session: Session) -> dict[str, Any]:
        return {
            "sessionId": session.session_id,
            "device": session.device,
            "createdAt": session.created_at,
            "lastUsedAt": session.last_used_at,
            "current": session.session_id == person.session.session_id,
        }

    policy = SessionPolicy.from_settings(services.settings)
    found = store.sessions_of(person.member_id, person.account.era)
    open_ones = found.matching(policy.open_session_filter(person.account))
    return await paging.answer(services.db, person.caller, open_ones, shown)


@router.delete("/me/sessions/{sessionId}", status_code=204)
async def end_session(session_id: SessionId, person: Person, db: Db) -> None:
    await store.end_session(db, person.account, session_id)


@router.get("/me/preferences", responses=operation_responses(PREFERENCES))
async def preferences(person: Person) -> Response:
    return Json(_preferences_json(person.account))


@router.patch("/me/preferences", responses=operation_responses(PREFERENCES))
async def set_preferences(body: Preferences, person: Person, db: Db) -> Response:
    return await person.request.respond(
        db,
        lambda unit: store.set_preferences(unit, person.account.own_key(), body.given()),
        _preferences_json,
    )


async def _own_families(person: AccountHolder, services: Services) -> Sequence[Mapping[str, str]]:
    return await families_of(services).list_families(services.db, person.account, person.session)


def _profile_json(account: Account, homes: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    return {
        "memberId": account.member_id,
        "email": account.email or None,
        "emailVerified": account.email_verified,
        "name": account.name,
        "families": homes,
    }


def _preferences_json(account: Account) -> dict[str, Any]:
    return {
        "theme": account.theme,
        "timeZone": account.time_zone,
        "mail": account.mail,
        "language": account.language,
    }
