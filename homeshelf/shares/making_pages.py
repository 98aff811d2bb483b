"""The page that finds a list by its id, and the pages that make one: a new one, one from the
shopping list, or a copy of another."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response

from homeshelf.access.view import AdminView, View, Visit
from homeshelf.errors import (
    HomeshelfError,
    Invalid,
    NotFound,
    RateLimited,
    RetryLater,
    or_not_found,
)
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.access import held_by_maker
from homeshelf.shares.bodies import FindForm, FromListForm, MakeForm, NewListForm, WithPasscodes
from homeshelf.shares.fields import LONGEST_FIND, NO_SUCH_LIST
from homeshelf.shares.list_route import add_retry_after, list_router, path_of
from homeshelf.shares.making import (
    Caller,
    caller_of,
    clone_list,
    clone_of,
    make_list,
    require_maker,
)
from homeshelf.shares.model import DAYS, MOST_ITEMS, ListContent, NewItem
from homeshelf.shares.opening import AtList, Owning, find_list, let_in
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
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


@router.get("/new")
async def new_list_page(view: Visit) -> Response:
    require_maker(view.services, await caller_of(view.request))
    return await _new(view, Form(NewListForm))


@router.post("/new")
@body_limits(BodyLimits(nobody=1_500_000))
async def new_list(view: Visit) -> Response:
    return await _made(
        view,
        NewListForm,
        lambda asked, caller: make_list(view.services, caller, asked.content, asked.passcodes),
        lambda form, error: _new(view, form, error),
    )


@router.get("/from-list")
async def from_list_page(
    view: AdminView, at: Annotated[str, Query(max_length=36)] = ""
) -> Response:
    return await _from_list(view, at, Form(FromListForm))


@router.post("/from-list")
async def from_list(view: AdminView) -> Response:
    async def made(asked: FromListForm, caller: Caller) -> store.OpenList:
        content = await shopping_at(view.db, view.who.family_id, asked.store_id)
        wanted = replace(content, name=asked.name, days=asked.expires_in_days)
        return await make_list(view.services, caller, wanted, asked.passcodes)

    return await _made(
        view,
        FromListForm,
        made,
        lambda form, error: _from_list(view, form.typed.get("storeId", ""), form, error),
    )


@router.get("/{shortId}/copy")
async def copy_page(view: Visit, at: Owning) -> Response:
    return await _copy(view, at, Form(MakeForm, {"name": at.shared.name}))


@router.post("/{shortId}/copy")
async def copy_list(view: Visit, at: Owning) -> Response:
    return await _made(
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


async def _made(
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


async def _new(view: View[Any], form: Form[Any], error: HomeshelfError | None = None) -> Response:
    return await _page(view, form, error, kind="new", action="/s/new")


async def _from_list(
    view: AdminView, at: str, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    shops = await places.shops(view.db, view.who.family_id)
    chosen = at if is_id(at) and any(shop.store_id == at for shop in shops) else None
    content = await shopping_at(view.db, view.who.family_id, chosen)
    return await _page(
        view,
        form if form.typed else Form(FromListForm, {"name": content.name}),
        error,
        kind="from-list",
        action="/s/from-list",
        items=content.items,
        shops=shops,
        at=chosen or "",
    )


async def _copy(
    view: View[Any], at: AtList, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    return await _page(
        view,
        form,
        error,
        kind="copy",
        action=path_of(at.shared, "/copy"),
        items=clone_of(await store.opened(view.db, at.shared)).items,
        shared=at.shared,
    )


async def _page(
    view: View[Any],
    form: Form[Any],
    error: HomeshelfError | None,
    *,
    kind: str,
    action: str,
    items: Sequence[NewItem] = (),
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


async def shopping_at(db: Database, family_id: str, store_id: str | None) -> ListContent:
    """Return a copy of the pending entries of a store, or of those without one, oldest first."""
    name: str = _("Shopping")
    if store_id is not None:
        name = or_not_found(await places.shop(db, family_id, store_id)).name
    oldest = sorted(
        await db.all(shopping.pending_at(family_id, store_id)),
        key=lambda entry: (entry.created_at, entry.shopping_item_id),
    )
    return ListContent(name=name, items=tuple(map(_new_item, oldest[:MOST_ITEMS])))


def _new_item(entry: ShoppingListItem) -> NewItem:
    many = entry.quantity is not None and entry.quantity > 1
    return NewItem(f"{entry.quantity} {entry.name}" if many else entry.name, entry.notes)
