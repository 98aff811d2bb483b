from collections.abc import AsyncIterator

import pytest

from homeshelf.table import Database
from tests.identity.issuer import Issuer, open_issuer
from tests.running import RunningApp, running_app


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with open_issuer() as issuer:
        yield issuer


@pytest.fixture
async def running(database: Database, issuer: Issuer) -> AsyncIterator[RunningApp]:
    """An app that trusts the fake issuer."""
    async with running_app(database, **issuer.settings) as running:
        yield running
