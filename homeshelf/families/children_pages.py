"""The admin's pages about children without an e-mail address, and the page of their link."""

from contextlib import suppress
from typing import Any

from fastapi import Response

from homeshelf import clock
from homeshelf.access import signed_in
from homeshelf.access.view import AnyView
from homeshelf.accounts.browsers import device_of, set_session_cookie
from homeshelf.accounts.callers import AccountHolder
from homeshelf.accounts.fields import SessionId
from homeshelf.accounts.model import Account
from homeshelf.accounts.store import end_session
from homeshelf.errors import Duplicate, NotFound, Unauthenticated, VersionConflict
from homeshelf.families import children, store
from homeshelf.families.bodies import ChildEmail, ChildForm, NewChildForm, NewLink
from homeshelf.families.callers import AdminView
from homeshelf.families.fields import MemberId
from homeshelf.families.model import Member
from homeshelf.families.pages import EDIT_CONFLICT
from homeshelf.outbox.store import can_mail
from homeshelf.sentences import _
from homeshelf.web.drawings import qr_code
from homeshelf.web.forms import Form
from homeshelf.web.limits import address_of
from homeshelf.web.pages import OutcomeKey, page_router, see_other

router = page_router("/family/children")
link_router = page_router("/sign-in-link")

REFERRER = "strict-origin"
"""Hides the link. With `no-referrer`, plain HTTP would not show that the form is ours."""

PICTURES = tuple("🦊🐻🐼🐨🐯🦁🐸🐙🦄🐰🐹🐶🐧🦉🐢🐬🦋🚀")
MESSAGES = {
    "saved": _("Saved."),
    "new-link": _("Here’s a new link. The old one no longer works."),
    "signed-out": _("Here’s a new link. The other devices are signed out."),
}


@router.get("/new")
async def new_child_page(view: AdminView) -> Response:
    return await _show_new_child(view, Form(NewChildForm))


@router.post("/new")
async def add_child(view: AdminView) -> Response:
    form = await view.form(NewChildForm)
    if form.body is None:
        return await _show_new_child(view, form)
    body, admin = form.body, view.who.membership
    added = await children.add_child(view.db, admin, view.services, body.name, body.chosen)
    return see_other(_child_path(added.member.member_id))


@router.get("/{memberId}")
async def child_page(view: AdminView, member_id: MemberId, said: OutcomeKey = "") -> Response:
    return await _show_child(view, await _require_child_member(view, member_id), said)


@router.post("/{memberId}")
async def change_child(view: AdminView, member_id: MemberId) -> Response:
    child = await _require_child_member(view, member_id)
    form = await view.form(ChildForm)
    if form.body is None:
        return await _show_child(view, child, naming=form)
    key = store.member_key(view.who.family_id, member_id)
    changes = {"name": form.body.name, "picture": form.body.chosen}
    try:
        await store.change_member(view.db, key, form.body.version, changes)
    except VersionConflict:
        again = form.without("version").but(name=EDIT_CONFLICT)
        return await _show_child(view, await _require_child_member(view, member_id), naming=again)
    return see_other(f"{_child_path(member_id)}?said=saved")


@router.post("/{memberId}/link")
async def make_link(view: AdminView, member_id: MemberId) -> Response:
    form = await view.form(NewLink)
    end_others = form.body is not None and form.body.end_others
    key, admin = Account.key(member_id=member_id), view.who.membership
    await children.replace_link(view.db, key, view.services, admin, end_others=end_others)
    return see_other(f"{_child_path(member_id)}?said={'signed-out' if end_others else 'new-link'}")


@router.post("/{memberId}/devices/{sessionId}")
async def sign_device_out(view: AdminView, member_id: MemberId, session_id: SessionId) -> Response:
    await children.end_child_session(view.db, view.who.family_id, member_id, session_id)
    return see_other("/family?said=signed-out")


@router.post("/{memberId}/email")
async def give_email(view: AdminView, member_id: MemberId) -> Response:
    child = await _require_child_member(view, member_id)
    form = await view.form(ChildEmail)
    if form.body is None:
        return await _show_child(view, child, address=form)
    key, who = Account.key(member_id=member_id), view.who
    try:
        await children.give_email(view.db, key, who.account, who.membership, form.body.email)
    except Duplicate as taken:
        return await _show_child(view, child, address=form.but(email=taken.detail))
    return see_other(f"{_child_path(member_id)}#address")


@router.post("/{memberId}/remove")
async def remove_child(view: AdminView, member_id: MemberId) -> Response:
    """Remove without a question: the next page has a button to bring the child back."""
    child = await _require_child_member(view, member_id)
    await store.remove_member(view.db, child.family_id, member_id)
    return see_other(f"/family?said=child-removed&child={member_id}")


async def _require_child_member(view: AdminView, member_id: str) -> Member:
    member = await store.get_member(view.db, view.who.family_id, member_id)
    if member is None or not await children.child_ids_among(view.db, [member]):
        raise NotFound(_("This child doesn’t sign in with a link."))
    return member


async def _show_new_child(view: AdminView, form: Form[NewChildForm]) -> Response:
    return await view.page("families/new_child.html", form=form, pictures=PICTURES)


async def _show_child(
    view: AdminView, child: Member, said: str = "", **forms: Form[Any]
) -> Response:
    family_id, member_id = child.family_id, child.member_id
    link = await children.get_link(view.db, family_id, member_id)
    shown = link is not None and link.is_open(clock.timestamp())
    url = children.sign_in_link_url(view.request, link) if link is not None and shown else ""
    pending = await children.get_pending_email(view.db, family_id, member_id)
    settings = view.services.settings
    return await view.page(
        "families/child.html",
        400 if forms else 200,
        child=child,
        link=url,
        number=link.number if link else 0,
        qr=qr_code(url, border=2) if url else "",
        minutes=settings.sign_in_link_minutes,
        pending=pending,
        password_link=children.password_url(view.request, pending) if pending else "",
        may_have_password=settings.oidc_issuer is None,
        is_mailed=can_mail(settings) and view.who.account.email_verified,
        pictures=PICTURES,
        said=MESSAGES.get(said, ""),
        naming=forms.get("naming", Form(ChildForm)),
        address=forms.get("address", Form(ChildEmail)),
    )


def _child_path(member_id: str) -> str:
    return f"/family/children/{member_id}"


@link_router.get("/{token}")
async def link_page(view: AnyView, token: str) -> Response:
    """Change nothing on GET, as scanners and previews open the link too."""
    try:
        expected = await children.link_target(view.services, token)
    except NotFound:
        return await _show_ended_link(view)
    here = await _current_caller(view)
    shown = await view.page(
        "families/sign_in_link.html",
        child=expected.member,
        family=expected.family,
        here=here.account if here else None,
    )
    shown.headers["Referrer-Policy"] = REFERRER
    return shown


@link_router.post("/{token}")
async def sign_in(view: AnyView, token: str) -> Response:
    """Sign the child in, and end the session that this browser had."""
    before = await _current_caller(view)
    try:
        session = await children.sign_in(
            view.services, address_of(view.request), token, device_of(view.request)
        )
    except NotFound:
        return await _show_ended_link(view)
    if before is not None and before.session.is_stored:
        with suppress(NotFound):
            await end_session(view.db, before.account, before.session.session_id)
    response = see_other("/")
    set_session_cookie(view.request, response, session)
    return response


async def _current_caller(view: AnyView) -> AccountHolder | None:
    try:
        return await signed_in(view.request)
    except Unauthenticated:
        return None


async def _show_ended_link(view: AnyView) -> Response:
    shown = await view.page("families/link_over.html", 404)
    shown.headers["Referrer-Policy"] = REFERRER
    return shown
