"""JSON in requests and responses, with exact decimals and without table keys."""

from decimal import Decimal
from typing import Any

import msgspec
from fastapi import Response

from homeshelf.sentences import Sentence, translate
from homeshelf.table import Record


def _encode_other(value: object) -> Any:
    """Encode records and translated sentences."""
    if isinstance(value, Sentence):
        return translate(value)
    if isinstance(value, Record):
        return shown(value)
    raise TypeError(type(value))


encode = msgspec.json.Encoder(decimal_format="number", enc_hook=_encode_other).encode
decode = msgspec.json.Decoder(float_hook=Decimal).decode


class Json(Response):
    """A JSON response that FastAPI does not validate or copy."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else encode(content)


def shown(record: Record, *hidden: str, **added: Any) -> dict[str, Any]:
    """Return the public fields of a record, without the `hidden` ones."""
    fields = record.__dict__
    seen = {alias: fields[name] for name, alias in record.shown.items()}
    for alias, name in record.computed.items():
        seen[alias] = getattr(record, name)
    for name in hidden:
        del seen[record.aliases[name]]
    seen.update(added)
    return seen
