"""What the page of the places is sent."""

from typing import Annotated, Any

from homeshelf.web.body import NewBody, text, version


class LocationForm(NewBody):
    name: Annotated[str, text(1, 50, "Give it a name of up to 50 letters.")]
    description: Annotated[str, text(0, 200, "At most 200 letters.")] | None = None

    def details(self) -> dict[str, Any]:
        """What the form says; a field that was emptied is cleared."""
        return {"name": self.name, "description": self.description}


class StoreForm(NewBody):
    name: Annotated[str, text(1, 100, "Give it a name of up to 100 letters.")]
    address: Annotated[str, text(0, 200, "At most 200 letters.")] | None = None

    def details(self) -> dict[str, Any]:
        return {"name": self.name, "address": self.address}


class LocationEdit(LocationForm):
    version: Annotated[int, version()]


class StoreEdit(StoreForm):
    version: Annotated[int, version()]
