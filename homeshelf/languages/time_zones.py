"""Time zones by the names of their cities, in the reader's language."""

from collections.abc import Sequence
from functools import cache
from zoneinfo import available_timezones

from homeshelf.folding import plain
from homeshelf.languages import reader_language

UTC = "UTC"


def named_zones(chosen: str) -> Sequence[tuple[str, str]]:
    """Return the zones of cities with their names, UTC, and the chosen zone, whatever it is."""
    zones = _zones_of_cities(reader_language().code)
    others = dict.fromkeys((UTC, chosen))
    return [*((zone, zone) for zone in others if zone not in dict(zones)), *zones]


@cache
def _zones_of_cities(code: str) -> Sequence[tuple[str, str]]:
    from babel import Locale  # noqa: PLC0415  # see formats.py
    from babel.core import get_global  # noqa: PLC0415

    locale = Locale.parse(code)
    cities = {zone: known["city"] for zone, known in locale.time_zones.items() if "city" in known}
    cities |= {new: cities[old] for old, new in get_global("zone_aliases").items() if old in cities}
    there = available_timezones()
    found = []
    for zone, territory in get_global("zone_territories").items():
        country = locale.territories.get(territory)
        if zone in there and "/" in zone and country and territory not in ("001", "ZZ"):
            city = cities.get(zone) or zone.rpartition("/")[2].replace("_", " ")
            found.append((zone, f"{city} · {country}"))
    return sorted(found, key=lambda each: plain(each[1]))
