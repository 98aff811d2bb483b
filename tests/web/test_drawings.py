import re
import zlib
from datetime import UTC, datetime

import lucide.jinja
import pytest

from homeshelf.clock import zone_of
from homeshelf.web.assets import assets
from homeshelf.web.drawings import icon, step_chart
from scripts.app_icons import SIZES, app_icon


@pytest.mark.parametrize("name", ["house", "ellipsis", "shopping-cart"])
@pytest.mark.parametrize("size", [16, 24])
def test_icon_equals_the_icon_set_and_is_hidden_from_screen_readers(name: str, size: int) -> None:
    theirs = lucide.jinja.lucide(name, size=size, aria_hidden="true", focusable="false")
    assert str(icon(name, size)) == str(theirs)


@pytest.mark.parametrize("size", SIZES)
def test_app_icons_equal_the_output_of_the_script(size: int) -> None:
    kept = assets().files[f"icon-{size}.png"].plain
    assert pixels(kept) == pixels(app_icon(size))
    assert len(pixels(kept)) == size * (3 * size + 1)


def test_step_chart_shows_the_highest_count_and_local_days() -> None:
    points = [(datetime(2026, 3, day, 23, tzinfo=UTC), count) for day, count in ((1, 5), (6, 10))]
    until = datetime(2026, 3, 11, 23, tzinfo=UTC)
    drawn = step_chart(points, 2, until, "5 to 10 & now", UTC)
    assert 'd="M0.0 65.5H160.0V10.9H320.0"' in drawn
    assert 'class="chart-mark" x1="0" x2="320.0" y1="98.2" y2="98.2"' in drawn
    assert 'aria-label="5 to 10 &amp; now"' in drawn
    assert re.findall(r"<text[^>]*>([^<]*)<", drawn) == ["10", "1 Mar 2026", "11 Mar 2026"]
    elsewhere = step_chart(points, 0, until, "", zone_of("Europe/Stockholm"))
    assert re.findall(r"<text[^>]*>([^<]*)<", elsewhere)[1:] == ["2 Mar 2026", "12 Mar 2026"]
    assert "chart-mark" not in elsewhere


def pixels(picture: bytes) -> bytes:
    """Return the pixel data of a PNG with a single data chunk."""
    at = picture.index(b"IDAT")
    return zlib.decompress(picture[at + 4 : at + 4 + int.from_bytes(picture[at - 4 : at])])
