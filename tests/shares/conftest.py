import pytest

from tests.running import Person, RunningApp, Visitor


@pytest.fixture
def nobody(running: RunningApp) -> Visitor:
    """Somebody with neither an account nor a token."""
    return running.visitor()


@pytest.fixture
async def ada(running: RunningApp) -> Person:
    return await running.person("ada")
