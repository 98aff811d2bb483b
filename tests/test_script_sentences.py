"""Test that scripts contain no sentences of their own."""

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import homeshelf
from homeshelf.web.assets import static_files
from tests.rooms import SLICES

PACKAGE = Path(homeshelf.__file__).parent
SCRIPTS = {
    name.removeprefix("js/"): path for name, path in static_files().items() if path.suffix == ".js"
}
CODES = {"Accept", "Date", "Enter", "Escape", "Member", "Notification", "Store", "Suggestion"}
CODES |= {"button span", "(prefers-reduced-motion: reduce)"}
HEARD = {"shopping/entry-parser.js", "shopping/amounts.js", "shopping/typing/units.js"}
"""The scripts that parse the words people type in any language."""
WORDS = {
    name: "taps/templates/tap.html"
    for name in SCRIPTS
    if name.partition("/")[0].removesuffix(".js") == "tap" and name != "tap/shell.js"
}

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""",
    re.DOTALL,
)
_SELECTS = re.compile(r"(?:querySelector(?:All)?|closest|matches)\(\s*$")
_WORDS = re.compile(r"^[A-Z][a-z]+[.!?…]?$|[a-z•,:] [a-z•]|[a-z•][.!?…]$|[A-Z][a-z]+,? [a-zA-Z]")


def sentences(script: str) -> Iterator[str]:
    for found in _TOKEN.finditer(script):
        if found["text"] is None or _SELECTS.search(script[: found.start()]):
            continue
        text = re.sub(r"\$\{[^}]*\}", "•", found["text"][1:-1])
        if _WORDS.search(text) and text not in CODES:
            yield text


@pytest.mark.parametrize("name", sorted({*SCRIPTS} - HEARD))
def test_scripts_contain_no_sentences(name: str) -> None:
    assert list(sentences(SCRIPTS[name].read_text())) == []


@pytest.mark.parametrize(
    "script",
    [
        'toast("No signal: that was not saved.");',
        "toast(`${name} is back.`);",
        'toast(text, { word: "Undo" });',
        'button.textContent = busy ? "stop it" : "";',
        "title.textContent = `${name}?`;",
        "label.textContent = `${done} of ${total}`; // so far",
        "say(`Page ${page}: kept`);",
    ],
)
def test_sentence_in_a_script_is_found(script: str) -> None:
    assert list(sentences(script))


class Given(HTMLParser):
    def __init__(self, *names: str) -> None:
        super().__init__()
        self.keys: set[str] = set()
        for path in (PACKAGE / name for name in names):
            self.feed(re.sub(r"{%.*?%}|{{.*?}}", "", path.read_text()) if path.exists() else "")

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        if ("id", "words") in attrs or ("class", "words") in attrs:
            names = (name.removeprefix("data-") for name, _ in attrs if name.startswith("data-"))
            self.keys |= {re.sub(r"-(.)", lambda m: m[1].upper(), name) for name in names}


SHARED = Given("web/templates/words.html", "web/templates/camera_words.html").keys


def test_every_page_provides_exactly_the_shared_words() -> None:
    assert {key for key in SHARED if f'"{key}"' not in _scripts(SCRIPTS)} == set()
    assert _asked(_of("web")) <= SHARED


@pytest.mark.parametrize("name", SLICES)
def test_slices_provide_exactly_the_words_of_their_scripts(name: str) -> None:
    given = Given(f"{name}/templates/words.html").keys
    assert {key for key in given if f'"{key}"' not in _scripts(_of(name))} == set()
    assert _asked(_of(name) - {*WORDS}) <= given | SHARED


@pytest.mark.parametrize("name", SLICES)
def test_scripts_pass_every_value_that_a_message_shows(name: str) -> None:
    template = PACKAGE / name / "templates/words.html"
    text = template.read_text() if template.exists() else ""
    messages = {
        re.sub(r"-(.)", lambda m: m[1].upper(), key): set(re.findall(r"{(\w+)}", message))
        for key, message in re.findall(r'data-([\w-]+)="{{(.*?)}}"', text, re.DOTALL)
    }
    calls = re.findall(r'\bwords\("(\w+)", {([^}]*)}', _scripts(_of(name)))
    incomplete = [
        key
        for key, values in calls
        if messages.get(key, set()) - {*re.findall(r"(?:^|,)\s*(\w+)", values)}
    ]
    assert incomplete == []


def test_tag_page_provides_its_words() -> None:
    given = Given("taps/templates/tap.html").keys
    assert given
    assert {key for key in given if f'"{key}"' not in _scripts(WORDS)} == set()
    assert _asked(WORDS) <= given


def _of(room: str) -> set[str]:
    return {name for name, path in SCRIPTS.items() if room in path.relative_to(PACKAGE).parts[:1]}


def _scripts(names: Iterable[str]) -> str:
    return "".join(SCRIPTS[name].read_text() for name in names)


def _asked(names: Iterable[str]) -> set[str]:
    asked = re.findall(r'\b(?:words|pluralize)\([^()"]*"(\w+)"(?: : "(\w+)")?', _scripts(names))
    return {key for keys in asked for key in keys if key}
