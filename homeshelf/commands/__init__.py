"""The code of the commands that `cli/` declares."""


class CannotRun(Exception):
    """A command cannot run; the text is a sentence that says what to do."""
