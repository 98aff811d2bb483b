"""Items from stocktaking get a default threshold and are not low at once."""

from tests.api_client import get_all_pages
from tests.home import Home
from tests.pages import send

TAKE = "/stock/take"


async def test_new_item_gets_default_threshold_of_its_unit(home: Home) -> None:
    for text, unit in (("Flour 1000 g", "g"), ("Tea", ""), ("Eggs 6", "")):
        assert (await send(home.admin, TAKE, text=text, unit=unit)).status_code == 303
    await send(home.admin, TAKE, text="Sugar", quantity=800, unit="g")
    items = await get_all_pages(home.admin, "/items", 100)
    marks = {item["name"]: item["threshold"] for item in items}
    assert marks == {"Flour": 250, "Tea": 1, "Eggs": 2, "Sugar": 250}
    assert not any(item["isLowStock"] for item in items)
