import lucide.jinja
import pytest

from homeshelf.web.drawings import icon


@pytest.mark.parametrize("name", ["house", "ellipsis", "shopping-cart"])
@pytest.mark.parametrize("size", [16, 24])
def test_a_drawing_is_that_of_the_icon_set_and_hidden_from_who_cannot_see_it(
    name: str, size: int
) -> None:
    theirs = lucide.jinja.lucide(name, size=size, aria_hidden="true", focusable="false")
    assert str(icon(name, size)) == str(theirs)
