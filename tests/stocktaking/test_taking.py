"""Stocktaking with concurrent changes."""

from homeshelf.stocktaking.stocktake import LineDefaults, resolve_lines, take_stock
from tests.api_client import add_place, get_all_pages
from tests.home import Home


async def test_concurrently_created_place_is_used(home: Home) -> None:
    db, by = home.running.db, home.admin.member_id
    services = home.running.services
    text = "Wine, cellar\nBeer, cellar"
    wanted = await resolve_lines(db, home.family_id, text, LineDefaults(), None)
    cellar = (await add_place(home.admin, "locations", "Cellar"))["locationId"]
    taken = await take_stock(
        services, home.family_id, by, wanted, LineDefaults(), makes_places=True
    )
    assert [each.item.name for each in taken] == ["Wine", "Beer"]
    found = await get_all_pages(home.admin, "/items", 100)
    assert [item["locationId"] for item in found] == [cellar, cellar]
