import httpx
import pytest

from tests.api_client import Shown, add_item
from tests.home import Home
from tests.taps.tags import make_tag


@pytest.fixture
async def towels(home: Home) -> Shown:
    return await add_item(home.admin, name="Paper Towels", quantity=4)


@pytest.fixture
async def tag(home: Home, towels: Shown) -> Shown:
    return await make_tag(home.admin, towels, label="pantry")


@pytest.fixture
def anonymous_client(home: Home) -> httpx.AsyncClient:
    return home.running.visitor("198.51.100.1").client
