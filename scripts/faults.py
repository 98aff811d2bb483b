"""Find the places in a source where one small fault can be put."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_OPPOSITE = (
    (ast.Eq, ast.NotEq),
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
)
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = dict(
    pair for one, other in _OPPOSITE for pair in ((one, other), (other, one))
)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_DECORATION = re.compile(r"\{\{-? *icon\([^()]*\) *-?\}\}|\{\{.*\|hue *\}\}")
"""Icons and colours, which are left out because text beside them says the same."""


@dataclass(frozen=True)
class Fault:
    """A part of a file with the text that replaces it."""

    path: Path
    line: int
    kind: str
    start: int
    end: int
    instead: str

    def put_into(self, source: bytes) -> bytes:
        return source[: self.start] + self.instead.encode() + source[self.end :]

    def describe(self, source: bytes) -> str:
        before = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line}: {self.kind}: {before} -> {self.instead or 'nothing'}"


def faults_in(root: Path, path: Path) -> list[Fault]:
    """Return every fault that can be put into the file, in order."""
    source = (root / path).read_bytes()
    found = _in_template(path, source) if path.suffix == ".html" else _in_python(path, source)
    return sorted(found, key=lambda fault: (fault.start, fault.end, fault.kind))


def _in_template(path: Path, source: bytes) -> Iterator[Fault]:
    text = source.decode()
    for match in _PLACEHOLDER.finditer(text):
        if _DECORATION.fullmatch(match[0]):
            continue
        start, end = (len(text[:place].encode()) for place in match.span())
        line = text.count("\n", 0, match.start()) + 1
        yield Fault(path, line, "a field removed", start, end, "")


def _in_python(path: Path, source: bytes) -> Iterator[Fault]:
    lines = [0]
    for text in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(text))

    def fault(kind: str, node: ast.expr | ast.stmt, instead: str) -> Fault:
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return Fault(path, node.lineno, kind, start, end, instead)

    for node in _executed_nodes(ast.parse(source)):
        match node:
            case ast.Compare(ops=[op], left=left, comparators=[right]):
                opposite = f"({ast.unparse(ast.Compare(left, [OPPOSITES[type(op)]()], [right]))})"
                yield fault("a comparison turned", node, opposite)
            case ast.Constant(value=bool(value)):
                yield fault("a constant moved", node, str(not value))
            case ast.Constant(value=int(value)):
                yield fault("a constant moved", node, str(value + 1))
            case ast.If(test=test) | ast.IfExp(test=test):
                yield fault("a condition dropped", test, "False")
            case ast.BoolOp(values=[first, *_]):
                yield fault("a condition dropped", node, f"({ast.unparse(first)})")
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield fault("a call left out", node, "pass")
            case _:
                pass


def _executed_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run, without annotations and code for type checkers."""
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns", "type_params", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_for_type_checkers(child):
                yield child
                yield from _executed_nodes(child)


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
