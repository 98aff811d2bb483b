"""A person's own settings: name, password, looks, devices, and leaving."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from zoneinfo import available_timezones

from fastapi import Response

from homeshelf.accounts import profile, signing_in, store
from homeshelf.accounts.bodies import Goodbye, NameForm, PasswordForm, Preferences
from homeshelf.accounts.browsers import forget
from homeshelf.accounts.callers import PersonView
from homeshelf.accounts.messages import password_changed_writes, verification_writes
from homeshelf.errors import Invalid, LastAdmin, NotFound
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.body import Body
from homeshelf.web.forms import Form
from homeshelf.web.ids import SessionId
from homeshelf.web.limits import address_of
from homeshelf.web.pages import Said, see_other
from homeshelf.web.paging import Paging
from homeshelf.web.requests import page_router

DEVICES = 10
FORMS: Mapping[str, type[Body]] = {
    "name": NameForm,
    "preferences": Preferences,
    "password": PasswordForm,
    "leaving": Goodbye,
}
SAID = {
    **dict.fromkeys(("name", "preferences", "password", "devices"), _("Saved.")),
    "verification": _("A mail with a link is on its way."),
}

router = page_router("/settings")


@router.get("")
async def settings_page(view: PersonView, saved: Said = "") -> Response:
    return await _settings(view, SAID.get(saved, ""))


@router.post("/name")
async def change_name(view: PersonView) -> Response:
    form = await view.form(NameForm)
    if form.body is None:
        return await _settings(view, name=form)
    await profile.change_profile(view.services, view.who.session, form.body.name, None)
    return see_other("/settings?saved=name")


@router.post("/verification")
async def send_verification(view: PersonView) -> Response:
    if not can_mail(view.services.settings):
        raise NotFound
    await view.db.transact(*verification_writes(view.services, view.who.account))
    return see_other("/settings?saved=verification")


@router.post("/preferences")
async def change_preferences(view: PersonView) -> Response:
    form = await view.form(Preferences)
    if form.body is None:
        return await _settings(view, preferences=form)
    await store.set_preferences(view.db, view.who.member_id, form.body.given())
    return see_other("/settings?saved=preferences")


@router.post("/password")
async def change_password(view: PersonView) -> Response:
    form = await view.form(PasswordForm)
    if form.body is None:
        return await _settings(view, password=form)
    asked, address = form.body, address_of(view.request)
    try:
        new = await signing_in.new_password(
            view.services, address, view.who.account, asked.current_password, asked.password
        )
    except Invalid as wrong:
        return await _settings(view, password=form.but(**dict(wrong.errors)))
    unit = view.db.also(partial(password_changed_writes, view.services))
    await profile.change_profile(replace(view.services, db=unit), view.who.session, None, new)
    return see_other("/settings?saved=password")


@router.post("/sessions/{sessionId}")
async def end_session(view: PersonView, session_id: SessionId) -> Response:
    await store.end_session(view.db, view.who.account, session_id)
    return see_other("/settings?saved=devices")


@router.post("/leave")
async def leave(view: PersonView) -> Response:
    form = await view.form(Goodbye)
    account = view.who.account
    if form.body is None or form.body.confirm.strip().lower() != account.known_as.lower():
        word = "address" if account.email else "name"
        why = _("Type your own {word}, so that nobody leaves by mistake.", word=word)
        return await _settings(view, leaving=form.but(confirm=why))
    try:
        await signing_in.confirm_leaving(
            view.services, address_of(view.request), account, form.body.password
        )
        await profile.delete_account(view.services, account.member_id, account.password_hash)
    except LastAdmin:
        why = _(
            "You are the last admin of a family with others in it. "
            "Make somebody else an admin first."
        )
        return await _settings(view, leaving=form.but(confirm=why))
    except Invalid as refused:
        return await _settings(view, leaving=form.but(**dict(refused.errors)))
    response = see_other("/")
    forget(view.request, response)
    return response


async def _settings(view: PersonView, said: str = "", **forms: Form[Any]) -> Response:
    here = view.who.session
    others = store.sessions_of(view.who.member_id, view.who.account.era).matching(
        lambda item: item["sessionId"] != here.session_id
    )
    paging = Paging(
        DEVICES, view.request.query_params.get("devices"), view.services.signer, "devices"
    )
    found = await view.db.query(others.page(paging.limit, paging.start(view.who.caller)))
    return await view.page(
        "accounts/settings.html",
        400 if forms else 200,
        person=view.who,
        here=here if here.is_kept and paging.token is None else None,
        others=found.items,
        more=paging.following(view.who.caller, found.next),
        from_the_start=paging.token is None,
        zones=sorted(available_timezones()),
        by_mail=can_mail(view.services.settings),
        said=said,
        forms={name: Form(model) for name, model in FORMS.items()} | forms,
    )
