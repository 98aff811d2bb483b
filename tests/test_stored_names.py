"""Names that a database or a browser stores, or that operators rely on, stay as they are.

`stored_names.cfg` holds them apart from the code, so that a rename of identifiers over the whole
tree does not change them with it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

import homeshelf
from homeshelf import security_log, signing
from homeshelf.app import SLICES, todos_of
from homeshelf.config import read_settings
from homeshelf.coordination.todos import TODOS
from homeshelf.inventory.notices import KINDS
from homeshelf.moving.record_kinds import every_kind
from homeshelf.outbox.channels import modules
from homeshelf.outbox.notifications import NotificationKinds
from homeshelf.outbox.sending import LetterWriters
from homeshelf.outbox.store import OUTBOX
from homeshelf.signing import Signer
from homeshelf.web import health
from homeshelf.web.limits import Limits
from homeshelf.web.services import Services

PACKAGE = Path(homeshelf.__file__).parent
LISTED = ConfigParser(allow_no_value=True, delimiters=("=",), interpolation=None)
LISTED.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation does
LISTED.read(Path(__file__).with_name("stored_names.cfg"))

Names = Mapping[str, str]
"""Each name with the names that belong to it, such as the attributes of a record."""


@pytest.mark.parametrize("section", LISTED.sections())
def test_names_are_those_of_the_list(section: str) -> None:
    listed = {name: value or "" for name, value in LISTED[section].items()}
    assert dict(COLLECTORS[section]()) == listed


def test_list_has_every_section() -> None:
    assert LISTED.sections() == list(COLLECTORS)


def record_attributes() -> Names:
    """Return the attributes by the key templates, without class names, which are not stored."""
    return {
        f"{each.table.name} {' '.join(f'{k}:{v}' for k, v in each.keys.items())}": " ".join(
            each.aliases.values()
        )
        for each in every_kind()
    }


def attribute_values() -> Names:
    """Return the words that attributes are limited to, entity types included."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for record in every_kind():
        for name, field in record.model_fields.items():
            for word in _words(field.annotation):
                found[field.alias or name].add(word)
    return {name: " ".join(sorted(words)) for name, words in found.items()}


def todo_kinds() -> Names:
    return dict.fromkeys(todos_of(_services()), "")


def letter_kinds() -> Names:
    """Return the kinds of letters with what each stores about its message."""
    written = {kind for each in _services().all(LetterWriters) for kind in each.by_kind}
    return {kind: " ".join(sorted(_keywords("letter")[kind])) for kind in written}


def notification_kinds() -> Names:
    """Return the kinds of causes that people are notified of."""
    kinds = _services().all(NotificationKinds)
    return {kind: "" for each in kinds for kind in each.by_kind}


def notice_types() -> Names:
    return {kind.type: kind.notification for kind in KINDS}


def channels() -> Names:
    return {module.__name__.rpartition(".")[2]: "" for module in modules()}


def queues() -> Names:
    """Return the names in the leases of shards, with the partitions of earlier versions."""
    return {queue.name: queue.former for queue in (TODOS, OUTBOX)}


def leases() -> Names:
    return dict.fromkeys(_keywords("hold_lease", argument=1), "")


def attempt_counters() -> Names:
    """Return the kinds of counters with the literal parts of their keys."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, call in _calls()["Count"]:
        kind, about = (_text(module, each) or "*" for each in call.args[:2])
        found[kind].add(about)
    return {kind: ", ".join(sorted(abouts)) for kind, abouts in found.items()}


def signing_purposes() -> Names:
    """Return the purposes with the claims of their tokens."""
    claims = _keywords("token")
    return {each: " ".join(sorted(claims.get(each, ()))) for each in get_args(signing.Purpose)}


def derived_keys() -> Names:
    """Return a signature for each purpose, because keys are derived from the names of purposes."""
    signer = Signer(b"a secret")
    return {each: signer.seal(each, b"a text") for each in get_args(signing.Purpose)}


def log_events() -> Names:
    """Return the events with their fields, for operators who search for them."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for level in ("debug", "info", "warning", "error", "exception"):
        for event, fields in _keywords(level).items():
            found[event] |= fields
    return {event: " ".join(sorted(fields)) for event, fields in found.items()}


def security_events() -> Names:
    """Return the events with their level and the fields that calls name."""
    levels = dict.fromkeys(get_args(security_log.Failure), "warning")
    levels |= dict.fromkeys(get_args(security_log.Change), "info")
    found = _keywords("note"), _keywords("partial", argument=1)
    fields = {
        event: sorted(set().union(*(each.get(event, ()) for each in found))) for event in levels
    }
    return {event: " ".join((level, *fields[event])) for event, level in levels.items()}


def metrics() -> Names:
    """Return the names and types, without times of creation, which one process alone publishes."""
    found = re.findall(
        r"^# TYPE (homeshelf_\w+) (\w+)$", health.render_metrics().decode(), re.MULTILINE
    )
    return {name: kind for name, kind in found if not name.endswith("_created")}


def cookies() -> Names:
    text = re.compile(r'^(?:COOKIE|SIGNED_OUT) = "(.+)"$', re.MULTILINE)
    return {name: "" for path in _sources("*.py") for name in text.findall(path.read_text())}


def browser_names() -> Names:
    """Return IndexedDB's name and those of localStorage, caches, locks, channels and syncs."""
    text = re.compile(r'["`](homeshelf(?!/)[^"`\s]*)["`]')
    return {
        name: ""
        for path in (*_sources("*.js"), *_sources("sw.js"))
        for line in path.read_text().splitlines()
        if not re.search(r"EventListener|CustomEvent|^\s*(//|\*|/\*)", line)
        for name in text.findall(re.sub(r"\$\{.+?\}", "*", line))
    }


def object_stores() -> Names:
    text = re.compile(r'createObjectStore\("(\w+)", \{ (.+) \}\)')
    return {name: key for path in _sources("*.js") for name, key in text.findall(path.read_text())}


def stored_things() -> Names:
    """Return the keys under which browsers store the server's last responses."""
    text = re.compile(r'(?:cacheName: |= \["", "", )"(\w+)"')
    return {name: "" for path in _sources("*.js") for name in text.findall(path.read_text())}


def queued_changes() -> Names:
    """Return the kinds of changes that may wait in a browser for a newer version of its scripts."""
    kinds = re.compile(r"(?:registerKinds\(|export const kinds = )\{(.+?)\}", re.DOTALL)
    sets = [each for path in _sources("kinds.js") for each in kinds.findall(path.read_text())]
    return {name: "" for each in sets for name in re.findall(r'"?([\w.]+)"?(?=:)', each)}


COLLECTORS: dict[str, Callable[[], Names]] = {
    each.__name__: each
    for each in (
        record_attributes,
        attribute_values,
        todo_kinds,
        letter_kinds,
        notification_kinds,
        notice_types,
        channels,
        queues,
        leases,
        attempt_counters,
        signing_purposes,
        derived_keys,
        log_events,
        security_events,
        metrics,
        cookies,
        browser_names,
        object_stores,
        stored_things,
        queued_changes,
    )
}


@cache
def _services() -> Services:
    """Return the parts of the application that name kinds; they touch no database."""
    none: Any = None
    settings = read_settings({})
    return Services(settings, none, Signer(b""), Limits(settings, none), SLICES)


def _words(annotation: Any) -> Iterator[str]:
    for each in get_args(annotation):
        if isinstance(each, str):
            yield each
        else:
            yield from _words(each)


def _sources(pattern: str) -> list[Path]:
    return sorted(PACKAGE.rglob(pattern))


@cache
def _calls() -> Mapping[str, list[tuple[ModuleType, ast.Call]]]:
    """Return the calls of every function in the package with their modules."""
    found = defaultdict(list)
    for path in _sources("[!_]*.py") + _sources("__init__.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module = import_module(name.removesuffix(".__init__"))
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(ast.Name(function) | ast.Attribute(_, function)):
                    found[function].append((module, node))
    return found


def _keywords(function: str, argument: int = 0) -> dict[str, set[str]]:
    """Return the keywords of all calls of a function, by the text of their first argument."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, call in _calls()[function]:
        text = _text(module, call.args[argument]) if len(call.args) > argument else None
        if text is not None:
            found[text] |= {each.arg for each in call.keywords if each.arg}
    return found


def _text(module: ModuleType, node: ast.expr) -> str | None:
    """Return the text of a literal or a constant; of an f-string, with gaps."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.JoinedStr(parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts
            )
        case ast.Name(name):
            found = getattr(module, name, None)
            return found if isinstance(found, str) else None
    return None
