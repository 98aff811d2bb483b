"""Test that the cost of the home page does not grow with the list."""

from tests.api_client import add_entry, add_place, add_purchased_entry
from tests.home import Home
from tests.pages import see


async def test_home_page_reads_only_the_start_of_the_list(
    home: Home,
) -> None:
    names = ("Market", "Bakery", "Chemist")
    market, bakery, _ = [await add_place(home.admin, "stores", name) for name in names]
    await add_purchased_entry(home.admin, name="Bread", storeId=bakery["storeId"])
    await add_entry(home.admin, name="Milk", storeId=market["storeId"])
    rows = []
    await see(home.admin, "/")
    for more in (10, 40):
        for number in range(more):
            await add_entry(home.admin, name=f"Jam {number}", storeId=market["storeId"])
        before = home.running.db.engine.rows
        shown = await see(home.admin, "/")
        rows.append(home.running.db.engine.rows - before)
        assert "Market" in shown
        assert "Bakery" not in shown
        assert "Chemist" not in shown
    assert rows[1] - rows[0] < 5
