"""The stock: what is there, by where it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query, Request, Response

from homeshelf import clock
from homeshelf.access import Admin, InFamily, Member
from homeshelf.access.shell import shell_of
from homeshelf.errors import NotFound, VersionConflict
from homeshelf.inventory import store
from homeshelf.inventory.bodies import AdjustForm, ItemForm
from homeshelf.inventory.changes import happened
from homeshelf.inventory.following import FollowingItems
from homeshelf.inventory.forecast import days_left, moment
from homeshelf.inventory.listing import Wanted, listed
from homeshelf.inventory.model import InventoryItem, QuantityChange
from homeshelf.inventory.notices import running_low_notices
from homeshelf.places import store as places
from homeshelf.places.model import StorageLocation
from homeshelf.web.body import Search
from homeshelf.web.charts import step_chart
from homeshelf.web.forms import Form, sent_form
from homeshelf.web.ids import ItemId
from homeshelf.web.pages import page, see_other
from homeshelf.web.requests import page_router
from homeshelf.web.services import Services, TheServices
from homeshelf.web.wording import COUNTED

router = page_router("/stock")

SHOWN_AT_ONCE = 500
HISTORY_SHOWN = 200
HISTORY_TOLD = 50


@dataclass(frozen=True)
class Group:
    """What is kept in one place."""

    location_id: str | None
    name: str
    items: Sequence[InventoryItem]


@router.get("")
async def stock_page(
    request: Request,
    member: Member,
    services: TheServices,
    q: Search = "",
    show: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    wanted = Wanted(
        status="archived" if show == "archived" else "active",
        low_stock=show == "low",
        q=q.strip() or None,
    )
    items, more = await listed(services.db, member.family_id, wanted, SHOWN_AT_ONCE, None)
    locations = await services.db.all(places.locations_of(member.family_id).up_to_date())
    return page(
        request,
        "inventory/stock.html",
        shell=await shell_of(services, member),
        member=member,
        groups=_grouped(items, locations),
        locations=_by_name(locations),
        shops=_by_name(await services.db.all(places.stores_of(member.family_id).up_to_date())),
        more=more is not None,
        low=await services.db.count(running_low_notices(member.family_id), COUNTED),
        q=q,
        show=show,
        form=Form(ItemForm),
    )


@router.get("/new")
async def new_item_page(
    request: Request, admin: Admin, services: TheServices, name: Annotated[str, Query()] = ""
) -> Response:
    return await _edit(request, services, admin, Form(ItemForm, {"name": name[:100]}))


@router.post("/new")
async def add_item(request: Request, admin: Admin, services: TheServices) -> Response:
    form = await sent_form(request, ItemForm)
    if form.body is None:
        return await _edit(request, services, admin, form)
    now = clock.timestamp()
    new = InventoryItem(
        item_id=clock.new_id(),
        family_id=admin.family_id,
        created_by=admin.member_id,
        created_at=now,
        updated_at=now,
        quantity=form.body.quantity,
        **form.body.details(),
    )
    try:
        await store.add(services.db, new)
    except NotFound as gone:
        return await _edit(request, services, admin, form.but(name=gone.detail))
    return see_other(f"/stock#{new.item_id}")


@router.get("/{itemId}")
async def item_page(
    request: Request,
    member: Member,
    item_id: ItemId,
    services: TheServices,
    following: FollowingItems,
) -> Response:
    item = await _item(services, member, item_id)
    query = store.history_of(member.family_id, item_id)
    history = (await services.db.query(query.page(HISTORY_SHOWN))).items
    kept = item.location_id and await places.location(
        services.db, member.family_id, item.location_id
    )
    shops = {
        shop.store_id: shop
        for shop in await services.db.all(places.stores_of(member.family_id).up_to_date())
    }
    beside: dict[str, Any] = {}
    for each in following:
        beside |= await each.shown(services.db, member, item_id)
    return page(
        request,
        "inventory/item.html",
        shell=await shell_of(services, member),
        member=member,
        item=item,
        history=await happened(services.db, member.family_id, history[:HISTORY_TOLD]),
        chart=_chart(item, history),
        days=days_left(history, item.quantity, clock.now()),
        kept=kept,
        listed=beside.get("listed", False),
        shops=[shops[each] for each in item.store_ids if each in shops],
        tags=beside.get("tags", ()),
    )


@router.get("/{itemId}/edit")
async def edit_item_page(
    request: Request, admin: Admin, item_id: ItemId, services: TheServices
) -> Response:
    item = await _item(services, admin, item_id)
    ticked = {"alternateStoreIds": list(item.alternate_store_ids)}
    return await _edit(request, services, admin, Form(ItemForm, _typed(item), ticked=ticked), item)


@router.post("/{itemId}/edit")
async def edit_item(
    request: Request,
    admin: Admin,
    item_id: ItemId,
    services: TheServices,
    following: FollowingItems,
) -> Response:
    form = await sent_form(request, ItemForm)
    item = await _item(services, admin, item_id)
    if form.body is None or form.body.version is None:
        return await _edit(request, services, admin, form, item)
    try:
        details, version = form.body.details(), form.body.version
        await store.edit(services.db, item.own_key(), version, details, following)
    except VersionConflict:
        wrong = form.but(name="Somebody changed it meanwhile. Look once more, then save.")
        return await _edit(request, services, admin, wrong, await _item(services, admin, item_id))
    except NotFound as gone:
        return await _edit(request, services, admin, form.but(name=gone.detail), item)
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/adjust")
async def adjust_item(
    request: Request, admin: Admin, item_id: ItemId, services: TheServices
) -> Response:
    """One more or one less without any script; with one, the API does it."""
    form = await sent_form(request, AdjustForm)
    if form.body is not None:
        key = store.key_of(admin.family_id, item_id)
        await store.adjust(services.db, key, form.body.delta, "adjust", admin.member_id)
    ways_back = {"item": f"/stock/{item_id}", "home": "/"}
    return see_other(ways_back.get(form.typed.get("back", ""), f"/stock#{item_id}"))


@router.post("/{itemId}/archive")
async def archive_item(admin: Admin, item_id: ItemId, services: TheServices) -> Response:
    await store.archive(services.db, store.key_of(admin.family_id, item_id))
    return see_other(f"/stock/{item_id}")


@router.post("/{itemId}/unarchive")
async def unarchive_item(admin: Admin, item_id: ItemId, services: TheServices) -> Response:
    await store.unarchive(services.db, store.key_of(admin.family_id, item_id))
    return see_other(f"/stock/{item_id}")


async def _item(services: Services, member: InFamily, item_id: str) -> InventoryItem:
    found = await store.item(services.db, member.family_id, item_id)
    if found is None:
        raise NotFound("This is not in your stock any more.")
    return found


async def _edit(
    request: Request,
    services: Services,
    admin: InFamily,
    form: Form[ItemForm],
    item: InventoryItem | None = None,
) -> Response:
    return page(
        request,
        "inventory/edit.html",
        400 if form.wrong else 200,
        shell=await shell_of(services, admin),
        form=form,
        item=item,
        locations=_by_name(
            await services.db.all(places.locations_of(admin.family_id).up_to_date())
        ),
        shops=_by_name(await services.db.all(places.stores_of(admin.family_id).up_to_date())),
    )


def _typed(item: InventoryItem) -> dict[str, str]:
    values = {alias: getattr(item, name) for name, alias in type(item).names().items()}
    return {alias: "" if value is None else str(value) for alias, value in values.items()}


def _grouped(items: Sequence[InventoryItem], locations: Sequence[StorageLocation]) -> list[Group]:
    """By where things are kept, in the order of names; what has no place comes last."""
    names: dict[str | None, str] = {each.location_id: each.name for each in locations}
    groups: dict[str | None, list[InventoryItem]] = {}
    for item in sorted(items, key=lambda each: each.name.casefold()):
        kept = item.location_id if item.location_id in names else None
        groups.setdefault(kept, []).append(item)
    ordered = sorted(groups, key=lambda id_: (id_ is None, names.get(id_, "").casefold()))
    return [Group(id_, names.get(id_, "Somewhere"), groups[id_]) for id_ in ordered]


def _by_name(found: Sequence[Any]) -> list[Any]:
    return sorted(found, key=lambda place: place.name.casefold())


def _chart(item: InventoryItem, history: Sequence[QuantityChange]) -> Any:
    if len(history) < 2:
        return None
    points = [(moment(change.at), change.quantity) for change in reversed(history)]
    told = f"How many there were of {item.name}, from {points[0][1]} to {item.quantity} now"
    return step_chart(points, item.threshold, clock.now(), told)
