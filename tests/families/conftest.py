import pytest

from tests.home import Home, new_home
from tests.house import OpenHouse, Person


@pytest.fixture
async def home(house: OpenHouse) -> Home:
    """The Lovelaces: Ada is their admin."""
    return await new_home(house, "Lovelace", "ada")


@pytest.fixture
async def kid(home: Home) -> Person:
    """A suggester of the Lovelaces."""
    return await home.with_member("kid", "suggester")


@pytest.fixture
async def neighbour(house: OpenHouse) -> Person:
    """An admin of another family."""
    return (await new_home(house, "Babbage", "charles")).admin


@pytest.fixture
async def gone(home: Home) -> Person:
    """Somebody who was an admin of the Lovelaces."""
    gone = await home.with_member("gone", "admin")
    await home.send_away(gone)
    return gone
