"""`python -m scripts.plain_english`: find sentences that do not read like plain English.

It reads docstrings, comments, names of tests and English messages. A line is exempt if it ends with
`# english: reason`, or, in a script, `// english: reason`.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
CODE = ("homeshelf", "tests", "scripts", "bench", "soak")
CATALOGUE = ROOT / "homeshelf" / "languages" / "homeshelf.pot"
LONGEST_MESSAGE = 120

BEGINNING = re.compile(
    r"(What|Who|Whom|Whose|Of|Those|That|Where|Whoever|Whether|Somebody|Nobody|Everybody"
    r"|If|Because|So|As|Like|For what|Until|Longer|Faster|Instead of|Far)\b"
)
WORDS = re.compile(
    r"\b(whoever|whosoever|thereof|anew|shall|nor|somebody|nobody|everybody)\b", re.IGNORECASE
)
TEST_NAME = re.compile(
    r"test_(what|who|whose|nobody|somebody|everybody)_|test_(it|one|that|those)$"
)
EXEMPT = re.compile(r"(#|//) english: \w+")
SCRIPT_COMMENT = re.compile(r"/\*\*?(?P<block>.*?)\*/|(?<![:\"'`\w])//(?P<line>[^\n]*)", re.DOTALL)

Found = Iterator[tuple[Path, int, str]]


def main() -> int:
    problems = sorted(set(_problems()))
    for path, line, problem in problems:
        sys.stdout.write(f"{path.relative_to(ROOT)}:{line}: {problem}\n")
    return 1 if problems else 0


def _problems() -> Found:
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _without_exempt(path, check_python(path))
    for path in sorted((ROOT / "homeshelf").rglob("*.js")):
        yield from _without_exempt(path, check_script(path))
    yield from check_messages(CATALOGUE)


def check_python(path: Path) -> Found:
    source = path.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and TEST_NAME.match(node.name):
            yield path, node.lineno, f"name of a test: {node.name}"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str):
                yield from _check(path, node.lineno, text, beginnings=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _check(path, token.start[0], token.string)


def check_script(path: Path) -> Found:
    source = path.read_text()
    for match in SCRIPT_COMMENT.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        block = match["block"]
        text = match["line"] if block is None else re.sub(r"\n\s*\*", "\n", block)
        yield from _check(path, line, text, beginnings=block is not None)


def check_messages(catalogue: Path) -> Found:
    with catalogue.open("rb") as file:
        for message in read_po(file):
            forms = [message.id] if isinstance(message.id, str) else list(message.id)
            for text in forms:
                line = message.lineno or 0
                yield from _check(catalogue, line, text)
                if len(text) > LONGEST_MESSAGE:
                    yield catalogue, line, f"{len(text)} characters: {text}"


def _check(path: Path, line: int, text: str, *, beginnings: bool = False) -> Found:
    text = " ".join(text.split())
    if beginnings and BEGINNING.match(text):
        yield path, line, f"beginning: {text[:80]}"
    for word in WORDS.findall(text):
        yield path, line, f"“{word}”: {text[:80]}"


def _without_exempt(path: Path, found: Found) -> Found:
    lines = path.read_text().splitlines()
    for _, number, problem in found:
        if not EXEMPT.search(lines[number - 1]):
            yield path, number, problem


if __name__ == "__main__":
    raise SystemExit(main())
