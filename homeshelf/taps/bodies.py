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
    """The form on a tag's page, for browsers without scripts."""

    delta: Delta
    key: TapKey


class StopForm(NewBody):
    tag: str = ""
