"""What scripts say comes with the page, so that it can be said in another language."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import homeshelf
from homeshelf.web.assets import static_files

PACKAGE = Path(homeshelf.__file__).parent
SCRIPTS = {
    name.removeprefix("js/"): path for name, path in static_files().items() if path.suffix == ".js"
}
CODES = {"Accept", "Date", "Enter", "Escape", "Notification", "Store", "Suggestion", "button span"}
CODES |= {"(prefers-reduced-motion: reduce)"}
HEARD = {"shopping/typed.js", "shopping/amounts.js", "shopping/typing/units.js"}
"""What people type, in all languages at once, is understood by these: they say nothing."""
WORDS = {
    name: "taps/templates/tap.html"
    for name in SCRIPTS
    if name.partition("/")[0].removesuffix(".js") == "tap" and name != "tap/shell.js"
}
"""The page that gives its words to scripts that stand on no other."""

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""",
    re.DOTALL,
)
_SELECTS = re.compile(r"(?:querySelector(?:All)?|closest|matches)\(\s*$")
_WORDS = re.compile(r"^[A-Z][a-z]+[.!?…]?$|[a-z•,:] [a-z•]|[a-z•][.!?…]$|[A-Z][a-z]+,? [a-zA-Z]")


def sentences(script: str) -> Iterator[str]:
    """Literals that people would read: some words, or one that begins with a capital."""
    for found in _TOKEN.finditer(script):
        if found["text"] is None or _SELECTS.search(script[: found.start()]):
            continue
        text = re.sub(r"\$\{[^}]*\}", "•", found["text"][1:-1])
        if _WORDS.search(text) and text not in CODES:
            yield text


@pytest.mark.parametrize("name", sorted({*SCRIPTS} - HEARD))
def test_no_script_holds_a_sentence(name: str) -> None:
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
def test_what_one_would_hold_is_noticed(script: str) -> None:
    assert list(sentences(script))


class Given(HTMLParser):
    """The keys of the words that a template gives to scripts."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.keys: set[str] = set()
        self.feed(re.sub(r"{%.*?%}|{{.*?}}", "", source))

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        if ("id", "words") in attrs:
            names = (name.removeprefix("data-") for name, _ in attrs if name != "id")
            self.keys |= {re.sub(r"-(.)", lambda m: m[1].upper(), name) for name in names}


def test_pages_give_all_words_and_no_others() -> None:
    for page in ("web/templates/words.html", "taps/templates/tap.html"):
        scripts = "".join(
            path.read_text()
            for name, path in SCRIPTS.items()
            if WORDS.get(name, "web/templates/words.html") == page
        )
        given = Given((PACKAGE / page).read_text()).keys
        assert given
        assert {key for key in given if f'"{key}"' not in scripts} == set()
        asked = re.findall(r'\b(?:words|counted)\([^()"]*"(\w+)"(?: : "(\w+)")?', scripts)
        assert {key for keys in asked for key in keys if key} <= given
