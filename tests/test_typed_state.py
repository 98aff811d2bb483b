"""Test that no state is attached to the application or a request without a type."""

import ast
import sys
from collections.abc import Iterator
from types import FunctionType

from fastapi.routing import APIRoute, iter_route_contexts

from tests.rooms import PROGRAM
from tests.routes import app

ACCESSOR = "web/services.py"
BY_LIBRARIES = {"__wrapped__", "jinja_pass_arg"}


def test_only_the_accessor_of_services_reads_the_state_of_the_application() -> None:
    files = {
        str(path.relative_to(PROGRAM))
        for path in PROGRAM.rglob("*.py")
        for _ in untyped_state(ast.parse(path.read_text()))
    }
    assert files == {ACCESSOR}


def test_functions_have_no_added_attributes() -> None:
    routes = [*iter_route_contexts(app().routes)]
    functions = {
        each.endpoint for route in routes if isinstance(each := route.original_route, APIRoute)
    }
    assert len(functions) > 200
    functions |= {
        value
        for name, module in sys.modules.items()
        if name.startswith("homeshelf")
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == name
    }
    assert not {
        f"{each.__module__}.{each.__qualname__}"
        for each in functions
        if vars(each).keys() - BY_LIBRARIES
    }


def test_untyped_state_is_found() -> None:
    texts = (
        "request.state.cookie = 1",
        "view.request.app.state.hub",
        "getattr(app.state, 'hub', None)",
        "scope['state']['cookie']",
    )
    assert all([*untyped_state(ast.parse(text))] for text in texts)
    assert not [*untyped_state(ast.parse("self.state.tasks; entry.state; item['state']"))]


def untyped_state(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="app" | "request"), attr="state"):
                yield node
            case ast.Attribute(value=ast.Attribute(attr="app" | "request"), attr="state"):
                yield node
            case ast.Subscript(value=ast.Name(id="scope"), slice=ast.Constant(value="state")):
                yield node
