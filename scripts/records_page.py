"""`python -m scripts.records_page`: write `docs/records.md` with all records, keys and queries."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import homeshelf
from homeshelf.table import Key, Record
from homeshelf.table.expressions import All, Compare, Condition, OneOf
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix
from scripts.access_patterns import AccessPattern, access_patterns_of, records_of

PAGE = Path(__file__).parents[1] / "docs" / "records.md"
HEAD = """# Records

Look up the keys and access patterns of every record, by feature. In a key, `{name}` stands for the
value of an attribute, `{name|WORD}` has a word for null, `{name:010}` is a number with ten digits,
`{name:bare}` is lower case without dashes, and `{name:rest}` is any text up to the end of the key.
[The table layer](table.md) explains how the code uses them.

`make fix` generates this page from the code.
"""


def page() -> str:
    parts = [HEAD]
    for package in _packages():
        modules = list(_modules(package))
        records = [record for module in modules for record in records_of(module)]
        questions = [question for module in modules for question in access_patterns_of(module)]
        if records:
            name = package.__name__.rpartition(".")[2]
            parts.append(f"## {name}\n\n{_first_words(package)}\n")
        parts += [
            _section(record, [each for each in questions if each.record is record])
            for record in records
        ]
    return "\n".join(parts)


def every_record() -> Iterator[type[Record]]:
    for package in _packages():
        for module in _modules(package):
            yield from records_of(module)


def _packages() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(homeshelf.__path__, "homeshelf."):
        if found.ispkg:
            yield importlib.import_module(found.name)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def _section(record: type[Record], questions: list[AccessPattern]) -> str:
    words = _first_words(record)
    lines = [f"### {record.__name__}", "", *([words, ""] if words else [])]
    lines += [f"| in `{record.table.name}` | |", "| --- | --- |"]
    lines += [f"| `{name}` | {_cell(f'`{text}`')} |" for name, text in record.keys.items()]
    if questions:
        lines += ["", "| access pattern | function | keys |", "| --- | --- | --- |"]
        lines += [_row(question) for question in questions]
    return "\n".join(lines) + "\n"


def _row(question: AccessPattern) -> str:
    function = question.function
    name = f"{function.__module__.removeprefix('homeshelf.')}.{function.__name__}"
    words = _first_words(function) or function.__name__.replace("_", " ").capitalize()
    return f"| {words} | `{name}` | {_cell(_keys(question))} |"


def _keys(question: AccessPattern) -> str:
    asked, templates = question.read, question.record.keys
    if isinstance(asked, Key):
        names = (asked.table.partition, asked.table.sort)
        return ", ".join(f"`{name}` = `{templates[name]}`" for name in names)
    partition, sort = asked.cursor_attributes[0], f", `{asked.cursor_attributes[1]}`"
    keys = f"`{partition}` = `{templates[partition]}`"
    match asked.sort:
        case Equals(value):
            keys += f"{sort} = {_value_text(question, value)}"
        case Prefix(value):
            keys += f"{sort} begins with {_value_text(question, value)}"
        case Between(low, high):
            keys += f"{sort} from {_value_text(question, low)} to {_value_text(question, high)}"
    filters = "".join(_filters(question, asked.filter))
    return keys + filters + (", in reverse order" if asked.descending else "")


def _filters(question: AccessPattern, condition: Condition | None) -> Iterator[str]:
    match condition:
        case Compare(name, operator, value) if name != "entityType":
            yield f", where `{name}` {operator} {_value_text(question, value)}"
        case OneOf(name, values):
            choice = " or ".join(_value_text(question, value) for value in values)
            yield f", where `{name}` is {choice}"
        case All(parts):
            for part in parts:
                yield from _filters(question, part)


def _value_text(question: AccessPattern, value: object) -> str:
    text = str(value).replace(HIGHEST, "…")
    for stand_in, name in question.names.items():
        text = text.replace(stand_in, f"{{{name}}}")
    return f"`{text}`"


def _first_words(thing: Any) -> str:
    """Return the first paragraph of the docstring on one line."""
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
    return _cell(re.sub(r"\s+", " ", text))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
