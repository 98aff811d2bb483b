"""The page that finds a list by its id, and the pages that make one: a new one, one from the
shopping list, or a copy of another."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response

from homeshelf.access.view import View, Visit
from homeshelf.errors import (
    HomeshelfError,
    Invalid,
    NotFound,
    RateLimited,
    RetryLater,
)
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.access import held_by_maker
from homeshelf.shares.bodies import FindForm, MakeForm, WithPasscodes
from homeshelf.shares.fields import LONGEST_FIND, NO_SUCH_LIST
from homeshelf.shares.list_route import add_retry_after, list_router, path_of
from homeshelf.shares.making import (
    Caller,
    caller_of,
    clone_list,
    clone_of,
)
from homeshelf.shares.model import DAYS, NewChild
from homeshelf.shares.opening import AtList, Owning, find_list, let_in
from homeshelf.web.forms import Form
from homeshelf.web.pages import Said, see_other

router = list_router()

LETTERS = str.maketrans("0258", "ozsb")
DIGITS = str.maketrans("oilzsb", "011258")
LIVES = {
    1: _("A day"),
    7: _("A week"),
    DAYS: _("30 days"),
    90: _("Three months"),
    365: _("A year"),
}
LIVES_FROM_NOW = {
    1: _("A day from now"),
    7: _("A week from now"),
    DAYS: _("30 days from now"),
    90: _("Three months from now"),
    365: _("A year from now"),
}
SAID = {"deleted": _("The list is gone, for everybody.")}

F = TypeVar("F", bound=MakeForm)
P = TypeVar("P", bound=WithPasscodes)


@router.get("")
async def front_door(
    view: Visit,
    typed: Annotated[str, Query(alias="id", max_length=LONGEST_FIND)] = "",
    said: Said = "",
) -> Response:
    wrong: dict[str, str] = {}
    if typed.strip():
        try:
            return see_other(path_of((await find_list(view.request, typed_id(typed))).shared))
        except NotFound:
            wrong = {"id": NO_SUCH_LIST}
    return await view.page(
        "shares/door.html",
        404 if wrong else 200,
        form=Form(FindForm, {"id": typed}, wrong=wrong),
        said=SAID.get(said, ""),
    )


@router.get("/{shortId}/copy")
async def copy_page(view: Visit, at: Owning) -> Response:
    return await _copy(view, at, Form(MakeForm, {"name": at.shared.name}))


@router.post("/{shortId}/copy")
async def copy_list(view: Visit, at: Owning) -> Response:
    return await answer_with_made(
        view,
        MakeForm,
        lambda asked, caller: clone_list(
            view.services, caller, at.shared, asked.passcodes, asked.name, asked.expires_in_days
        ),
        lambda form, error: _copy(view, at, form, error),
    )


def typed_id(typed: str) -> str:
    """Return the id in a typed text or a link: six letters and five digits, also of other scripts.

    A sign in the place of a letter counts as the letter that it looks like, and so with digits.
    """
    text = unicodedata.normalize("NFKC", typed).strip().rstrip("/").rpartition("/")[2]
    signs = re.sub(r"[\W_]", "", text.lower())
    bare = "".join(str(unicodedata.decimal(sign, sign)) for sign in signs)
    return bare[:6].translate(LETTERS) + bare[6:].translate(DIGITS)


async def answer_with_made(
    view: View[Any],
    model: type[F],
    made: Callable[[F, Caller], Awaitable[store.OpenList]],
    again: Callable[[Form[F], HomeshelfError | None], Awaitable[Response]],
) -> Response:
    """Make a list and redirect to the page that shares it, or show the form again."""
    form = await view.form(model)
    if form.body is None:
        return await again(asking_again(form), None)
    try:
        found = await made(form.body, await caller_of(view.request))
    except Invalid as wrong:
        return await again(asking_again(form.but(**dict(wrong.errors))), wrong)
    except RateLimited as late:
        return await again(asking_again(form), late)
    held = held_by_maker(found.shared)
    return let_in(view.request, path_of(found.shared, "/share?said=new"), found.shared, held)


def asking_again(form: Form[P]) -> Form[P]:
    """Ask for typed passcodes again, which are never sent back, so that no list is left open."""
    secrets = [name for name in ("viewPasscode", "adminPasscode") if form.typed.get(name)]
    return form.but(**{name: _("Type it once more.") for name in secrets if name not in form.wrong})


async def _copy(
    view: View[Any], at: AtList, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    return await making_page(
        view,
        form,
        error,
        kind="copy",
        action=path_of(at.shared, "/copy"),
        items=clone_of(await store.opened(view.db, at.shared)).items,
        shared=at.shared,
    )


async def making_page(
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
        lives=LIVES,
        said=error.detail if isinstance(error, RetryLater) else "",
        **({"shops": (), "at": "", "shared": None} | more),
    )
    return add_retry_after(answer, error)
