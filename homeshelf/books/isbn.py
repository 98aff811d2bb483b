"""ISBNs: ten or thirteen digits, of which the last one checks the others."""

from stdnum import isbn
from stdnum.exceptions import ValidationError


def isbn13(text: str) -> str:
    """The thirteen digits of an ISBN, with or without dashes; ValueError where it is none."""
    try:
        return isbn.validate(text, convert=True)
    except ValidationError as error:
        raise ValueError("no ISBN") from error
