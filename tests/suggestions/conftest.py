import pytest

from tests.api_client import Shown, add_item
from tests.home import Home


@pytest.fixture
async def rice(home: Home) -> Shown:
    return await add_item(home.admin, name="Rice", quantity=1)
