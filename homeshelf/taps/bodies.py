"""What is sent about tags: by programs, and by the forms of the pages."""

from homeshelf.taps.fields import Delta, Label, TapKey
from homeshelf.web.body import Body, NewBody


class NewTag(NewBody):
    label: Label | None = None


class TagChange(Body):
    label: Label | None = None


class Tap(NewBody):
    delta: Delta
    undo: bool = False


class TapForm(NewBody):
    """What the page of a tag sends without any script."""

    delta: Delta
    key: TapKey


class StopForm(NewBody):
    """Which tag of an item, by its mark."""

    tag: str = ""
