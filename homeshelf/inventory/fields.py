from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field, StringConstraints

from homeshelf.inventory.barcodes import BARCODE_PATTERN, LENGTHS, is_valid_barcode, unique_codes
from homeshelf.inventory.model import MAX_QUANTITY
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule, id_, none_if_empty, text, whole
from homeshelf.web.ids import UUID_4, WELL_FORMED


def _require_valid(code: str) -> str:
    if not is_valid_barcode(code):
        raise ValueError("a wrong check digit")
    return code


MAX_BARCODES = 10
_COUNT = _("Enter a whole number, 0 or more.")
_CHOOSE = _("Choose one from the list.")

Name = Annotated[
    str,
    text(1, 100, _("Name must be 1-100 characters"), _("Enter a name of up to 100 characters.")),
]
Quantity = Annotated[
    int, whole(0, MAX_QUANTITY, _("Quantity must be a non-negative integer"), _COUNT)
]
Threshold = Annotated[
    int, whole(0, MAX_QUANTITY, _("Threshold must be a non-negative integer"), _COUNT)
]
FormThreshold = Annotated[
    int,
    whole(
        1,
        MAX_QUANTITY,
        _("Threshold must be a non-negative integer"),
        _("Enter a whole number, 1 or more, or choose “No alerts”."),
    ),
]
Location = Annotated[str, id_(_("Invalid location ID format"), _CHOOSE)]
Store = Annotated[str, id_(_("Invalid store ID format"), _CHOOSE)]
NewId = Annotated[str, id_(_("Item ID must be a version 4 UUID"), pattern=UUID_4)]
Stores = Annotated[
    list[Store],
    Field(max_length=20),
    AfterValidator(lambda ids: list(dict.fromkeys(ids))),
    FieldRule(
        _("Alternate stores must be a list of up to 20 IDs"),
        on_page=_("Choose up to 20 other shops."),
    ),
]
Delta = Annotated[
    int,
    whole(
        -1_000_000,
        1_000_000,
        _("Delta must be from -1,000,000 to 1,000,000, but not 0"),
        zero=False,
    ),
]
Unit = Annotated[
    str,
    text(0, 50, _("Unit must be 50 characters or less"), _("Use at most 50 characters.")),
    AfterValidator(none_if_empty),
]
Notes = Annotated[
    str,
    text(
        0,
        500,
        _("Notes must be 500 characters or less"),
        _("Use at most 500 characters."),
        kind="any",
    ),
]
Barcode = Annotated[
    str,
    StringConstraints(strip_whitespace=True, pattern=BARCODE_PATTERN),
    AfterValidator(_require_valid),
    FieldRule(
        _("Barcode must be an EAN-8, EAN-13 or UPC-A with its check digit"),
        on_page=_("That isn’t a barcode. Check the digits."),
    ),
]
Barcodes = Annotated[
    list[Barcode],
    Field(max_length=MAX_BARCODES),
    AfterValidator(unique_codes),
    FieldRule(
        _("Barcodes must be a list of up to {most}", most=MAX_BARCODES),
        on_page=_("Use at most {most} barcodes.", most=MAX_BARCODES),
        longest=max(LENGTHS),
    ),
]
ChangedBarcodes = Annotated[Barcodes | None, AfterValidator(lambda codes: codes or [])]
"""The barcodes of a PATCH; null removes them all."""
ItemId = Annotated[str, Path(alias="itemId"), WELL_FORMED]
