import pytest

from tests.house import OpenHouse, Person, Visitor


@pytest.fixture
def nobody(house: OpenHouse) -> Visitor:
    """Somebody with neither an account nor a token."""
    return house.visitor()


@pytest.fixture
async def ada(house: OpenHouse) -> Person:
    return await house.person("ada")
