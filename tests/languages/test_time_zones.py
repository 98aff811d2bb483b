"""Test that time zones are offered by the names of cities."""

import pytest

from homeshelf.languages import LANGUAGES, use_language
from homeshelf.languages.time_zones import named_zones


@pytest.mark.parametrize(
    ("code", "name"),
    [("en", "Vienna · Austria"), ("de", "Wien · Österreich"), ("ar", "فيينا · النمسا")],
)
def test_zones_have_the_names_of_their_cities(code: str, name: str) -> None:
    with use_language(LANGUAGES[code]):
        zones = dict(named_zones("Europe/Vienna"))
    assert zones["Europe/Vienna"] == name
    assert "Asia/Kolkata" in zones
    assert next(iter(zones)) == "UTC"
    assert not [zone for zone in zones if zone.startswith(("Etc/", "US/", "SystemV/"))]


def test_chosen_zone_is_offered_even_if_it_is_technical() -> None:
    assert ("Etc/GMT+5", "Etc/GMT+5") in named_zones("Etc/GMT+5")
    assert len(dict(named_zones("UTC"))) == len(named_zones("UTC"))
