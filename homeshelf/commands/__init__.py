"""What each command does; `cli/` declares how it is called."""


class CannotRun(Exception):
    """A command cannot do its work as things are; the text is a sentence that says what to do."""
