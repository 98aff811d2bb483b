"""Signing up, signing in, and getting back in."""

from fastapi import APIRouter, Request, Response

from homeshelf.accounts import entrance, store
from homeshelf.accounts.bodies import Forgotten, NewPasswordForm, SignIn, SignUp
from homeshelf.accounts.cookies import forget
from homeshelf.accounts.posting import send_reset
from homeshelf.accounts.ways import Next, holds_invitation, let_in, within
from homeshelf.errors import Duplicate, Invalid, Unauthenticated
from homeshelf.mail.store import can_send
from homeshelf.web.access import Person
from homeshelf.web.csrf import require_same_origin
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.house import Db, House, TheHouse
from homeshelf.web.limits import address_of
from homeshelf.web.pages import page, see_other

router = APIRouter(include_in_schema=False)


@router.get("/sign-up")
async def sign_up_page(request: Request, house: TheHouse, way_on: Next = "/") -> Response:
    return _sign_up(request, house, Form(), way_on)


@router.post("/sign-up")
async def sign_up(request: Request, house: TheHouse, way_on: Next = "/") -> Response:
    form = await sent_form(request, SignUp)
    if form.body is None:
        return _sign_up(request, house, form, way_on)
    asked, address = form.body, address_of(request)
    invited = await holds_invitation(house, way_on)
    try:
        account = await entrance.sign_up(
            house, address, asked.email, asked.password, asked.name, invited=invited
        )
    except Invalid as wrong:
        return _sign_up(request, house, form.but(**dict(wrong.errors)), way_on)
    except Duplicate:
        try:  # who pressed twice knows the password of the account that is there now
            account = await entrance.sign_in(house, address, asked.email, asked.password)
        except Unauthenticated:
            there = "There is an account with this address already. Sign in instead."
            return _sign_up(request, house, form.but(email=there), way_on)
    return await let_in(request, house, account, way_on)


@router.get("/sign-in")
async def sign_in_page(request: Request, house: TheHouse, way_on: Next = "/") -> Response:
    return _sign_in(request, house, Form(), way_on)


@router.post("/sign-in")
async def sign_in(request: Request, house: TheHouse, way_on: Next = "/") -> Response:
    form = await sent_form(request, SignIn)
    if form.body is None:
        return _sign_in(request, house, form, way_on)
    address = address_of(request)
    try:
        account = await entrance.sign_in(house, address, form.body.email, form.body.password)
    except Unauthenticated:
        wrong = "The address or the password is not right. Try again, or set a new password."
        return _sign_in(request, house, form.but(password=wrong), way_on)
    return await let_in(request, house, account, way_on)


@router.post("/sign-out")
async def sign_out(request: Request, person: Person, db: Db) -> Response:
    await store.end_session(db, person.account, person.session.session_id)
    response = see_other("/")
    forget(request, response)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


@router.get("/forgotten")
async def forgotten_page(request: Request, house: TheHouse) -> Response:
    return _forgotten(request, house, Form(), sent=False)


@router.post("/forgotten")
async def forgotten(request: Request, house: TheHouse) -> Response:
    form = await sent_form(request, Forgotten)
    if form.body is None:
        return _forgotten(request, house, form, sent=False)
    response = _forgotten(request, house, form, sent=True)
    response.background = send_reset(house, form.body.email)
    return response


@router.get("/reset/{token}")
async def reset_page(request: Request, token: str, house: TheHouse) -> Response:
    await entrance.holder_of_reset(house, token)
    return page(request, "accounts/reset.html", form=Form())


@router.post("/reset/{token}")
async def reset(request: Request, token: str, house: TheHouse) -> Response:
    form = await sent_form(request, NewPasswordForm)
    if form.body is not None:
        try:
            await entrance.reset_password(house, address_of(request), token, form.body.password)
        except Invalid as wrong:
            form = form.but(**dict(wrong.errors))
        else:
            return see_other("/sign-in")
    await entrance.holder_of_reset(house, token)
    return page(request, "accounts/reset.html", 400, form=form)


@router.get("/verify/{token}")
async def verify_page(request: Request, token: str, house: TheHouse) -> Response:
    """A mail scanner opens every link, so opening one does nothing: the button does."""
    entrance.address_to_verify(house, token)
    return page(request, "accounts/verify.html")


@router.post("/verify/{token}")
async def verify(request: Request, token: str, house: TheHouse) -> Response:
    require_same_origin(request)
    await entrance.verify_email(house, address_of(request), token)
    return see_other("/")


def _sign_up(request: Request, house: House, form: Form[SignUp], way_on: str) -> Response:
    status = 400 if form.wrong else 200
    signup = house.settings.signup
    return page(
        request, "accounts/sign_up.html", status, form=form, way_on=within(way_on), signup=signup
    )


def _sign_in(request: Request, house: House, form: Form[SignIn], way_on: str) -> Response:
    status = 400 if form.wrong else 200
    signup = house.settings.signup
    return page(
        request, "accounts/sign_in.html", status, form=form, way_on=within(way_on), signup=signup
    )


def _forgotten(request: Request, house: House, form: Form[Forgotten], *, sent: bool) -> Response:
    status = 400 if form.wrong else 200
    by_mail = can_send(house.settings)
    return page(request, "accounts/forgotten.html", status, form=form, sent=sent, by_mail=by_mail)
