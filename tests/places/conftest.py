import pytest


@pytest.fixture(params=["locations", "stores"])
def kind(request: pytest.FixtureRequest) -> str:
    """Both kinds of places follow the same rules."""
    return str(request.param)
