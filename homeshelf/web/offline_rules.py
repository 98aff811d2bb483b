"""What the service worker and the shell have to know of the paths of slices."""

from collections.abc import Iterable
from dataclasses import dataclass

NOTHING = "(?!)"
"""Matches no path."""


@dataclass(frozen=True)
class KeptFirst:
    """A page that is shown as the browser kept it, and is read anew for the next time."""

    path: str
    queries: tuple[str, ...] = ()
    """The parameters that the script of the page understands itself."""


@dataclass(frozen=True)
class OfflineRules:
    """Paths are without the first slash, and may be regular expressions."""

    secret: tuple[str, ...] = ()
    """What is never kept, with all below it: its address or its content is a secret."""
    changes_person: tuple[str, ...] = ()
    """How the paths of forms begin after which another person is here, or another family is."""
    arrivals: tuple[str, ...] = ()
    """Where people come back from another program that signed them in."""
    kept_first: tuple[KeptFirst, ...] = ()

    @property
    def secret_pattern(self) -> str:
        return f"^/({'|'.join(('api', *self.secret))})(/|$)"

    @property
    def changes_person_pattern(self) -> str:
        return f"^/({'|'.join(self.changes_person) or NOTHING})"


def join_rules(rules: Iterable[OfflineRules]) -> OfflineRules:
    found = list(rules)
    return OfflineRules(
        secret=tuple(path for each in found for path in each.secret),
        changes_person=tuple(path for each in found for path in each.changes_person),
        arrivals=tuple(path for each in found for path in each.arrivals),
        kept_first=tuple(page for each in found for page in each.kept_first),
    )
