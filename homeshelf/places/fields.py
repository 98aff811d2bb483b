"""The kinds of the fields of places: limits and messages, once."""

from typing import Annotated

from homeshelf.web.body import text

LocationName = Annotated[
    str, text(1, 50, "Name must be 1-50 characters", "Give it a name of up to 50 letters.")
]
StoreName = Annotated[
    str, text(1, 100, "Name must be 1-100 characters", "Give it a name of up to 100 letters.")
]
Description = Annotated[
    str, text(0, 200, "Description must be 200 characters or less", "At most 200 letters.")
]
Address = Annotated[
    str, text(0, 200, "Address must be 200 characters or less", "At most 200 letters.")
]
