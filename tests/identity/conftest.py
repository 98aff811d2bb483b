from collections.abc import AsyncIterator

import pytest

from homeshelf.table import Database
from tests.house import OpenHouse, open_house
from tests.identity.issuer import Issuer, open_issuer


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with open_issuer() as issuer:
        yield issuer


@pytest.fixture
async def house(database: Database, issuer: Issuer) -> AsyncIterator[OpenHouse]:
    """A house that believes the issuer."""
    async with open_house(database, **issuer.settings) as house:
        yield house
