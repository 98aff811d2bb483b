import pytest

from tests.api_client import Shown, add_item, add_place
from tests.home import Home


@pytest.fixture
async def market(home: Home) -> Shown:
    return await add_place(home.admin, "stores", "Market")


@pytest.fixture
async def milk(home: Home, market: Shown) -> Shown:
    """An item that is bought at the market, and runs low."""
    return await add_item(
        home.admin, name="Milk", quantity=1, threshold=3, preferredStoreId=market["storeId"]
    )
