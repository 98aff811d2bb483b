"""What clients send: a suggestion in one of its two shapes, and a decision."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from homeshelf.inventory.model import MOST
from homeshelf.suggestions.model import Type
from homeshelf.web.body import Body, NewBody, Says, id_, text, version, whole

ITEM_NEEDED = "Item ID required for add_to_shopping type"
NAME_NEEDED = "Proposed item name required for create_item type"
BAD_QUANTITY = "Quantity must be a non-negative integer"
BAD_THRESHOLD = "Threshold must be a non-negative integer"


def _needed_for(type_: Type, message: str) -> AfterValidator:
    """There in suggestions of this type, and in those alone."""
    return _rule(lambda value, found: (value is not None) == (found == type_), message)


def _only_for(type_: Type, message: str) -> AfterValidator:
    return _rule(lambda value, found: value is None or found == type_, message)


def _rule(fits: Callable[[Any, Type], bool], message: str) -> AfterValidator:
    """What a field must be for the type; where the type is wrong, that alone is said."""

    def check(value: Any, info: ValidationInfo) -> Any:
        if "type" in info.data and not fits(value, info.data["type"]):
            raise PydanticCustomError("says", "{message}", {"message": message})
        return value

    return AfterValidator(check)


def _in_two_shapes(schema: dict[str, Any]) -> None:
    """Says to clients what the rules above say."""
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

    type: Annotated[Type, Says("Type must be 'add_to_shopping' or 'create_item'")]
    item_id: Annotated[
        Annotated[str, id_(ITEM_NEEDED)] | None, _needed_for("add_to_shopping", ITEM_NEEDED)
    ] = None
    proposed_item_name: Annotated[
        Annotated[str, text(1, 100, NAME_NEEDED)] | None, _needed_for("create_item", NAME_NEEDED)
    ] = None
    proposed_quantity: Annotated[
        Annotated[int, whole(0, MOST, BAD_QUANTITY)] | None,
        _only_for("create_item", "Only a create_item suggestion proposes a quantity"),
    ] = None
    proposed_threshold: Annotated[
        Annotated[int, whole(0, MOST, BAD_THRESHOLD)] | None,
        _only_for("create_item", "Only a create_item suggestion proposes a threshold"),
    ] = None
    notes: Annotated[str, text(0, 500, "Notes must be 500 characters or less")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _look_at_what_is_left_out(cls, data: Any) -> Any:
        """Whether it had to be there is for the type to say."""
        return (
            {"itemId": None, "proposedItemName": None, **data} if isinstance(data, dict) else data
        )


class Approval(NewBody):
    version: Annotated[int, version()]


class Rejection(NewBody):
    version: Annotated[int, version()]
    rejection_notes: (
        Annotated[str, text(0, 500, "Rejection notes must be 500 characters or less")] | None
    ) = None


class WishForm(NewBody):
    """A wish from a page: something that is in the stock, or something new."""

    item_id: Annotated[str, id_("Choose something from the stock.")] | None = None
    name: Annotated[str, text(1, 100, "What is it called? Up to 100 letters.")] | None = None
    quantity: Annotated[int, whole(0, MOST, "A whole number, 0 or more.")] | None = None
    notes: Annotated[str, text(0, 500, "Up to 500 letters.")] | None = None

    @model_validator(mode="after")
    def _either(self) -> "WishForm":
        if (self.item_id is None) == (self.name is None):
            raise PydanticCustomError("says", "What would you like?")
        if self.item_id is not None and self.quantity is not None:
            raise PydanticCustomError("says", "Say how many of something new alone.")
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


class DecisionForm(NewBody):
    answer: Literal["yes", "no"]
    rejection_notes: Annotated[str, text(0, 500, "Up to 500 letters.")] | None = None
    version: Annotated[int, version()]
