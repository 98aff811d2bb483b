"""A test that is about each of many routes.

    @walking(ROUTES)
    async def test_nobody_gets_in(running: RunningApp, route: Route) -> None: ...

A test costs some milliseconds by itself, whatever it does, and there are thousands of ways to
knock: those whose paths begin alike are one test, and what fails says at which of them.
"""

from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

import pytest

from tests.cases import case
from tests.routes import Route

Test = Callable[..., Coroutine[Any, Any, None]]


def walking(routes: Iterable[Route]) -> Callable[[Test], Test]:
    rooms: defaultdict[str, list[Route]] = defaultdict(list)
    for route in routes:
        rooms[route.path.removeprefix("/api/v1").split("/")[1]].append(route)

    def of_each(test: Test) -> Test:
        @wraps(test)
        async def walk(routes: list[Route], **fixtures: Any) -> None:
            for route in routes:
                with case(str(route)):
                    await test(route=route, **fixtures)

        asked = signature(test).parameters.values()
        named = [each for each in asked if each.name != "route"]
        all_of_them = Parameter("routes", Parameter.POSITIONAL_OR_KEYWORD)
        vars(walk)["__signature__"] = Signature([*named, all_of_them])
        del vars(walk)["__wrapped__"]  # pytest would ask for what that one asks for
        decorated: Test = pytest.mark.parametrize("routes", rooms.values(), ids=rooms)(walk)
        return decorated

    return of_each
