import pytest

from homeshelf.languages import Language


@pytest.fixture(autouse=True)
def speaks_it(pseudo: Language) -> Language:
    """Add the pseudo language before the application starts."""
    return pseudo
