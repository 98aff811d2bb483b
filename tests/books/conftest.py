import pytest

from tests.running import Person, RunningApp


@pytest.fixture
async def ada(running: RunningApp) -> Person:
    """A reader who is in no family."""
    return await running.person("ada")


@pytest.fixture
async def charles(running: RunningApp) -> Person:
    """Another reader."""
    return await running.person("charles")
