"""Which route a request takes, found by the words of its path.

The framework tries one route after the other, of which there are hundreds. The words leave a few,
which are tried in the same order and by the same expressions; where none fits, the framework says
so: it knows other spellings, and which methods there are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from starlette.routing import BaseRoute, Route
from starlette.types import Scope


@dataclass(frozen=True)
class _Step:
    """What may follow the first words of a path."""

    words: dict[str, "_Step"] = field(default_factory=dict)
    here: list[int] = field(default_factory=list)
    """The numbers of the paths that end with these words."""
    whatever_follows: list[int] = field(default_factory=list)

    def to(self, word: str) -> "_Step":
        if word not in self.words:
            self.words[word] = _Step()
        return self.words[word]


_ANY = ""
"""For a word that is a parameter; no path that leads anywhere has an empty one in between."""


class Routes:
    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes = [route for route in routes if isinstance(route, Route)]
        self._first = _steps_of(tuple(route.path for route in self._routes))

    def find(self, scope: Scope) -> Route | None:
        """The route, told in the scope as the framework tells it."""
        path, method = scope["path"], scope["method"]
        found: list[int] = []
        _collect(self._first, path.split("/"), 1, found)
        if len(found) > 1:
            found.sort()
        for number in found:
            route = self._routes[number]
            if route.methods is None or method in route.methods:
                match = route.path_regex.match(path)
                if match:
                    convertors = route.param_convertors
                    scope["path_params"] = {
                        name: convertors[name].convert(value)
                        for name, value in match.groupdict().items()
                    }
                    scope["endpoint"], scope["route"] = route.endpoint, route
                    return route
        return None


@lru_cache(maxsize=4)
def _steps_of(paths: tuple[str, ...]) -> _Step:
    """Those of an application are the same each time that it is made."""
    first = _Step()
    for number, path in enumerate(paths):
        step = first
        for word in path.split("/")[1:]:
            if ":path}" in word:
                step.whatever_follows.append(number)
                break
            step = step.to(_ANY if "{" in word else word)
        else:
            step.here.append(number)
    return first


def _collect(step: _Step, words: Sequence[str], at: int, found: list[int]) -> None:
    found.extend(step.whatever_follows)
    if at == len(words):
        found.extend(step.here)
        return
    for word in {words[at], _ANY}:
        following = step.words.get(word)
        if following is not None:
            _collect(following, words, at + 1, found)
