"""JSON in and out: exact decimals, camelCase, no table keys."""

from decimal import Decimal
from typing import Any

import msgspec
from fastapi import Response

from homeshelf.sentences import Sentence, said
from homeshelf.table import Record


def _written(value: object) -> Any:
    """Encode records as clients see them, and translated sentences."""
    if isinstance(value, Sentence):
        return said(value)
    if isinstance(value, Record):
        return shown(value)
    raise TypeError(type(value))


encode = msgspec.json.Encoder(decimal_format="number", enc_hook=_written).encode
decode = msgspec.json.Decoder(float_hook=Decimal).decode


class Json(Response):
    """A JSON response that FastAPI neither validates nor copies."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else encode(content)


def shown(record: Record, *hidden: str, **added: Any) -> dict[str, Any]:
    """Return a record as clients see it, without private and `hidden` fields."""
    fields = record.__dict__
    seen = {alias: fields[name] for name, alias in record.shown.items()}
    for alias, name in record.worked_out.items():
        seen[alias] = getattr(record, name)
    for name in hidden:
        del seen[record.aliases[name]]
    seen.update(added)
    return seen
