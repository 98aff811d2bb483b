from collections.abc import Sequence
from contextlib import suppress

from fastapi import Response

from homeshelf.access.view import AdminView
from homeshelf.errors import Duplicate, NotFound
from homeshelf.inventory.fields import ItemId
from homeshelf.inventory.model import MOST
from homeshelf.shopping import adding
from homeshelf.shopping.bodies import AddForm
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.pages import asking, back_to, list_with
from homeshelf.shopping.quick_adding import Meant, meant
from homeshelf.web.pages import page_router, see_other

router = page_router("/list")

UNSEEN = 3
"""How many entries are added at once without being shown first."""


@router.post("/add")
async def add_entry(view: AdminView) -> Response:
    form = await view.form(AddForm)
    if form.body is None:
        return await list_with(view, form.typed.get("storeId", ""), refused=form)
    asked = form.body
    wanted = await meant(view.db, view.who.family_id, asked.text, asked.item_id, asked.store_id)
    if len(wanted) > UNSEEN and not (asked.seen or asked.force):
        return await _show_first(view, asked, wanted)
    there = []
    for each in wanted:
        if each.there and not asked.force:
            there.append((each, each.there))
            continue
        try:
            await _add(view, each, force=asked.force)
        except Duplicate as found:
            if not isinstance(found.record, ShoppingListItem):
                raise
            there.append((each, found.record))
        except NotFound as gone:
            return await list_with(view, "", refused=form.but(text=gone.detail))
    return await _ask_again(view, asked, there) if there else back_to(asked.store_id)


@router.post("/items/{itemId}")
async def add_item(view: AdminView, item_id: ItemId) -> Response:
    """Add an item from the stock or a notice; one that is on the list stays as it is."""
    with suppress(Duplicate):
        await adding.add(view.db, view.who.family_id, view.who.member_id, {"item_id": item_id})
    return see_other(_WAYS_BACK.get(view.request.query_params.get("back", ""), f"/stock/{item_id}"))


_WAYS_BACK = {"home": "/", "list": "/list"}


async def _add(view: AdminView, wanted: Meant, *, force: bool) -> ShoppingListItem:
    who = view.who
    return await adding.add(view.db, who.family_id, who.member_id, wanted.given, force=force)


async def _show_first(view: AdminView, asked: AddForm, wanted: Sequence[Meant]) -> Response:
    return await view.page(
        "shopping/several.html",
        entries=[each.entry for each in wanted],
        text=asked.text,
        store_id=asked.store_id or "",
        here=asking(at=asked.store_id),
    )


async def _ask_again(
    view: AdminView, asked: AddForm, there: Sequence[tuple[Meant, ShoppingListItem]]
) -> Response:
    existing = [entry for _, entry in there]
    wanted, first = there[0]
    more = (first.quantity or 1) + (wanted.entry.quantity or 1)
    is_alike = wanted.there and wanted.entry.notes in (None, first.notes)
    return await view.page(
        "shopping/again.html",
        409,
        existing=existing,
        more=min(more, MOST) if len(there) == 1 and is_alike else None,
        text="\n".join(each.text for each, _ in there),
        store_id=asked.store_id or "",
        here=asking(at=asked.store_id),
        item_id=(first.item_id if len(there) == 1 else None) or "",
    )
