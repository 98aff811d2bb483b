"""Signing up, signing in and getting back in, and no more mail, by the link under each."""

from contextlib import suppress
from typing import Any

from fastapi import Response

from homeshelf.access.families import families_of
from homeshelf.access.view import AnyView
from homeshelf.accounts import signing_in, store
from homeshelf.accounts.bodies import Forgotten, NewPasswordForm, SignIn, SignUp
from homeshelf.accounts.browsers import Next, forget, let_in, within
from homeshelf.accounts.callers import PersonView
from homeshelf.accounts.messages import send_reset
from homeshelf.accounts.store import set_preferences
from homeshelf.accounts.tokens import unsubscribed
from homeshelf.errors import Duplicate, Invalid, Unauthenticated, or_not_found
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import see_other
from homeshelf.web.requests import from_anywhere, page_router

router = page_router()


@router.get("/sign-up")
async def sign_up_page(view: AnyView, way_on: Next = "/") -> Response:
    return await _entrance(view, "sign_up", Form(SignUp), way_on)


@router.post("/sign-up")
async def sign_up(view: AnyView, way_on: Next = "/") -> Response:
    form = await view.form(SignUp)
    if form.body is None:
        return await _entrance(view, "sign_up", form, way_on)
    asked, address = form.body, address_of(view.request)
    invited = await families_of(view.services).holds_invitation(view.db, way_on)
    try:
        account = await signing_in.sign_up(
            view.services, address, asked.email, asked.password, asked.name, invited=invited
        )
    except Invalid as wrong:
        return await _entrance(view, "sign_up", form.but(**dict(wrong.errors)), way_on)
    except Duplicate:
        try:  # who pressed twice knows the password of the account that is there now
            account = await signing_in.sign_in(view.services, address, asked.email, asked.password)
        except Unauthenticated:
            there = _("There is an account with this address already. Sign in instead.")
            return await _entrance(view, "sign_up", form.but(email=there), way_on)
    return await let_in(view.request, view.services, account, way_on)


@router.get("/sign-in")
async def sign_in_page(view: AnyView, way_on: Next = "/") -> Response:
    return await _entrance(view, "sign_in", Form(SignIn), way_on)


@router.post("/sign-in")
async def sign_in(view: AnyView, way_on: Next = "/") -> Response:
    form = await view.form(SignIn)
    if form.body is None:
        return await _entrance(view, "sign_in", form, way_on)
    try:
        account = await signing_in.sign_in(
            view.services, address_of(view.request), form.body.email, form.body.password
        )
    except Unauthenticated:
        wrong = _("The address or the password is not right. Try again, or set a new password.")
        return await _entrance(view, "sign_in", form.but(password=wrong), way_on)
    return await let_in(view.request, view.services, account, way_on)


@router.post("/sign-out")
async def sign_out(view: PersonView) -> Response:
    await store.end_session(view.db, view.who.account, view.who.session.session_id)
    response = see_other("/")
    forget(view.request, response)
    return response


@router.get("/forgotten")
async def forgotten_page(view: AnyView) -> Response:
    return await _forgotten(view, Form(Forgotten), sent=False)


@router.post("/forgotten")
async def forgotten(view: AnyView) -> Response:
    form = await view.form(Forgotten)
    if form.body is None:
        return await _forgotten(view, form, sent=False)
    response = await _forgotten(view, form, sent=True)
    response.background = send_reset(view.services, form.body.email)
    return response


@router.get("/reset/{token}")
async def reset_page(view: AnyView, token: str) -> Response:
    await signing_in.holder_of_reset(view.services, token)
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
    await signing_in.holder_of_reset(view.services, token)
    return await view.page("accounts/reset.html", form=form)


@router.get("/verify/{token}")
async def verify_page(view: AnyView, token: str) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    signing_in.address_to_verify(view.services, token)
    return await view.page("accounts/verify.html")


@router.post("/verify/{token}")
async def verify(view: AnyView, token: str) -> Response:
    await signing_in.verify_email(view.services, address_of(view.request), token)
    return see_other("/")


@router.get("/unsubscribe/{token}")
async def unsubscribe_page(view: AnyView, token: str) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    _member(view, token)
    return await view.page("accounts/unsubscribe.html", done=False)


@router.post("/unsubscribe/{token}")
@from_anywhere
@from_anywhere
async def unsubscribe(view: AnyView, token: str) -> Response:
    """By the button, or by the mail program itself with one click (RFC 8058): it sends no cookie,
    comes from anywhere and follows no redirection, so the token alone decides."""
    member_id = _member(view, token)
    with suppress(Unauthenticated):  # who is gone gets no mail anyway
        await set_preferences(view.db, member_id, {"mail": "off"})
    return await view.page("accounts/unsubscribe.html", done=True)


async def _entrance(view: AnyView, name: str, form: Form[Any], way_on: str) -> Response:
    return await view.page(
        f"accounts/{name}.html",
        form=form,
        way_on=within(way_on),
        signup=view.services.settings.signup,
    )


async def _forgotten(view: AnyView, form: Form[Forgotten], *, sent: bool) -> Response:
    by_mail = can_mail(view.services.settings)
    return await view.page("accounts/forgotten.html", form=form, sent=sent, by_mail=by_mail)


def _member(view: AnyView, token: str) -> str:
    return or_not_found(
        unsubscribed(view.services.signer, token),
        _("This link is not whole. Copy all of it from the mail."),
    )
