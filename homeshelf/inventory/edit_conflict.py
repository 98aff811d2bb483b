"""What differs between an edited form and an item that another person changed meanwhile."""

from collections.abc import Iterable, Mapping
from typing import Any

from homeshelf.inventory.bodies import ItemForm
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages.formats import formats
from homeshelf.places.model import Place
from homeshelf.sentences import _


def differing(
    typed: Mapping[str, Any], now: InventoryItem, places: Iterable[Place]
) -> dict[str, str]:
    """Return the current words of each form field that was typed otherwise."""
    names = {place.place_id: place.name for place in places}
    mine = {field: _words(field, value, names) for field, value in typed.items()}
    theirs = {field: _words(field, getattr(now, field), names) for field in typed}
    aliases = {field: ItemForm.model_fields[field].alias or field for field in theirs}
    return {aliases[field]: words for field, words in beside(mine, theirs).items()}


def beside(mine: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return a sentence for each field that differs."""
    return {
        field: _("Now: “{words}”.", words=words) if words else _("Now: empty.")
        for field, words in theirs.items()
        if words != mine[field]
    }


def _words(field: str, value: Any, names: Mapping[str, str]) -> str:
    """Return the words people read: names of places, and text on one line."""
    match field:
        case "threshold":
            return str(value) if value else _("No alerts")
        case "location_id":
            return names.get(value, _("No place"))
        case "preferred_store_id":
            return names.get(value, _("Any shop"))
        case "alternate_store_ids":
            return formats().listed(sorted(names[id_] for id_ in value if id_ in names))
        case "barcodes":
            return formats().listed(sorted(value))
    return " ".join((value or "").split())
