"""Pages that tick, add, edit, remove and reorder the items of a checklist."""

from fastapi import Response

from homeshelf.access.view import Visit, Visitor
from homeshelf.errors import Invalid, NotFound, TooMany
from homeshelf.sentences import _
from homeshelf.shares.access import MANAGE, may
from homeshelf.shares.checklist import store
from homeshelf.shares.checklist.bodies import MoveForm, RestoreForm, TickForm
from homeshelf.shares.checklist.fields import ChecklistItemId, ItemBody
from homeshelf.shares.checklist.opening import ManagingChecklist, SeenChecklist, TickingChecklist
from homeshelf.shares.checklist.ordering import reorder
from homeshelf.shares.checklist.pages import FULL, Removed, show_list, who_of
from homeshelf.shares.list_route import list_router, path_of
from homeshelf.shares.opening import AtList
from homeshelf.shares.store import opened
from homeshelf.web.forms import Form
from homeshelf.web.pages import Said, page, see_after, see_other

router = list_router()

SAID = {"meanwhile": _("Somebody changed the list meanwhile. Here is how it is now.")}


@router.post("/{shortId}/items")
async def add_item(view: Visit, at: ManagingChecklist) -> Response:
    form = await view.form(ItemBody)
    if form.body is None:
        return await show_list(view, at, adding=form)
    try:
        await store.add_item(view.db, at.shared.own_key(), form.body.new)
    except TooMany:
        return await show_list(view, at, adding=form.but(name=FULL))
    return see_other(path_of(at.shared, "#add"))


@router.post("/{shortId}/items/restore")
async def restore_item(view: Visit, at: ManagingChecklist) -> Response:
    """Put an item that was just removed back to its place, if the item behind it is still there."""
    form = await view.form(RestoreForm)
    if form.body is None:
        return see_other(path_of(at.shared))
    wanted, key = form.body, at.shared.own_key()
    try:
        item = await store.add_item(view.db, key, wanted.new)
    except TooMany:
        return see_other(path_of(at.shared, "?said=full"))
    if wanted.checked:
        tick = store.Tick(checked=True, by=wanted.checked_by)
        await store.tick(view.db, at.shared, item.checklist_item_id, tick)
    ids = [each.checklist_item_id for each in (await opened(view.db, at.shared)).items]
    if wanted.before in ids:
        ids.remove(item.checklist_item_id)
        ids.insert(ids.index(wanted.before), item.checklist_item_id)
        await reorder(view.db, key, ids)
    return see_other(path_of(at.shared, f"#{item.checklist_item_id}"))


@router.post("/{shortId}/items/{checklistItemId}/tick")
async def tick_item(view: Visit, at: TickingChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(TickForm)
    there = path_of(at.shared, f"#{item_id}")
    if form.body is None:
        return see_other(there)
    ticked = store.Tick(form.body.checked, by=who_of(view.request))
    return await see_after(
        store.tick(view.db, at.shared, item_id, ticked),
        there,
        {NotFound: path_of(at.shared, "?said=gone")},
    )


@router.get("/{shortId}/items/{checklistItemId}")
async def item_page(view: Visit, at: ManagingChecklist, item_id: ChecklistItemId) -> Response:
    return await _item_page(view, at, item_id, Form(ItemBody))


@router.post("/{shortId}/items/{checklistItemId}")
async def edit_item(view: Visit, at: ManagingChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(ItemBody)
    if form.body is None:
        return await _item_page(view, at, item_id, form)
    new = form.body.new
    return await see_after(
        store.edit_item(
            view.db,
            at.shared.own_key(),
            item_id,
            lambda item: item.changed(name=new.name, note=new.note),
        ),
        path_of(at.shared, f"#{item_id}"),
        {NotFound: path_of(at.shared, "?said=gone")},
    )


@router.get("/{shortId}/items/{checklistItemId}/row")
async def one_row(view: Visit, at: SeenChecklist, item_id: ChecklistItemId) -> Response:
    """Return the row of one item as it is now, for a script of an open page."""
    return page(
        view.request,
        "checklist/one.html",
        shared=at.shared,
        item=await store.current_item(view.db, at.shared.short_id, item_id),
        manages=may(at.shared, at.held, MANAGE),
        expired=False,
    )


@router.post("/{shortId}/items/{checklistItemId}/delete")
async def remove_item(view: Visit, at: ManagingChecklist, item_id: ChecklistItemId) -> Response:
    """Answer with the page itself: a redirect that offers to restore the item would name it."""
    items = (await opened(view.db, at.shared)).items
    ids = [item.checklist_item_id for item in items]
    try:
        where = ids.index(item_id)
        await store.remove_item(view.db, at.shared.own_key(), item_id)
    except (ValueError, NotFound):
        return see_other(path_of(at.shared, "?said=gone"))
    following = next(iter(ids[where + 1 :]), None)
    return await show_list(view, at, removed=Removed(items[where], following))


@router.get("/{shortId}/order")
async def order_page(view: Visit, at: ManagingChecklist, said: Said = "") -> Response:
    return await view.page(
        "checklist/order.html",
        shared=at.shared,
        items=(await opened(view.db, at.shared)).items,
        said=SAID.get(said, ""),
    )


@router.post("/{shortId}/items/{checklistItemId}/move")
async def move_item(view: Visit, at: ManagingChecklist, item_id: ChecklistItemId) -> Response:
    form = await view.form(MoveForm)
    ids = [item.checklist_item_id for item in (await opened(view.db, at.shared)).items]
    if form.body is None or item_id not in ids:
        return see_other(path_of(at.shared, "/order?said=meanwhile"))
    where = ids.index(item_id)
    ids.pop(where)
    ids.insert(max(0, where - 1 if form.body.to == "up" else where + 1), item_id)
    return await see_after(
        reorder(view.db, at.shared.own_key(), ids),
        path_of(at.shared, f"/order#{item_id}"),
        # somebody has just added or removed an item
        {Invalid: path_of(at.shared, "/order?said=meanwhile")},
    )


async def _item_page(view: Visitor, at: AtList, item_id: str, form: Form[ItemBody]) -> Response:
    try:
        item = await store.current_item(view.db, at.shared.short_id, item_id)
    except NotFound:
        return see_other(path_of(at.shared, "?said=gone"))
    return await view.page("checklist/item.html", shared=at.shared, item=item, form=form)
