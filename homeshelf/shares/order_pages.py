"""Putting a shared list in order: by dragging, by keys, or by buttons where there is no script."""

from typing import Annotated

from fastapi import Query, Request, Response

from homeshelf.errors import Invalid
from homeshelf.shares import store
from homeshelf.shares.bodies import MoveForm
from homeshelf.shares.list_route import list_router, path_of, shell_around
from homeshelf.shares.opening import Reordering
from homeshelf.shares.ordering import reorder
from homeshelf.web.forms import sent_form
from homeshelf.web.ids import ChecklistItemId
from homeshelf.web.pages import page, see_other
from homeshelf.web.services import TheServices

router = list_router()

SAID = {"meanwhile": "Somebody changed the list meanwhile. Here is how it is now."}


@router.get("/{shortId}/order")
async def order_page(
    request: Request,
    at: Reordering,
    services: TheServices,
    said: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    return page(
        request,
        "shares/order.html",
        shell=await shell_around(request, services),
        shared=at.shared,
        items=(await store.opened(services.db, at.shared)).items,
        said=SAID.get(said, ""),
    )


@router.post("/{shortId}/items/{checklistItemId}/move")
async def move_item(
    request: Request, at: Reordering, item_id: ChecklistItemId, services: TheServices
) -> Response:
    form = await sent_form(request, MoveForm)
    ids = [item.checklist_item_id for item in (await store.opened(services.db, at.shared)).items]
    if form.body is None or item_id not in ids:
        return see_other(path_of(at.shared, "/order?said=meanwhile"))
    where = ids.index(item_id)
    ids.pop(where)
    ids.insert(max(0, where - 1 if form.body.to == "up" else where + 1), item_id)
    try:
        await reorder(services.db, at.shared.own_key(), ids)
    except Invalid:  # somebody added or removed one in this moment
        return see_other(path_of(at.shared, "/order?said=meanwhile"))
    return see_other(path_of(at.shared, f"/order#{item_id}"))
