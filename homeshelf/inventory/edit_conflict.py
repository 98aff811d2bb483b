"""The differences between an edited form and an item that changed concurrently."""

from collections.abc import Iterable, Mapping
from typing import Any

from homeshelf.inventory.bodies import ItemForm
from homeshelf.inventory.model import InventoryItem
from homeshelf.languages.formats import formats
from homeshelf.places.model import Place
from homeshelf.sentences import _


def find_conflicts(
    typed: Mapping[str, Any], stored: InventoryItem, places: Iterable[Place]
) -> dict[str, str]:
    names = {place.place_id: place.name for place in places}
    aliases = {field: ItemForm.model_fields[field].alias or field for field in typed}
    typed_texts = {name: _display_text(it, typed[it], names) for it, name in aliases.items()}
    stored_texts = {
        name: _display_text(it, getattr(stored, it), names) for it, name in aliases.items()
    }
    return conflict_messages(typed_texts, stored_texts)


def conflict_messages(typed: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """Return a message with the stored text for each field that differs."""
    return {
        field: _("Now: “{words}”.", words=words) if words else _("Now: empty.")
        for field, words in stored.items()
        if words != typed[field]
    }


def _display_text(field: str, value: Any, names: Mapping[str, str]) -> str:
    """Return a value as the page shows it: places by name, text on one line."""
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
