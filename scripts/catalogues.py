"""`python -m scripts.catalogues` gathers every sentence into the template of the catalogues, and
brings it into each of them: what is new is empty there, what is gone goes."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "homeshelf" / "languages"
TEMPLATE = FOLDER / "homeshelf.pot"
JINJA = "jinja2.ext:babel_extract"
METHODS = [
    ("**.py", "python"),
    ("**/design.html", "ignore"),  # for those who build pages, in English
    ("**/templates/**.html", JINJA),
    ("**/templates/**.txt", JINJA),
]
OPTIONS = {
    name: {"silent": "false", "trimmed": "true", "newstyle_gettext": "true"}
    for name, method in METHODS
    if method == JINJA
}
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "plural_forms": (1, 2)}
"""`gettext` is what a `trans` block comes to."""
HEAD = ("Language:", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
"""The lines of a catalogue's head that say something; the others change with time and tools."""

NOTES = {
    "All": "books of every state",
    "Add": "a button",
    "At its tag": "how a count was changed: by touching an NFC tag",
    "Bought": "a heading: things that are bought and not put away yet",
    "Change": "a button: change what is shown",
    "Come in": "a button that accepts an invitation to a family",
    "Counted": "how a count was changed: somebody counted",
    "Dark": "dark colours, as a choice of looks",
    "Decide": "a button: decide about a child's wish",
    "Decided": "a heading: wishes that were answered",
    "Difference": "a column: by how much a count changed",
    "Find": "a button: search",
    "Finished": "of a book: a button that says so, and a column with how many were",
    "Home": "the first of the four places: Home, Stock, List, Books",
    "Invited": "a heading: people who were invited and have not answered",
    "Keep": "a button: keep this rating",
    "Leave": "a button: leave the family",
    "Light": "light colours, as a choice of looks",
    "List": "the shopping list, one of the four places",
    "Looks": "a heading: how pages look, light or dark",
    "None": "a choice among pictures: no picture",
    "Note": "a few words that somebody writes about a thing",
    "Notices": "what runs low is told here",
    "Places": "where things are kept and bought; also the bar with Home, Stock, List, Books",
    "Put away": "what was bought goes into the cupboard, and its count goes up",
    "Put aside": "not kept any more: out of the way, but not deleted",
    "Read": "a state of books: those that were read",
    "Reading": "a state of books: those that one is in",
    "Remove": "a button: remove somebody from the family",
    "Scan it": "a button: read a barcode with the camera",
    "Seen": "a button and a badge: this notice was seen",
    "Share": "a button: hand the list to somebody",
    "Shopping": "the name that a list gets when what is to be bought is handed on",
    "Shop": "a field: where a book was bought",
    "Show": "before a row of filters, such as Everything or Running low",
    "Stay": "a button: do not leave",
    "Stock": "all that is at home, one of the four places",
    "Stop": "a button: stop a tag, or the camera",
    "Tags": "NFC stickers or printed codes on the shelf",
    "Taken back": "how a count was changed: what was done before was undone",
    "Then": "a column: how many there were after it",
    "To read": "a state of books: those that wait on the shelf",
    "Undo": "a button",
    "Unit": "what is counted: bottles, rolls, kilos",
    "When": "a column",
    "Where": "a field: where or with whom a book was bought",
    "Wishes": "what children ask for",
    "You": "a heading: name and address of the one who reads it",
    "bought": "a badge: it is bought, and not put away yet",
    "gone": "nothing of it is left",
    "here": "a badge: in this family one is now",
    "new": "a badge: nobody has seen it yet",
    "nothing": "stands for an empty field: Here: 2. There: nothing.",
    "something": "stands for a wish whose name is not known: Emma asks for something",
}
"""Notes for translators on ambiguous words."""


def template() -> Catalog:
    catalog = _empty()
    plurals: dict[str, str] = {}
    for path, message, comments, context in _sentences():
        one, several = (message, "") if isinstance(message, str) else message
        if plurals.setdefault(one, several) != several:
            raise LookupError(f"{one!r} is said with a plural and without, or with another")
        catalog.add(message, None, [(path, 0)], auto_comments=comments, context=context)
    for text, note in NOTES.items():
        found = catalog.get(text)
        if found is None:
            raise LookupError(f"there is a note about {text!r}, and nobody says it")
        found.auto_comments.append(note)
    return catalog


def updated(path: Path, template: Catalog) -> Catalog:
    catalog = read(path)
    catalog.update(template, no_fuzzy_matching=True)
    for message in catalog:
        if not any(message.string or ()):  # a sentence that got a plural, or lost it
            message.flags.discard("fuzzy")
    catalog.header_comment = template.header_comment
    return catalog


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=None if path == TEMPLATE else path.stem)


def written(catalog: Catalog) -> str:
    file = BytesIO()
    write_po(file, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    head, gap, sentences = file.getvalue().decode().partition("\n\n")
    fields = re.findall(r'^".*?\\n"$', head, re.MULTILINE | re.DOTALL)
    kept = [field for field in fields if field[1:].startswith(HEAD)]
    return "\n".join([head.partition('\n"')[0], *kept]) + gap + sentences


def catalogues() -> list[Path]:
    return sorted(FOLDER.glob("*.po"))


def _empty(locale: str | None = None) -> Catalog:
    return Catalog(
        locale,
        project="Homeshelf",
        version="",
        header_comment="# What Homeshelf says. `make fix` keeps this in step with the code.",
        fuzzy=False,
    )


def _sentences() -> Iterator[tuple[str, str | tuple[str, ...], list[str], str | None]]:
    package = ROOT / "homeshelf"
    for name, _line, message, comments, context in extract_from_dir(
        package, METHODS, OPTIONS, KEYWORDS
    ):
        yield f"homeshelf/{name}", message, comments, context


def main() -> None:
    found = template()
    TEMPLATE.write_text(written(found))
    for path in catalogues():
        path.write_text(written(updated(path, found)))


if __name__ == "__main__":
    main()
