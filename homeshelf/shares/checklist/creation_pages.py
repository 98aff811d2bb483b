"""The pages that create a checklist: a new one, and one from the shopping list."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query, Response

from homeshelf.access.view import AdminView, View, Visit
from homeshelf.errors import HomeshelfError, or_not_found
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.checklist.bodies import FromListForm, NewListForm
from homeshelf.shares.checklist.model import ENTITY, MAX_ITEMS, NewItem
from homeshelf.shares.creation_pages import create_and_redirect, creation_page
from homeshelf.shares.list_creation import Caller, caller_of, make_list, require_maker
from homeshelf.shares.list_route import list_router
from homeshelf.shares.model import ListContent
from homeshelf.shopping import store as shopping
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.table import Database
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id

router = list_router()


@router.get("/new")
async def new_list_page(view: Visit) -> Response:
    require_maker(view.services, await caller_of(view.request))
    return await _new(view, Form(NewListForm))


@router.post("/new")
@body_limits(BodyLimits(nobody=1_500_000))
async def new_list(view: Visit) -> Response:
    return await create_and_redirect(
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
    async def made(asked: FromListForm, caller: Caller) -> store.ListWithItems:
        content = await shopping_at(view.db, view.who.family_id, asked.store_id)
        wanted = replace(content, name=asked.name, days=asked.expires_in_days)
        return await make_list(view.services, caller, wanted, asked.passcodes)

    return await create_and_redirect(
        view,
        FromListForm,
        made,
        lambda form, error: _from_list(view, form.typed.get("storeId", ""), form, error),
    )


async def _new(view: View[Any], form: Form[Any], error: HomeshelfError | None = None) -> Response:
    return await creation_page(view, form, error, kind="new", action="/s/new")


async def _from_list(
    view: AdminView, at: str, form: Form[Any], error: HomeshelfError | None = None
) -> Response:
    shops = await places.list_stores(view.db, view.who.family_id)
    chosen = at if is_id(at) and any(shop.store_id == at for shop in shops) else None
    content = await shopping_at(view.db, view.who.family_id, chosen)
    return await creation_page(
        view,
        form if form.typed else Form(FromListForm, {"name": content.name}),
        error,
        kind="from-list",
        action="/s/from-list",
        items=content.items,
        shops=shops,
        at=chosen or "",
    )


async def shopping_at(db: Database, family_id: str, store_id: str | None) -> ListContent:
    """Return a copy of the pending entries of a store, or of those without one, oldest first."""
    name: str = _("Shopping")
    if store_id is not None:
        name = or_not_found(await places.get_store(db, family_id, store_id)).name
    oldest = sorted(
        await db.all(shopping.pending_at_store(family_id, store_id)),
        key=lambda entry: (entry.created_at, entry.shopping_item_id),
    )
    return ListContent(name=name, entity=ENTITY, items=tuple(map(_new_item, oldest[:MAX_ITEMS])))


def _new_item(entry: ShoppingListItem) -> NewItem:
    many = entry.quantity is not None and entry.quantity > 1
    return NewItem(f"{entry.quantity} {entry.name}" if many else entry.name, entry.notes)
