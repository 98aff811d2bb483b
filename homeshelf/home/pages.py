from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import Response

from homeshelf.access import in_family
from homeshelf.access.view import AdminView, AnyView, MemberView, PersonView, View
from homeshelf.books.bodies import PageForm
from homeshelf.books.covers import cover
from homeshelf.books.store import current_book
from homeshelf.errors import Unauthenticated, or_not_found
from homeshelf.families import store as families
from homeshelf.families.callers import FamilyMember
from homeshelf.families.invitations import offers_for
from homeshelf.home.steps import (
    BY_NAME,
    ITEM_GOAL,
    SettledStep,
    Step,
    read_progress,
    restore_step,
    skip_step,
)
from homeshelf.inventory import store as inventory
from homeshelf.inventory.low_stock import amount_left, find_low_items
from homeshelf.inventory.store import get_items
from homeshelf.outbox.store import can_mail
from homeshelf.places import store as places
from homeshelf.places.model import Store
from homeshelf.sentences import ngettext
from homeshelf.shopping.entry_creation_pages import AddedIds
from homeshelf.shopping.list_snapshot import read_snapshot, snapshot_json
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.shopping.pages import group_by_store
from homeshelf.shopping.stock_transfer import unstored_entries
from homeshelf.shopping.store import listed_items, pending_at_store
from homeshelf.suggestions import store as suggestions
from homeshelf.suggestions.child_view import new_answers
from homeshelf.suggestions.details import with_details
from homeshelf.table import Database
from homeshelf.web.forms import Form
from homeshelf.web.ids import is_id
from homeshelf.web.pages import OutcomeKey, page_router, see_other

router = page_router()

MAX_SHOWN = 8
MAX_WISHES = 3
MAX_ON_WALL = 6


@dataclass(frozen=True)
class ShoppingPreview:
    entries: Sequence[ShoppingListItem]
    stores: Mapping[str | None, str]
    pictures: Mapping[str, str]
    units: Mapping[str, str]


@router.get("/")
async def home_page(view: AnyView, left: OutcomeKey = "", added: AddedIds = "") -> Response:
    try:
        member: FamilyMember = await in_family(view.request)
    except Unauthenticated:
        return await view.page("home/welcome.html", signup=view.services.settings.signup)
    low = await find_low_items(view.db, member.family_id)
    low.sort(key=lambda item: (item.quantity, item.name.casefold()))
    misses_mail = member.account.awaits_verification and member.account.mail != "off"
    shops = await view.db.all(places.stores_of(member.family_id))
    bought = await unstored_entries(view.db, member.family_id, shops)
    people = await families.active_members(view.db, member.family_id)
    is_admin = member.role == "admin"
    added_ids = [id_ for id_ in added.split(",") if is_id(id_)] if is_admin else []
    progress = await read_progress(view.db, member.family_id, len(people)) if is_admin else None
    answers = [] if is_admin else await new_answers(view.db, member.family_id, member.member_id)
    waiting = suggestions.with_status(member.family_id, "pending").page(MAX_WISHES)
    own = View(view.request, member)
    return await own.page(
        "home/home.html",
        shell=await own.shell(unseenAnswers=len(answers)),
        member=member,
        people=people,
        progress=progress,
        left=left if progress and progress.settled.get(left) == "left_out" else "",
        enough=ITEM_GOAL,
        low=low,
        amount_left=amount_left,
        added=added_ids,
        said=ngettext("Added {count} item.", "Added {count} items.", len(added_ids)),
        on_list=await listed_items(view.db, member.family_id, [item.item_id for item in low]),
        empty=not low and await view.db.first(inventory.all_items(member.family_id)) is None,
        bought=bought,
        at_the_door={entry.item_id for entry in bought},
        to_buy=await _read_preview(view.db, member.family_id, shops),
        answer_count=len(answers),
        answers=await with_details(view.db, answers[:1]),
        wishes=await with_details(view.db, await view.db.all(waiting)),
        shown=MAX_SHOWN,
        offers=await offers_for(view.db, member.account),
        misses_mail=misses_mail and can_mail(view.services.settings),
        book=await current_book(view.db, member.member_id),
        cover=cover,
        form=Form(PageForm),
    )


@router.get("/wall")
async def wall_page(view: MemberView) -> Response:
    """Show the list, what runs low and the wishes, for a tablet that hangs on a wall."""
    family_id = view.who.family_id
    now = await read_snapshot(view.db, family_id)
    low = await find_low_items(view.db, family_id)
    waiting = suggestions.with_status(family_id, "pending").page(MAX_ON_WALL)
    return await view.page(
        "home/wall.html",
        member=view.who,
        groups=group_by_store(now.entries, now),
        pictures=now.pictures,
        units=now.units,
        amount_left=amount_left,
        snapshot_json=snapshot_json(view.who, now),
        low=sorted(low, key=lambda item: (item.quantity, item.name.casefold())),
        shown=MAX_ON_WALL,
        wishes=await with_details(view.db, await view.db.all(waiting)),
    )


@router.get("/keys")
async def keys_page(view: PersonView) -> Response:
    return await view.page("home/keys.html")


@router.post("/steps/{step}/leave-out")
async def skip_step_form(view: AdminView, step: str) -> Response:
    name = _get_step(step).name
    family_id = view.who.family_id
    await skip_step(view.db, SettledStep(family_id=family_id, name=name, state="left_out"))
    return see_other(f"/?left={name}")


@router.post("/steps/{step}/bring-back")
async def restore_step_form(view: AdminView, step: str) -> Response:
    key = SettledStep.key(family_id=view.who.family_id, name=_get_step(step).name)
    await restore_step(view.db, key)
    return see_other("/")


def _get_step(name: str) -> Step:
    return or_not_found(BY_NAME.get(name))


async def _read_preview(db: Database, family_id: str, shops: Sequence[Store]) -> ShoppingPreview:
    """Read at most as many entries of each store as the page shows."""
    names: dict[str | None, str] = {shop.store_id: shop.name for shop in shops}
    visited = [*sorted(names, key=lambda store_id: names[store_id].casefold()), None]
    questions = [pending_at_store(family_id, store_id).page(MAX_SHOWN) for store_id in visited]
    found = await gather(*map(db.all, questions))
    waiting = {store_id for store_id, entries in zip(visited, found, strict=True) if entries}
    entries = [
        entry
        for there in found
        for entry in sorted(there, key=lambda each: (each.created_at, each.shopping_item_id))
    ][:MAX_SHOWN]
    items = await get_items(db, family_id, (it.item_id for it in entries if it.item_id))
    return ShoppingPreview(
        entries,
        {store_id: names[store_id] for store_id in visited if store_id in waiting and store_id},
        {item.item_id: item.picture for item in items if item.picture},
        {item.item_id: item.unit for item in items if item.unit},
    )
