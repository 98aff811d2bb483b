from asyncio import gather
from collections.abc import Sequence

from fastapi import Response

from homeshelf.access.view import AnyView, View
from homeshelf.books.bodies import PageForm
from homeshelf.books.covers import cover
from homeshelf.books.store import current_book
from homeshelf.errors import Unauthenticated
from homeshelf.families import store as families
from homeshelf.families.callers import in_family
from homeshelf.families.invitations import offers_to
from homeshelf.inventory import store as inventory
from homeshelf.inventory.notices import running_low
from homeshelf.outbox.store import can_mail
from homeshelf.places import store as places
from homeshelf.places.model import Store
from homeshelf.shopping import store as shopping
from homeshelf.shopping.putting_away import not_put_away
from homeshelf.shopping.waiting import on_list
from homeshelf.table import Database
from homeshelf.web.forms import Form
from homeshelf.web.pages import page_router

router = page_router()

SHOWN = 8


@router.get("/")
async def home(view: AnyView) -> Response:
    """What Homeshelf is, for a visitor; what matters now, for those who live here."""
    try:
        member = await in_family(view.request)
    except Unauthenticated:
        return await view.page("home/welcome.html", signup=view.services.settings.signup)
    low = await running_low(view.db, member.family_id)
    low.sort(key=lambda item: (item.quantity, item.name.casefold()))
    misses_mail = member.account.misses_mail and member.account.mail != "off"
    shops = await view.db.all(places.stores_of(member.family_id))
    bought = await not_put_away(view.db, member.family_id, shops)
    return await View(view.request, member).page(
        "home/home.html",
        member=member,
        people=await families.active_members(view.db, member.family_id),
        low=low,
        on_list=await on_list(view.db, member.family_id, [item.item_id for item in low]),
        empty=await view.db.first(inventory.every_item(member.family_id)) is None,
        bought=bought,
        at_the_door={entry.item_id for entry in bought},
        where=await shops_to_visit(view.db, member.family_id, shops),
        shown=SHOWN,
        offers=await offers_to(view.db, member.account),
        misses_mail=misses_mail and can_mail(view.services.settings),
        book=await current_book(view.db, member.member_id),
        cover=cover,
        form=Form(PageForm),
    )


async def shops_to_visit(db: Database, family_id: str, shops: Sequence[Store]) -> list[str]:
    questions = [shopping.pending_at(family_id, shop.store_id) for shop in shops]
    waiting = await gather(*map(db.first, questions))
    return sorted(shop.name for shop, entry in zip(shops, waiting, strict=True) if entry)
