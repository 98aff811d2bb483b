"""`python -m scripts.catalogues`: collect all messages into the template and update the catalogues.

New messages get an empty translation, and removed ones disappear.
"""

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
"""The functions that mark messages; `gettext` stands for `trans` blocks."""
HEAD = ("Language:", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
"""The headers of a catalogue to keep; the others change with time and tools."""

NOTES = {
    "Activity": "a heading: who changed a count, and how",
    "All": "books of every state",
    "Add": "a button",
    "Alerts": "the page of items that run low",
    "Archive": "a button: keep an item no longer; it is out of the way, but not deleted",
    "Archived": "a state: an item that is not kept any more, but not deleted",
    "By tag": "how a count was changed: by touching an NFC tag",
    "Bought": "a heading: items that are bought and not put away yet; also when a book was bought",
    "Change": "a column: by how much a count changed",
    "Count": "a column: how many there were after a change",
    "Counted": "how a count was changed: by counting",
    "Dark": "dark colours, a choice of appearance",
    "Decide": "a button: decide about a child's wish",
    "Decided": "a heading: wishes that were answered",
    "Dismiss": "a button: this alert needs no attention any more",
    "Edit": "a button: change an item, a book or a note",
    "Finished": "of a book: a button that says so, and a column with how many were",
    "Home": "the first of the four places: Home, Stock, List, Books",
    "Invited": "a heading: people who were invited and have not answered",
    "Join": "a button that accepts an invitation to a family",
    "Leave": "a button: leave the family",
    "Light": "light colours, a choice of appearance",
    "List": "the shopping list, one of the four places",
    "None": "a choice among pictures: no picture",
    "Note": "a few words about an item",
    "Place": "a field: where an item is kept, or where a tag is",
    "Places": "where items are kept and bought; also the bar with Home, Stock, List, Books",
    "Put away": "what was bought goes into the cupboard, and its count goes up",
    "Read": "a state of books: those that were read",
    "Reading": "a state of books: those that one is in",
    "Remove": "a button: remove a person from the family",
    "Search": "a button: search",
    "Share": "a button: share the list with other people",
    "Shop": "a field: where an item or a book is bought",
    "Shopping": "the name that a copy of the shopping list gets",
    "Show": "before a row of filters, such as Everything or Running low",
    "Stay": "a button: do not leave",
    "Stock": "all that is at home, one of the four places",
    "Tags": "NFC stickers or printed codes on the shelf",
    "To read": "a state of books: those that wait on the shelf",
    "Turn off": "a button: turn off a tag",
    "Undo": "a button",
    "Undone": "how a count was changed: an earlier change was undone",
    "Unit": "what is counted: bottles, rolls, kilos",
    "When": "a column",
    "Where": "a field: where or from whom a book was bought; a column: where an item is kept",
    "Wishes": "what children ask for",
    "You": "a heading: name and address of the reader",
    "all gone": "nothing is left of an item",
    "bought": "a badge: it is bought, and not put away yet",
    "current": "a badge: the family that one is in now",
    "new": "a badge: an alert or a place that is new",
    "nothing": "stands for an empty field: Yours: 2. Theirs: nothing.",
    "something": "stands for a wish whose name is not known: Emma is asking for something",
}
"""Notes for translators on ambiguous words."""


def template() -> Catalog:
    catalog = _empty()
    plurals: dict[str, str] = {}
    for path, message, comments, context in _extract_messages():
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


def update(path: Path, template: Catalog) -> Catalog:
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


def serialize(catalog: Catalog) -> str:
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


def _extract_messages() -> Iterator[tuple[str, str | tuple[str, ...], list[str], str | None]]:
    package = ROOT / "homeshelf"
    for name, _line, message, comments, context in extract_from_dir(
        package, METHODS, OPTIONS, KEYWORDS
    ):
        yield f"homeshelf/{name}", message, comments, context


def main() -> None:
    found = template()
    TEMPLATE.write_text(serialize(found))
    for path in catalogues():
        path.write_text(serialize(update(path, found)))


if __name__ == "__main__":
    main()
