"""Putting a shared list in order: by dragging, by keys, or by buttons where there is no script."""

from fastapi import Response

from homeshelf.access.view import Visit
from homeshelf.errors import Invalid
from homeshelf.sentences import _
from homeshelf.shares import store
from homeshelf.shares.bodies import MoveForm
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import Reordering
from homeshelf.shares.ordering import reorder
from homeshelf.web.ids import ChecklistItemId
from homeshelf.web.pages import Said, see_other

router = list_router()

SAID = {"meanwhile": _("Somebody changed the list meanwhile. Here is how it is now.")}


@router.get("/{shortId}/order")
async def order_page(view: Visit, at: Reordering, said: Said = "") -> Response:
    return await view.page(
        "shares/order.html",
        shared=at.shared,
        items=(await store.opened(view.db, at.shared)).items,
        said=SAID.get(said, ""),
    )


@router.post("/{shortId}/items/{checklistItemId}/move")
async def move_item(view: Visit, at: Reordering, item_id: ChecklistItemId) -> Response:
    form = await view.form(MoveForm)
    ids = [item.checklist_item_id for item in (await store.opened(view.db, at.shared)).items]
    if form.body is None or item_id not in ids:
        return see_other(path_of(at.shared, "/order?said=meanwhile"))
    where = ids.index(item_id)
    ids.pop(where)
    ids.insert(max(0, where - 1 if form.body.to == "up" else where + 1), item_id)
    try:
        await reorder(view.db, at.shared.own_key(), ids)
    except Invalid:  # somebody added or removed one in this moment
        return see_other(path_of(at.shared, "/order?said=meanwhile"))
    return see_other(path_of(at.shared, f"/order#{item_id}"))
