"""A person's own settings: name, password, looks, devices, and leaving."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from zoneinfo import available_timezones

from fastapi import Request, Response

from homeshelf.access.shell import shell_for
from homeshelf.accounts import deletion, profile, signing_in, store
from homeshelf.accounts.bodies import Goodbye, NameForm, PasswordForm, Preferences
from homeshelf.accounts.callers import AccountHolder, Person
from homeshelf.accounts.cookies import forget
from homeshelf.accounts.messages import password_changed_writes, verification_writes
from homeshelf.errors import Invalid, LastAdmin, NotFound
from homeshelf.outbox.store import can_mail
from homeshelf.web.body import Body
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import SessionId
from homeshelf.web.limits import address_of
from homeshelf.web.pages import page, see_other
from homeshelf.web.paging import Paging
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices

DEVICES = 10
FORMS: Mapping[str, type[Body]] = {
    "name": NameForm,
    "preferences": Preferences,
    "password": PasswordForm,
    "leaving": Goodbye,
}

router = page_router("/settings")


@router.get("")
async def settings_page(request: Request, person: Person, services: TheServices) -> Response:
    return await _settings(request, person, services)


@router.post("/name")
async def change_name(request: Request, person: Person, services: TheServices) -> Response:
    form = await sent_form(request, NameForm)
    if form.body is None:
        return await _settings(request, person, services, name=form)
    await profile.change_profile(services, person.session, form.body.name, None)
    return see_other("/settings?saved=name")


@router.post("/verification")
async def send_verification(person: Person, services: TheServices) -> Response:
    if not can_mail(services.settings):
        raise NotFound
    await services.db.transact(*verification_writes(services, person.account))
    return see_other("/settings?saved=verification")


@router.post("/preferences")
async def change_preferences(request: Request, person: Person, services: TheServices) -> Response:
    form = await sent_form(request, Preferences)
    if form.body is None:
        return await _settings(request, person, services, preferences=form)
    await store.set_preferences(services.db, person.member_id, form.body.given())
    return see_other("/settings?saved=preferences")


@router.post("/password")
async def change_password(request: Request, person: Person, services: TheServices) -> Response:
    form = await sent_form(request, PasswordForm)
    if form.body is None:
        return await _settings(request, person, services, password=form)
    asked, address = form.body, address_of(request)
    try:
        new = await signing_in.new_password(
            services, address, person.account, asked.current_password, asked.password
        )
    except Invalid as wrong:
        return await _settings(request, person, services, password=form.but(**dict(wrong.errors)))
    unit = services.db.also(partial(password_changed_writes, services))
    await profile.change_profile(replace(services, db=unit), person.session, None, new)
    return see_other("/settings?saved=password")


@router.post("/sessions/{sessionId}")
async def end_session(session_id: SessionId, person: Person, services: TheServices) -> Response:
    await store.end_session(services.db, person.account, session_id)
    return see_other("/settings?saved=devices")


@router.post("/leave")
async def leave(request: Request, person: Person, services: TheServices) -> Response:
    form = await sent_form(request, Goodbye)
    account = person.account
    if form.body is None or form.body.confirm.strip().lower() != account.known_as.lower():
        word = "address" if account.email else "name"
        wrong = form.but(confirm=f"Type your own {word}, so that nobody leaves by mistake.")
        return await _settings(request, person, services, leaving=wrong)
    try:
        await signing_in.confirm_leaving(services, address_of(request), account, form.body.password)
        await deletion.delete_account(services, account.member_id, account.password_hash)
    except LastAdmin:
        wrong = form.but(
            confirm="You are the last admin of a family with others in it. "
            "Make somebody else an admin first."
        )
        return await _settings(request, person, services, leaving=wrong)
    except Invalid as refused:
        return await _settings(request, person, services, leaving=form.but(**dict(refused.errors)))
    response = see_other("/")
    forget(request, response)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


async def _settings(
    request: Request, person: AccountHolder, services: Services, **forms: Form[Any]
) -> Response:
    here = person.session
    others = store.sessions_of(person.member_id, person.account.era).matching(
        lambda item: item["sessionId"] != here.session_id
    )
    paging = Paging(DEVICES, request.query_params.get("devices"), services.signer, "devices")
    found = await services.db.query(others.page(paging.limit, paging.start(person.caller)))
    wrong = any(form.wrong for form in forms.values())
    return page(
        request,
        "accounts/settings.html",
        400 if wrong else 200,
        shell=await shell_for(request, services, person),
        person=person,
        here=here if here.is_kept and paging.token is None else None,
        others=found.items,
        more=paging.following(person.caller, found.next),
        from_the_start=paging.token is None,
        zones=sorted(available_timezones()),
        by_mail=can_mail(services.settings),
        saved=request.query_params.get("saved"),
        forms={name: Form(model) for name, model in FORMS.items()} | forms,
    )
