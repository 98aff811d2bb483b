"""What was written down, where something else happens before it is counted."""

from dataclasses import dataclass

from homeshelf.stocktaking.taking import Around, meant, take
from tests.cupboard import add_place, every_page
from tests.home import Home


@dataclass(frozen=True)
class Ada:
    family_id: str
    member_id: str


async def test_a_place_that_somebody_made_meanwhile_is_used(home: Home) -> None:
    db, ada = home.running.db, Ada(home.family_id, home.admin.member_id)
    wanted = await meant(db, home.family_id, "Wine, cellar\nBeer, cellar", None, None)
    cellar = (await add_place(home.admin, "locations", "Cellar"))["locationId"]
    taken = await take(db, ada, wanted, Around(), (), makes_places=True)
    assert [each.item.name for each in taken] == ["Wine", "Beer"]
    found = await every_page(home.admin, "/items", 100)
    assert [item["locationId"] for item in found] == [cellar, cellar]
