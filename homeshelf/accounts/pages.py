"""Signing up, signing in, and getting back in."""

from fastapi import Request, Response

from homeshelf.access.families import families_of
from homeshelf.accounts import signing_in, store
from homeshelf.accounts.bodies import Forgotten, NewPasswordForm, SignIn, SignUp
from homeshelf.accounts.callers import Person
from homeshelf.accounts.cookies import forget
from homeshelf.accounts.messages import send_reset
from homeshelf.accounts.redirects import Next, let_in, within
from homeshelf.errors import Duplicate, Invalid, Unauthenticated
from homeshelf.outbox.store import can_mail
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Db, Services, TheServices

router = page_router()


@router.get("/sign-up")
async def sign_up_page(request: Request, services: TheServices, way_on: Next = "/") -> Response:
    return _sign_up(request, services, Form(SignUp), way_on)


@router.post("/sign-up")
async def sign_up(request: Request, services: TheServices, way_on: Next = "/") -> Response:
    form = await sent_form(request, SignUp)
    if form.body is None:
        return _sign_up(request, services, form, way_on)
    asked, address = form.body, address_of(request)
    invited = await families_of(services).holds_invitation(services.db, way_on)
    try:
        account = await signing_in.sign_up(
            services, address, asked.email, asked.password, asked.name, invited=invited
        )
    except Invalid as wrong:
        return _sign_up(request, services, form.but(**dict(wrong.errors)), way_on)
    except Duplicate:
        try:  # who pressed twice knows the password of the account that is there now
            account = await signing_in.sign_in(services, address, asked.email, asked.password)
        except Unauthenticated:
            there = "There is an account with this address already. Sign in instead."
            return _sign_up(request, services, form.but(email=there), way_on)
    return await let_in(request, services, account, way_on)


@router.get("/sign-in")
async def sign_in_page(request: Request, services: TheServices, way_on: Next = "/") -> Response:
    return _sign_in(request, services, Form(SignIn), way_on)


@router.post("/sign-in")
async def sign_in(request: Request, services: TheServices, way_on: Next = "/") -> Response:
    form = await sent_form(request, SignIn)
    if form.body is None:
        return _sign_in(request, services, form, way_on)
    address = address_of(request)
    try:
        account = await signing_in.sign_in(services, address, form.body.email, form.body.password)
    except Unauthenticated:
        wrong = "The address or the password is not right. Try again, or set a new password."
        return _sign_in(request, services, form.but(password=wrong), way_on)
    return await let_in(request, services, account, way_on)


@router.post("/sign-out")
async def sign_out(request: Request, person: Person, db: Db) -> Response:
    await store.end_session(db, person.account, person.session.session_id)
    response = see_other("/")
    forget(request, response)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


@router.get("/forgotten")
async def forgotten_page(request: Request, services: TheServices) -> Response:
    return _forgotten(request, services, Form(Forgotten), sent=False)


@router.post("/forgotten")
async def forgotten(request: Request, services: TheServices) -> Response:
    form = await sent_form(request, Forgotten)
    if form.body is None:
        return _forgotten(request, services, form, sent=False)
    response = _forgotten(request, services, form, sent=True)
    response.background = send_reset(services, form.body.email)
    return response


@router.get("/reset/{token}")
async def reset_page(request: Request, token: str, services: TheServices) -> Response:
    await signing_in.holder_of_reset(services, token)
    return page(request, "accounts/reset.html", form=Form(NewPasswordForm))


@router.post("/reset/{token}")
async def reset(request: Request, token: str, services: TheServices) -> Response:
    form = await sent_form(request, NewPasswordForm)
    if form.body is not None:
        try:
            await signing_in.reset_password(
                services, address_of(request), token, form.body.password
            )
        except Invalid as wrong:
            form = form.but(**dict(wrong.errors))
        else:
            return see_other("/sign-in")
    await signing_in.holder_of_reset(services, token)
    return page(request, "accounts/reset.html", 400, form=form)


@router.get("/verify/{token}")
async def verify_page(request: Request, token: str, services: TheServices) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    signing_in.address_to_verify(services, token)
    return page(request, "accounts/verify.html")


@router.post("/verify/{token}")
async def verify(request: Request, token: str, services: TheServices) -> Response:
    await signing_in.verify_email(services, address_of(request), token)
    return see_other("/")


def _sign_up(request: Request, services: Services, form: Form[SignUp], way_on: str) -> Response:
    status = 400 if form.wrong else 200
    signup = services.settings.signup
    return page(
        request, "accounts/sign_up.html", status, form=form, way_on=within(way_on), signup=signup
    )


def _sign_in(request: Request, services: Services, form: Form[SignIn], way_on: str) -> Response:
    status = 400 if form.wrong else 200
    signup = services.settings.signup
    return page(
        request, "accounts/sign_in.html", status, form=form, way_on=within(way_on), signup=signup
    )


def _forgotten(
    request: Request, services: Services, form: Form[Forgotten], *, sent: bool
) -> Response:
    status = 400 if form.wrong else 200
    by_mail = can_mail(services.settings)
    return page(request, "accounts/forgotten.html", status, form=form, sent=sent, by_mail=by_mail)
