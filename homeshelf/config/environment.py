"""Mistakes in the `HOMESHELF_*` variables that reading the settings does not find."""

from collections.abc import Mapping
from difflib import get_close_matches

from homeshelf.config.settings import declared

PREFIX = "HOMESHELF_"


def find_mistakes(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each unknown variable and each setting without the one it needs."""
    used = {name for name, text in environment.items() if name.startswith(PREFIX) and text}
    settings = {each.variable: each for each in declared().values()}
    mistakes = [_unknown(name, list(settings)) for name in sorted(used - settings.keys())]
    for name in sorted(used & settings.keys()):
        missing = [each for each in settings[name].needs if each not in used]
        if missing and environment[name] != settings[name].default:
            mistakes.append(f"{name} needs {' and '.join(missing)} as well.")
    return mistakes


def _unknown(name: str, known: list[str]) -> str:
    # The prefix they share would make every two names alike.
    endings = [each.removeprefix(PREFIX) for each in known]
    if close := get_close_matches(name.removeprefix(PREFIX), endings, n=1):
        return f"{name} is not a setting; did you mean {PREFIX}{close[0]}?"
    return f"{name} is not a setting; docs/settings.md lists all of them."
