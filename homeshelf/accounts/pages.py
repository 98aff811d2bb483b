"""The pages for sign-up, sign-in, passwords, unsubscribing and settings."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Response

from homeshelf.access.families import families_of
from homeshelf.access.view import AnyView
from homeshelf.accounts import profile, signing_in, store, verification
from homeshelf.accounts.bodies import (
    AccountDeletionForm,
    Forgotten,
    NameForm,
    NewEmail,
    NewPasswordForm,
    PasswordForm,
    Preferences,
    SignIn,
    SignUp,
)
from homeshelf.accounts.browsers import NextPath, local_path, localize_device, sign_out_response
from homeshelf.accounts.callers import PersonView
from homeshelf.accounts.fields import SessionId
from homeshelf.accounts.messages import send_reset
from homeshelf.accounts.model import Account, SessionPolicy
from homeshelf.accounts.new_session import sign_in_browser
from homeshelf.accounts.tokens import read_unsubscribe_token
from homeshelf.errors import Disabled, Duplicate, Invalid, LastAdmin, Unauthenticated, or_not_found
from homeshelf.languages import LANGUAGES, requested_language
from homeshelf.languages.time_zones import named_zones
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.body import Body
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import OutcomeKey, page_router, see_other
from homeshelf.web.paging import Paging

DEVICES = 10
FORMS: Mapping[str, type[Body]] = {
    "name": NameForm,
    "email": NewEmail,
    "preferences": Preferences,
    "password": PasswordForm,
    "leaving": AccountDeletionForm,
}
MESSAGES = {
    **dict.fromkeys(("name", "preferences", "password", "devices"), _("Saved.")),
    "verification": _("We’ve sent you a mail with a link."),
}

router = page_router()
open_router = APIRouter(include_in_schema=False)
"""The routes that other sites and mail programs may send forms to; they use no cookie."""


@router.get("/sign-up")
async def sign_up_page(view: AnyView, next_path: NextPath = "/") -> Response:
    return await _entry_page(view, "sign_up", Form(SignUp), next_path)


@router.post("/sign-up")
async def sign_up(view: AnyView, next_path: NextPath = "/") -> Response:
    form = await view.form(SignUp)
    if form.body is None:
        return await _entry_page(view, "sign_up", form, next_path)
    body, address = form.body, address_of(view.request)
    invited = await families_of(view.services).holds_invitation(view.db, next_path)
    try:
        language = requested_language(view.request.scope["headers"])
        account = await signing_in.sign_up(view.services, address, body, language, invited=invited)
    except Invalid as wrong:
        return await _entry_page(view, "sign_up", form.but(**dict(wrong.errors)), next_path)
    except Duplicate:
        try:  # who pressed twice knows the password of the account that is there now
            account = await signing_in.sign_in(view.services, address, body.email, body.password)
        except Unauthenticated:
            there = _("There’s already an account with this address. Sign in instead.")
            return await _entry_page(view, "sign_up", form.but(email=there), next_path)
    return await sign_in_browser(view.request, view.services, account, next_path)


@router.get("/sign-in")
async def sign_in_page(view: AnyView, next_path: NextPath = "/") -> Response:
    return await _entry_page(view, "sign_in", Form(SignIn), next_path)


@router.post("/sign-in")
async def sign_in(view: AnyView, next_path: NextPath = "/") -> Response:
    form = await view.form(SignIn)
    if form.body is None:
        return await _entry_page(view, "sign_in", form, next_path)
    try:
        account = await signing_in.sign_in(
            view.services, address_of(view.request), form.body.email, form.body.password
        )
    except Disabled as refused:
        return await _entry_page(view, "sign_in", form.but(password=refused.detail), next_path)
    except Unauthenticated:
        wrong = _("That address or password isn’t right. Try again, or reset your password.")
        return await _entry_page(view, "sign_in", form.but(password=wrong), next_path)
    return await sign_in_browser(view.request, view.services, account, next_path)


@router.post("/sign-out")
async def sign_out(view: PersonView) -> Response:
    await store.end_session(view.db, view.who.account, view.who.session.session_id)
    return sign_out_response(view.request, view.who.member_id)


@router.get("/forgotten")
async def forgotten_page(view: AnyView) -> Response:
    return await _show_forgotten(view, Form(Forgotten), sent=False)


@router.post("/forgotten")
async def forgotten(view: AnyView) -> Response:
    form = await view.form(Forgotten)
    if form.body is None:
        return await _show_forgotten(view, form, sent=False)
    response = await _show_forgotten(view, form, sent=True)
    response.background = send_reset(view.services, form.body.email)
    return response


@router.get("/reset/{token}")
async def reset_page(view: AnyView, token: str) -> Response:
    await signing_in.read_password_link(view.services, token)
    return await view.page("accounts/reset.html", form=Form(NewPasswordForm))


@router.post("/reset/{token}")
async def reset(view: AnyView, token: str) -> Response:
    form = await view.form(NewPasswordForm)
    if form.body is not None:
        try:
            await signing_in.reset_password(
                view.services, address_of(view.request), token, form.body.password
            )
        except Invalid as wrong:
            form = form.but(**dict(wrong.errors))
        else:
            return see_other("/sign-in")
    await signing_in.read_password_link(view.services, token)
    return await view.page("accounts/reset.html", form=form)


@router.get("/verify/{token}")
async def verify_page(view: AnyView, token: str) -> Response:
    """Change nothing on GET: mail scanners open every link."""
    verification.read_link(view.services, token)
    return await view.page("accounts/verify.html")


@router.post("/verify/{token}")
async def verify(view: AnyView, token: str) -> Response:
    await verification.verify(view.services, address_of(view.request), token)
    return see_other("/")


@router.get("/unsubscribe/{token}")
async def unsubscribe_page(view: AnyView, token: str) -> Response:
    _read_unsubscribe_token(view, token)
    return await view.page("accounts/unsubscribe.html", done=False)


@open_router.post("/unsubscribe/{token}")
async def unsubscribe(view: AnyView, token: str) -> Response:
    """Accept the button, and a mail program's one-click POST (RFC 8058)."""
    member_id = _read_unsubscribe_token(view, token)
    with suppress(Unauthenticated):  # who is gone gets no mail anyway
        await store.set_preferences(view.db, Account.key(member_id=member_id), {"mail": "off"})
    return await view.page("accounts/unsubscribe.html", done=True)


@router.get("/settings")
async def settings_page(view: PersonView, saved: OutcomeKey = "") -> Response:
    return await _show_settings(view, MESSAGES.get(saved, ""))


@router.post("/settings/name")
async def change_name(view: PersonView) -> Response:
    form = await view.form(NameForm)
    if form.body is None:
        return await _show_settings(view, name=form)
    key, session = view.who.account.own_key(), view.who.session
    await profile.change_profile(view.db, key, view.services, session, form.body.name)
    return see_other("/settings?saved=name")


@router.post("/settings/verification")
async def send_verification(view: PersonView) -> Response:
    await verification.send_verification(view.db, view.services, view.who.account)
    return see_other("/settings?saved=verification")


@router.post("/settings/email")
async def change_email(view: PersonView) -> Response:
    form = await view.form(NewEmail)
    if form.body is None:
        return await _show_settings(view, email=form)
    body, address = form.body, address_of(view.request)
    try:
        await verification.request_address_change(
            view.db, view.services, address, view.who.account, body.email, body.current_password
        )
    except Invalid as wrong:
        return await _show_settings(view, email=form.but(**dict(wrong.errors)))
    except Duplicate as taken:
        return await _show_settings(view, email=form.but(email=taken.detail))
    return see_other("/settings?saved=verification")


@router.post("/settings/preferences")
async def change_preferences(view: PersonView) -> Response:
    form = await view.form(Preferences)
    if form.body is None:
        return await _show_settings(view, preferences=form)
    await store.set_preferences(view.db, view.who.account.own_key(), form.body.given())
    return see_other("/settings?saved=preferences")


@router.post("/settings/password")
async def change_password(view: PersonView) -> Response:
    form = await view.form(PasswordForm)
    if form.body is None:
        return await _show_settings(view, password=form)
    body, address = form.body, address_of(view.request)
    try:
        new = await signing_in.hash_new_password(
            view.services, address, view.who.account, body.current_password, body.password
        )
    except Invalid as wrong:
        return await _show_settings(view, password=form.but(**dict(wrong.errors)))
    key, session = view.who.account.own_key(), view.who.session
    await profile.change_profile(view.db, key, view.services, session, password=new)
    return see_other("/settings?saved=password")


@router.post("/settings/sessions/{sessionId}")
async def end_session(view: PersonView, session_id: SessionId) -> Response:
    await store.end_session(view.db, view.who.account, session_id)
    return see_other("/settings?saved=devices")


@router.post("/settings/leave")
async def leave(view: PersonView) -> Response:
    form = await view.form(AccountDeletionForm)
    account = view.who.account
    if form.body is None or form.body.confirm.strip().lower() != account.email_or_name.lower():
        why = (
            _("Enter your own address, so you don’t delete your account by mistake.")
            if account.email
            else _("Enter your own name, so you don’t delete your account by mistake.")
        )
        return await _show_settings(view, leaving=form.but(confirm=why))
    try:
        await profile.delete_account(
            view.services, address_of(view.request), account, form.body.password
        )
    except LastAdmin:
        why = _(
            "You’re the last adult in a family with other people. Make someone else an adult first."
        )
        return await _show_settings(view, leaving=form.but(confirm=why))
    except Invalid as refused:
        return await _show_settings(view, leaving=form.but(**dict(refused.errors)))
    return sign_out_response(view.request, view.who.member_id)


async def _entry_page(view: AnyView, name: str, form: Form[Any], next_path: str) -> Response:
    return await view.page(
        f"accounts/{name}.html",
        form=form,
        next_path=local_path(next_path),
        signup=view.services.settings.signup,
    )


async def _show_forgotten(view: AnyView, form: Form[Forgotten], *, sent: bool) -> Response:
    return await view.page(
        "accounts/forgotten.html", form=form, sent=sent, by_mail=can_mail(view.services.settings)
    )


def _read_unsubscribe_token(view: AnyView, token: str) -> str:
    return or_not_found(
        read_unsubscribe_token(view.services.signer, token),
        _("Part of this link is missing. Copy the whole link from the mail."),
    )


async def _show_settings(view: PersonView, said: str = "", **forms: Form[Any]) -> Response:
    here = view.who.session
    policy = SessionPolicy.from_settings(view.services.settings)
    account = view.who.account
    others = store.sessions_of(account.member_id, account.era).matching(
        policy.open_session_filter(account, except_for=here.session_id)
    )
    paging = Paging(
        DEVICES, view.request.query_params.get("devices"), view.services.signer, "devices"
    )
    found = await view.db.query(others.page(paging.limit, paging.start(view.who.caller)))
    return await view.page(
        "accounts/settings.html",
        400 if forms else 200,
        person=view.who,
        here=here if here.is_stored and paging.token is None else None,
        others=found.items,
        more=paging.following(view.who.caller, found.next),
        from_the_start=paging.token is None,
        zones=named_zones(account.time_zone),
        languages=LANGUAGES.values(),
        localize_device=localize_device,
        by_mail=can_mail(view.services.settings),
        said=said,
        forms={name: Form(model) for name, model in FORMS.items()} | forms,
    )
