"""The pages that find a list by its id and copy one, with helpers for pages that create one."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response

from homeshelf.access.view import View, Visit
from homeshelf.errors import HomeshelfError, Invalid, NotFound, RateLimited, RetryLater
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.access import maker_grant
from homeshelf.shares.bodies import FindForm, MakeForm, WithPasscodes
from homeshelf.shares.dependencies import (
    AccessibleList,
    ClonableList,
    find_list,
    redirect_with_cookie,
)
from homeshelf.shares.fields import MAX_SEARCH, NO_SUCH_LIST
from homeshelf.shares.list_creation import Caller, caller_of, clone_list, clone_of
from homeshelf.shares.list_route import add_retry_after, list_router, path_of
from homeshelf.shares.model import DEFAULT_DAYS, NewChild
from homeshelf.web.forms import Form
from homeshelf.web.pages import OutcomeKey, see_other

router = list_router()

LETTERS = str.maketrans("0258", "ozsb")
DIGITS = str.maketrans("oilzsb", "011258")
DURATIONS = {
    1: _("A day"),
    7: _("A week"),
    DEFAULT_DAYS: _("30 days"),
    90: _("Three months"),
    365: _("A year"),
}
DURATIONS_FROM_NOW = {
    1: _("A day from now"),
    7: _("A week from now"),
    DEFAULT_DAYS: _("30 days from now"),
    90: _("Three months from now"),
    365: _("A year from now"),
}
MESSAGES = {"deleted": _("The list is deleted, for everyone.")}

F = TypeVar("F", bound=MakeForm)
P = TypeVar("P", bound=WithPasscodes)


@router.get("")
async def find_list_page(
    view: Visit,
    typed: Annotated[str, Query(alias="id", max_length=MAX_SEARCH)] = "",
    said: OutcomeKey = "",
) -> Response:
    wrong: dict[str, str] = {}
    if typed.strip():
        try:
            return see_other(path_of((await find_list(view.request, parse_typed_id(typed))).shared))
        except NotFound:
            wrong = {"id": NO_SUCH_LIST}
    return await view.page(
        "shares/door.html",
        404 if wrong else 200,
        form=Form(FindForm, {"id": typed}, wrong=wrong),
        said=MESSAGES.get(said, ""),
    )


@router.get("/{shortId}/copy")
async def copy_page(view: Visit, target: ClonableList) -> Response:
    return await _copy(view, target, Form(MakeForm, {"name": target.shared.name}))


@router.post("/{shortId}/copy")
async def copy_list(view: Visit, target: ClonableList) -> Response:
    return await create_and_redirect(
        view,
        MakeForm,
        lambda asked, caller: clone_list(
            view.services, caller, target.shared, asked.passcodes, asked.name, asked.expires_in_days
        ),
        lambda form, error: _copy(view, target, form, error),
    )


def parse_typed_id(typed: str) -> str:
    """Return the short id in a typed text or link; look-alike letters and digits are exchanged."""
    text = unicodedata.normalize("NFKC", typed).strip().rstrip("/").rpartition("/")[2]
    signs = re.sub(r"[\W_]", "", text.lower())
    bare = "".join(str(unicodedata.decimal(sign, sign)) for sign in signs)
    return bare[:6].translate(LETTERS) + bare[6:].translate(DIGITS)


async def create_and_redirect(
    view: View[Any],
    model: type[F],
    create: Callable[[F, Caller], Awaitable[store.ListWithItems]],
    show_form: Callable[[Form[F], HomeshelfError | None], Awaitable[Response]],
) -> Response:
    form = await view.form(model)
    if form.body is None:
        return await show_form(ask_for_passcodes_again(form), None)
    try:
        shared = (await create(form.body, await caller_of(view.request))).shared
    except Invalid as invalid:
        return await show_form(ask_for_passcodes_again(form.but(**dict(invalid.errors))), invalid)
    except RateLimited as limited:
        return await show_form(ask_for_passcodes_again(form), limited)
    path = path_of(shared, "/share?said=new")
    return redirect_with_cookie(view.request, path, shared, maker_grant(shared))


def ask_for_passcodes_again(form: Form[P]) -> Form[P]:
    """Ask for typed passcodes again, as they are never sent back to the browser."""
    secrets = [name for name in ("viewPasscode", "adminPasscode") if form.typed.get(name)]
    return form.but(
        **{name: _("Enter the same passcode again.") for name in secrets if name not in form.wrong}
    )


async def _copy(
    view: View[Any], target: AccessibleList, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    return await creation_page(
        view,
        form,
        error,
        kind="copy",
        action=path_of(target.shared, "/copy"),
        items=clone_of(await store.load_list(view.db, target.shared)).items,
        shared=target.shared,
    )


async def creation_page(
    view: View[Any],
    form: Form[Any],
    error: HomeshelfError | None,
    *,
    kind: str,
    action: str,
    items: Sequence[NewChild] = (),
    **more: Any,
) -> Response:
    answer = await view.page(
        "shares/new.html",
        error.status if error else None,
        form=form,
        kind=kind,
        action=action,
        items=items,
        lives=DURATIONS,
        said=error.detail if isinstance(error, RetryLater) else "",
        **({"shops": (), "at": "", "shared": None} | more),
    )
    return add_retry_after(answer, error)
