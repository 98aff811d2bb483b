"""JSON in and out: exact decimals, camelCase, no table keys."""

from decimal import Decimal
from typing import Any

import msgspec
from fastapi import Response

from homeshelf.sentences import Sentence, said
from homeshelf.table import Record


def _written(value: object) -> Any:
    """A record as clients see it; a sentence, which is not quite text to the encoder."""
    if isinstance(value, Sentence):
        return said(value)
    if isinstance(value, Record):
        return shown(value)
    raise TypeError(type(value))


encode = msgspec.json.Encoder(decimal_format="number", enc_hook=_written).encode
decode = msgspec.json.Decoder(float_hook=Decimal).decode


class Json(Response):
    """An answer that is JSON already; FastAPI neither checks nor copies it."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else encode(content)


def shown(record: Record, *hidden: str, **added: Any) -> dict[str, Any]:
    """A record as clients see it, without what is private to it and `hidden` fields."""
    fields = record.__dict__
    seen = {alias: fields[name] for name, alias in record.shown.items()}
    for alias, name in record.worked_out.items():
        seen[alias] = getattr(record, name)
    for name in hidden:
        del seen[record.aliases[name]]
    seen.update(added)
    return seen
