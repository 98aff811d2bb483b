"""Rules of slices for the service worker and the shell, by path."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain

NOTHING = "(?!)"
"""A pattern that matches no path."""


@dataclass(frozen=True)
class CachedPage:
    """A page that is shown from the cache at once and updated for the next visit."""

    path: str
    queries: tuple[str, ...] = ()
    """The query parameters that the script of the page handles itself."""


@dataclass(frozen=True)
class OfflineRules:
    """Paths without the first slash, which may be regular expressions."""

    secret: tuple[str, ...] = ()
    """Paths that are never cached, with all below them: their address or content is a secret."""
    changes_person: tuple[str, ...] = ()
    """Path prefixes of forms that change the signed-in person or the family."""
    arrivals: tuple[str, ...] = ()
    """Paths to which another program redirects after signing a person in."""
    kept_first: tuple[CachedPage, ...] = ()
    prefetched: tuple[str, ...] = ()
    """Pages of a family that are cached before they are opened."""

    @property
    def secret_pattern(self) -> str:
        return f"^/({'|'.join(('api', *self.secret))})(/|$)"

    @property
    def prefetched_paths(self) -> list[str]:
        """Return the paths to cache before they are opened, those of cache-first pages included."""
        return [*(page.path for page in self.kept_first), *(f"/{path}" for path in self.prefetched)]

    @property
    def changes_person_pattern(self) -> str:
        return f"^/({'|'.join(self.changes_person) or NOTHING})"


def join_rules(rules: Iterable[OfflineRules]) -> OfflineRules:
    found = list(rules)
    names = (each.name for each in fields(OfflineRules))
    return OfflineRules(*(tuple(chain(*(getattr(each, name) for each in found))) for name in names))
