"""Test that handlers contain no rules: limits, roles and writes belong to the store."""

import ast
from pathlib import Path

import pytest

NAMES = ("api", "pages")
HANDLERS = [
    path
    for path in sorted((Path(__file__).parents[1] / "homeshelf").glob("*/*.py"))
    if path.stem in NAMES or path.stem.endswith(tuple(f"_{name}" for name in NAMES))
]
RULES = {
    "after_commit": "follow-up work",
    "batch": "a write",
    "commit": "a write",
    "put": "a write",
    "require_admin": "a role",
    "take": "a limit",
    "take_rest": "a limit",
    "transact": "a write",
    "write": "a write",
}


@pytest.mark.parametrize("path", HANDLERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_handlers_contain_no_limits_roles_or_writes(path: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            declares_route = owner.endswith("router")
            if node.func.attr in RULES and not declares_route:
                found.append(f"{RULES[node.func.attr]} on line {node.lineno}")
    assert found == []
