"""What was written down, where something else happens before it is counted."""

from homeshelf.stocktaking.taking import Around, resolve_lines, take
from tests.api_client import add_place, get_all_pages
from tests.home import Home


async def test_a_place_that_somebody_made_meanwhile_is_used(home: Home) -> None:
    db, by = home.running.db, home.admin.member_id
    services = home.running.services
    wanted = await resolve_lines(db, home.family_id, "Wine, cellar\nBeer, cellar", None, None)
    cellar = (await add_place(home.admin, "locations", "Cellar"))["locationId"]
    taken = await take(services, home.family_id, by, wanted, Around(), makes_places=True)
    assert [each.item.name for each in taken] == ["Wine", "Beer"]
    found = await get_all_pages(home.admin, "/items", 100)
    assert [item["locationId"] for item in found] == [cellar, cellar]
