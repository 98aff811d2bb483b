import pytest


@pytest.fixture(params=["locations", "stores"])
def kind(request: pytest.FixtureRequest) -> str:
    """Both kinds of places keep the same promises."""
    return str(request.param)
