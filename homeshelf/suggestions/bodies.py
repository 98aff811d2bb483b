from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, ValidationInfo, model_validator

from homeshelf.inventory.fields import Quantity, Threshold
from homeshelf.sentences import _
from homeshelf.suggestions import model
from homeshelf.suggestions.fields import (
    ITEM_NEEDED,
    NAME_NEEDED,
    Item,
    Name,
    Notes,
    RejectionNotes,
    Type,
)
from homeshelf.web.body import Body, NewBody, Version, field_error


def _require_for(type_: model.Type, message: str) -> AfterValidator:
    """Require the field for this type, and forbid it for the other."""
    return _type_rule(lambda value, found: (value is not None) == (found == type_), message)


def _allow_only_for(type_: model.Type, message: str) -> AfterValidator:
    return _type_rule(lambda value, found: value is None or found == type_, message)


def _type_rule(fits: Callable[[Any, model.Type], bool], message: str) -> AfterValidator:
    """Check a field against the type, unless the type itself is invalid."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if "type" in info.data and not fits(value, info.data["type"]):
            raise field_error(message)
        return value

    return AfterValidator(check)


def _describe_types(schema: dict[str, Any]) -> None:
    schema["oneOf"] = [
        _type_schema(
            "add_to_shopping", "itemId", "proposedItemName", "proposedQuantity", "proposedThreshold"
        ),
        _type_schema("create_item", "proposedItemName", "itemId"),
    ]


def _type_schema(type_: model.Type, required: str, *absent: str) -> dict[str, Any]:
    fields = {"type": {"const": type_}, required: {"type": "string"}}
    fields |= {name: {"type": "null"} for name in absent}
    return {"type": "object", "required": ["type", required], "properties": fields}


class NewSuggestion(Body):
    """One body for both types, so that the answer names every bad field of any type."""

    model_config = ConfigDict(json_schema_extra=_describe_types)

    type: Type
    item_id: Annotated[Item | None, _require_for("add_to_shopping", ITEM_NEEDED)] = None
    proposed_item_name: Annotated[Name | None, _require_for("create_item", NAME_NEEDED)] = None
    proposed_quantity: Annotated[
        Quantity | None,
        _allow_only_for("create_item", _("Only a create_item suggestion can have a quantity")),
    ] = None
    proposed_threshold: Annotated[
        Threshold | None,
        _allow_only_for("create_item", _("Only a create_item suggestion can have a threshold")),
    ] = None
    notes: Notes | None = None

    @model_validator(mode="before")
    @classmethod
    def _fill_missing_fields(cls, data: Any) -> Any:
        return (
            {"itemId": None, "proposedItemName": None, **data} if isinstance(data, dict) else data
        )


class Approval(NewBody):
    version: Version


class Rejection(NewBody):
    version: Version
    rejection_notes: RejectionNotes | None = None


class WishForm(NewBody):
    item_id: Item | None = None
    name: Name | None = None
    quantity: Quantity | None = None
    notes: Notes | None = None

    @model_validator(mode="after")
    def _require_one_kind(self) -> "WishForm":
        if (self.item_id is None) == (self.name is None):
            raise field_error(_("What would you like?"))
        if self.item_id is not None and self.quantity is not None:
            raise field_error(_("You can only say how many for a new item."))
        return self

    def to_suggestion(self) -> dict[str, Any]:
        if self.item_id:
            return {"type": "add_to_shopping", "item_id": self.item_id, "notes": self.notes}
        return {
            "type": "create_item",
            "proposed_item_name": self.name,
            "proposed_quantity": self.quantity,
            "notes": self.notes,
        }


class DecisionForm(Rejection):
    answer: Literal["yes", "no"]
    to_list: bool = False


class ListToggleForm(NewBody):
    wanted: bool
