import pytest


@pytest.fixture(params=["locations", "stores"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of place in turn, because both follow the same rules."""
    return str(request.param)
