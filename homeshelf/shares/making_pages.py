"""Starting a list: from nothing, from what is to be bought, or as a copy of another."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import Query, Response

from homeshelf.access import member_asking
from homeshelf.access.view import AdminView, View, Visit
from homeshelf.errors import (
    HomeshelfError,
    Invalid,
    NotFound,
    RateLimited,
    RetryLater,
    Unauthenticated,
)
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.access import held_by_maker
from homeshelf.shares.bodies import FindForm, FromListForm, MakeForm, NewListForm
from homeshelf.shares.fields import LONGEST_FIND, NO_SUCH_LIST
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.making import Caller, Clone, clone_list, make_list
from homeshelf.shares.model import DAYS, MOST_ITEMS, ListContent, NewItem
from homeshelf.shares.opening import AtList, Cloning, find_list, keep_in_cookie
from homeshelf.shares.store import OpenList
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.limits import address_of
from homeshelf.web.pages import Said, see_other

router = list_router()

LETTERS = str.maketrans("0258", "ozsb")
DIGITS = str.maketrans("oilzsb", "011258")
SAID = {"deleted": _("The list is gone, for everybody.")}


def heard_id(typed: str) -> str:
    """What was read out, or the link itself, as somebody types it.

    Six letters and five digits: where a letter belongs, what looks like one is one, and so with
    digits. Whatever stands between them does not matter.
    """
    text = unicodedata.normalize("NFKC", typed).strip().rstrip("/").rpartition("/")[2]
    bare = "".join(map(_plain, re.sub(r"[\W_]", "", text.lower())))
    return bare[:6].translate(LETTERS) + bare[6:].translate(DIGITS)


def _plain(character: str) -> str:
    """Digits of other scripts are digits."""
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


@router.get("")
async def front_door(
    view: Visit,
    typed: Annotated[str, Query(alias="id", max_length=LONGEST_FIND)] = "",
    said: Said = "",
) -> Response:
    wrong: dict[str, str] = {}
    if typed.strip():
        try:
            return see_other(path_of((await find_list(view.request, heard_id(typed))).shared))
        except NotFound:
            wrong = {"id": NO_SUCH_LIST}
    return await view.page(
        "shares/door.html",
        404 if wrong else 200,
        form=Form(FindForm, {"id": typed}, wrong=wrong),
        said=SAID.get(said, ""),
    )


LIVES = {
    1: _("A day"),
    7: _("A week"),
    DAYS: _("30 days"),
    90: _("Three months"),
    365: _("A year"),
}
AGAIN = _("Type it once more.")
NOWHERE = "unassigned"

F = TypeVar("F", bound=MakeForm)
Made = Callable[[F], Awaitable[OpenList]]


@router.get("/new")
async def new_list_page(view: Visit) -> Response:
    if view.services.settings.shares == "members" and await member_asking(view.request) is None:
        raise Unauthenticated
    return await _new(view, Form(NewListForm))


@router.post("/new")
@body_limits(BodyLimits(nobody=1_500_000))
async def new_list(view: Visit) -> Response:
    form = await view.form(NewListForm)
    caller = await _caller(view)

    async def made(asked: NewListForm) -> OpenList:
        return await make_list(view.services, caller, asked.content, asked.passcodes)

    return await _made(view, form, made, lambda wrong, error: _new(view, wrong, error))


@router.get("/from-list")
async def from_list_page(
    view: AdminView, at: Annotated[str, Query(max_length=36)] = ""
) -> Response:
    return await _from_list(view, at, Form(FromListForm))


@router.post("/from-list")
async def from_list(view: AdminView) -> Response:
    form = await view.form(FromListForm)
    caller = await _caller(view)

    async def made(asked: FromListForm) -> OpenList:
        content = await shopping_at(view.db, view.who.family_id, asked.store_id)
        wanted = replace(content, name=asked.name, days=asked.expires_in_days)
        return await make_list(view.services, caller, wanted, asked.passcodes)

    at = form.typed.get("storeId", "")
    return await _made(view, form, made, lambda wrong, error: _from_list(view, at, wrong, error))


@router.get("/{shortId}/copy")
async def copy_page(view: Visit, at: Cloning) -> Response:
    return await _copy(view, at, Form(MakeForm, {"name": at.shared.name}))


@router.post("/{shortId}/copy")
async def copy_list(view: Visit, at: Cloning) -> Response:
    form = await view.form(MakeForm)
    caller = await _caller(view)

    async def made(asked: MakeForm) -> OpenList:
        wanted = Clone(asked.passcodes, asked.name, asked.expires_in_days)
        return await clone_list(view.services, caller, at.shared, wanted)

    return await _made(view, form, made, lambda wrong, error: _copy(view, at, wrong, error))


async def _made(
    view: View[Any],
    form: Form[F],
    made: Made[F],
    again: Callable[[Form[F], HomeshelfError | None], Awaitable[Response]],
) -> Response:
    """To the page that hands it on; or the form again, with what is wrong and all that was typed
    but secrets."""
    if form.body is None:
        return await again(_asking_again(form), None)
    try:
        found = await made(form.body)
    except Invalid as wrong:
        return await again(_asking_again(form.but(**dict(wrong.errors))), wrong)
    except RateLimited as late:
        return await again(_asking_again(form), late)
    answer = see_other(path_of(found.shared, "/share?said=new"))
    held = held_by_maker(found.shared)
    if held.role is not None:
        keep_in_cookie(view.request, answer, found.shared, held)
    return answer


def _asking_again(form: Form[F]) -> Form[F]:
    """Passcodes are never sent back: who had typed one is told, and makes no open list by it."""
    secrets = [name for name in ("viewPasscode", "adminPasscode") if form.typed.get(name)]
    return form.but(**{name: AGAIN for name in secrets if name not in form.wrong})


async def _caller(view: View[Any]) -> Caller:
    return Caller(address_of(view.request), await member_asking(view.request))


async def _new(view: View[Any], form: Form[Any], error: HomeshelfError | None = None) -> Response:
    return await _page(view, form, error, kind="new", action="/s/new")


async def _from_list(
    view: AdminView, at: str, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    shops = await view.db.all(places.stores_of(view.who.family_id).up_to_date())
    chosen = at if is_id(at) and any(shop.store_id == at for shop in shops) else None
    content = await shopping_at(view.db, view.who.family_id, chosen)
    return await _page(
        view,
        form if form.typed else Form(FromListForm, {"name": content.name}),
        error,
        kind="from-list",
        action="/s/from-list",
        items=content.items,
        shops=sorted(shops, key=lambda shop: shop.name.casefold()),
        at=chosen or "",
    )


async def _copy(
    view: View[Any], at: AtList, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    items = [
        NewItem(item.name, item.note) for item in (await store.opened(view.db, at.shared)).items
    ]
    action = path_of(at.shared, "/copy")
    return await _page(view, form, error, kind="copy", action=action, items=items, shared=at.shared)


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
    status = error.status if error else None
    said = error.detail if isinstance(error, RetryLater) else ""
    answer = await view.page(
        "shares/new.html",
        status,
        form=form,
        kind=kind,
        action=action,
        items=items,
        lives=LIVES,
        said=said,
        **({"shops": (), "at": "", "shared": None} | more),
    )
    if isinstance(error, RetryLater):
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


async def shopping_at(db: Database, family_id: str, store_id: str | None) -> ListContent:
    """What is to be bought there, in the order in which it was added; None is where no store
    was chosen. The new list is a copy: what is ticked on it stays on it."""
    name = "Shopping"
    if store_id is not None:
        shop = await places.shop(db, family_id, store_id)
        if shop is None:
            raise NotFound
        name = shop.name
    entries = await db.all(shopping.pending_at(family_id, store_id))
    oldest = sorted(entries, key=lambda entry: (entry.created_at, entry.shopping_item_id))
    return ListContent(name=name, items=tuple(map(_item, oldest[:MOST_ITEMS])))


def _item(entry: ShoppingListItem) -> NewItem:
    many = entry.quantity is not None and entry.quantity > 1
    return NewItem(f"{entry.quantity} {entry.name}" if many else entry.name, entry.notes)
