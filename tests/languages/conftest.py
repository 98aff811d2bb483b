import pytest

from homeshelf.languages import Language


@pytest.fixture(autouse=True)
def speaks_it(pseudo: Language) -> Language:
    """Before anything of the application begins."""
    return pseudo
