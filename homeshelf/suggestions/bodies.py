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


def _needed_for(type_: model.Type, message: str) -> AfterValidator:
    """Require the field for this type, and forbid it for the other."""
    return _rule(lambda value, found: (value is not None) == (found == type_), message)


def _only_for(type_: model.Type, message: str) -> AfterValidator:
    return _rule(lambda value, found: value is None or found == type_, message)


def _rule(fits: Callable[[Any, model.Type], bool], message: str) -> AfterValidator:
    """Check a field against the type; a wrong type is its own error."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if "type" in info.data and not fits(value, info.data["type"]):
            raise field_error(message)
        return value

    return AfterValidator(check)


def _in_two_shapes(schema: dict[str, Any]) -> None:
    """Describe the rules above in the schema."""
    null = {"type": "null"}
    given = {"type": "string"}
    schema["oneOf"] = [
        {
            "type": "object",
            "required": ["type", "itemId"],
            "properties": {
                "type": {"const": "add_to_shopping"},
                "itemId": given,
                "proposedItemName": null,
                "proposedQuantity": null,
                "proposedThreshold": null,
            },
        },
        {
            "type": "object",
            "required": ["type", "proposedItemName"],
            "properties": {
                "type": {"const": "create_item"},
                "itemId": null,
                "proposedItemName": given,
            },
        },
    ]


class NewSuggestion(Body):
    """One body rather than a union, so that every bad field is named whatever the type is.

    Null is the same as leaving a field out here too: each has its null.
    """

    model_config = ConfigDict(json_schema_extra=_in_two_shapes)

    type: Type
    item_id: Annotated[Item | None, _needed_for("add_to_shopping", ITEM_NEEDED)] = None
    proposed_item_name: Annotated[Name | None, _needed_for("create_item", NAME_NEEDED)] = None
    proposed_quantity: Annotated[
        Quantity | None,
        _only_for("create_item", _("Only a create_item suggestion proposes a quantity")),
    ] = None
    proposed_threshold: Annotated[
        Threshold | None,
        _only_for("create_item", _("Only a create_item suggestion proposes a threshold")),
    ] = None
    notes: Notes | None = None

    @model_validator(mode="before")
    @classmethod
    def _look_at_what_is_left_out(cls, data: Any) -> Any:
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
    def _either(self) -> "WishForm":
        if (self.item_id is None) == (self.name is None):
            raise field_error(_("What would you like?"))
        if self.item_id is not None and self.quantity is not None:
            raise field_error(_("Say how many of something new alone."))
        return self

    def wish(self) -> dict[str, Any]:
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
    """Whether a new item goes onto the list too."""


class ListForm(NewBody):
    """Puts the item that an approval made on the list, or takes it off."""

    wanted: bool
