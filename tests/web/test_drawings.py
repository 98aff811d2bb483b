import zlib

import lucide.jinja
import pytest

from homeshelf.web.assets import assets
from homeshelf.web.drawings import icon
from scripts.app_icons import SIZES, app_icon


@pytest.mark.parametrize("name", ["house", "ellipsis", "shopping-cart"])
@pytest.mark.parametrize("size", [16, 24])
def test_a_drawing_is_that_of_the_icon_set_and_hidden_from_who_cannot_see_it(
    name: str, size: int
) -> None:
    theirs = lucide.jinja.lucide(name, size=size, aria_hidden="true", focusable="false")
    assert str(icon(name, size)) == str(theirs)


@pytest.mark.parametrize("size", SIZES)
def test_the_picture_of_the_app_is_the_one_that_the_script_draws(size: int) -> None:
    kept = assets().files[f"icon-{size}.png"].plain
    assert pixels(kept) == pixels(app_icon(size))
    assert len(pixels(kept)) == size * (3 * size + 1)


def pixels(picture: bytes) -> bytes:
    """Of a PNG with all of them in one piece."""
    at = picture.index(b"IDAT")
    return zlib.decompress(picture[at + 4 : at + 4 + int.from_bytes(picture[at - 4 : at])])
