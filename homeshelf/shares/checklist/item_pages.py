"""The pages that tick, add, edit, remove and reorder the items of a checklist."""

from fastapi import Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.errors import Invalid, LimitReached, NotFound
from homeshelf.sentences import _
from homeshelf.shares.access import MANAGE, is_allowed
from homeshelf.shares.checklist import store
from homeshelf.shares.checklist.bodies import MoveForm, RestoreForm, TickForm
from homeshelf.shares.checklist.dependencies import (
    ManageableChecklist,
    TickableChecklist,
    ViewableChecklist,
)
from homeshelf.shares.checklist.fields import ChecklistItemId, ItemBody
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.checklist.pages import FULL, RemovedItem, name_in_cookie, show_list
from homeshelf.shares.dependencies import AccessibleList
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.store import load_list
from homeshelf.web.forms import Form
from homeshelf.web.pages import OutcomeKey, page, redirect_after, see_other

router = list_router()

MESSAGES = {"meanwhile": _("Someone else changed the list. Here’s how it looks now.")}


@router.post("/{shortId}/items")
async def add_item(view: Visit, target: ManageableChecklist) -> Response:
    form = await view.form(ItemBody)
    if form.body is None:
        return await show_list(view, target, adding=form)
    try:
        await store.add_item(view.db, target.shared.own_key(), form.body.new)
    except LimitReached:
        return await show_list(view, target, adding=form.but(name=FULL))
    return see_other(path_of(target.shared, "#add"))


@router.post("/{shortId}/items/restore")
async def restore_item(view: Visit, target: ManageableChecklist) -> Response:
    form = await view.form(RestoreForm)
    if form.body is None:
        return see_other(path_of(target.shared))
    wanted, key = form.body, target.shared.own_key()
    try:
        item = await store.add_item(view.db, key, wanted.new)
    except LimitReached:
        return see_other(path_of(target.shared, "?said=full"))
    if wanted.checked:
        tick = store.Tick(checked=True, by=wanted.checked_by)
        await store.tick_item(view.db, item.own_key(), tick)
    ids = [each.checklist_item_id for each in (await load_list(view.db, target.shared)).items]
    if wanted.before in ids:
        ids.remove(item.checklist_item_id)
        ids.insert(ids.index(wanted.before), item.checklist_item_id)
        await reorder(view.db, key, ids)
    return see_other(path_of(target.shared, f"#{item.checklist_item_id}"))


@router.post("/{shortId}/items/{checklistItemId}/tick")
async def tick_item(view: Visit, target: TickableChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(TickForm)
    path = path_of(target.shared, f"#{item_id}")
    if form.body is None:
        return see_other(path)
    tick = store.Tick(form.body.checked, by=name_in_cookie(view.request))
    return await redirect_after(
        store.tick_item(view.db, store.item_key(target.shared.short_id, item_id), tick),
        path,
        {NotFound: path_of(target.shared, "?said=gone")},
    )


@router.get("/{shortId}/items/{checklistItemId}")
async def item_page(view: Visit, target: ManageableChecklist, item_id: ChecklistItemId) -> Response:
    return await _item_page(view, target, item_id, Form(ItemBody))


@router.post("/{shortId}/items/{checklistItemId}")
async def edit_item(view: Visit, target: ManageableChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(ItemBody)
    if form.body is None:
        return await _item_page(view, target, item_id, form)
    new = form.body.new
    return await redirect_after(
        store.edit_item(
            view.db,
            target.shared.own_key(),
            item_id,
            lambda item: item.changed(name=new.name, note=new.note),
        ),
        path_of(target.shared, f"#{item_id}"),
        {NotFound: path_of(target.shared, "?said=gone")},
    )


@router.get("/{shortId}/items/{checklistItemId}/row")
async def item_row(view: Visit, target: ViewableChecklist, item_id: ChecklistItemId) -> Response:
    return page(
        view.request,
        "checklist/one.html",
        shared=target.shared,
        item=await store.get_item(view.db, target.shared.short_id, item_id),
        manages=is_allowed(target.shared, target.grant, MANAGE),
        expired=False,
    )


@router.post("/{shortId}/items/{checklistItemId}/delete")
async def remove_item(
    view: Visit, target: ManageableChecklist, item_id: ChecklistItemId
) -> Response:
    """Return the page itself: a redirect that offers to restore the item would name it."""
    items = (await load_list(view.db, target.shared)).items
    ids = [item.checklist_item_id for item in items]
    try:
        position = ids.index(item_id)
        await store.remove_item(view.db, target.shared.own_key(), item_id)
    except (ValueError, NotFound):
        return see_other(path_of(target.shared, "?said=gone"))
    next_id = next(iter(ids[position + 1 :]), None)
    return await show_list(view, target, removed=RemovedItem(items[position], next_id))


@router.get("/{shortId}/order")
async def order_page(view: Visit, target: ManageableChecklist, said: OutcomeKey = "") -> Response:
    return await view.page(
        "checklist/order.html",
        shared=target.shared,
        items=(await load_list(view.db, target.shared)).items,
        said=MESSAGES.get(said, ""),
    )


@router.post("/{shortId}/items/{checklistItemId}/move")
async def move_item(view: Visit, target: ManageableChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(MoveForm)
    ids = [item.checklist_item_id for item in (await load_list(view.db, target.shared)).items]
    if form.body is None or item_id not in ids:
        return see_other(path_of(target.shared, "/order?said=meanwhile"))
    position = ids.index(item_id)
    ids.pop(position)
    ids.insert(max(0, position - 1 if form.body.to == "up" else position + 1), item_id)
    return await redirect_after(
        reorder(view.db, target.shared.own_key(), ids),
        path_of(target.shared, f"/order#{item_id}"),
        # Another person has just added or removed an item.
        {Invalid: path_of(target.shared, "/order?said=meanwhile")},
    )


async def _item_page(
    view: Visitor, target: AccessibleList, item_id: str, form: Form[ItemBody]
) -> Response:
    try:
        item = await store.get_item(view.db, target.shared.short_id, item_id)
    except NotFound:
        return see_other(path_of(target.shared, "?said=gone"))
    return await view.page("checklist/item.html", shared=target.shared, item=item, form=form)
