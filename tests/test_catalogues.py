"""The catalogues have every sentence that the code says, and no others."""

from pathlib import Path

import pytest

from scripts import catalogues

CATALOGUES = catalogues.catalogues()


def test_the_template_has_what_the_code_says() -> None:
    assert catalogues.TEMPLATE.read_text() == catalogues.written(catalogues.template()), (
        "run `make fix`"
    )


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_has_the_sentences_of_the_template(path: Path) -> None:
    template = catalogues.read(catalogues.TEMPLATE)
    assert path.read_text() == catalogues.written(catalogues.updated(path, template)), (
        "run `make fix`"
    )
