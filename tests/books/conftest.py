import pytest

from tests.house import OpenHouse, Person


@pytest.fixture
async def ada(house: OpenHouse) -> Person:
    """A reader who is in no family."""
    return await house.person("ada")


@pytest.fixture
async def charles(house: OpenHouse) -> Person:
    """Another reader."""
    return await house.person("charles")
