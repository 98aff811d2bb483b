"""What is left of a page in our letters, when its language has none of them."""

import re
from html.parser import HTMLParser

SPOKEN = {"alt", "aria-description", "aria-label", "data-title", "label", "placeholder", "title"}
UNSEEN = {"script", "style"}
NAMES = re.compile(
    r"Homeshelf|homeshelf user reset-password|https?://\S+|\S+@\S+|home\.test\S*|/s\b"
    r"|\b(EUR|Letter|a test|caviar)\b|python-httpx/\S+|[a-z]{3}-[a-z]{3}-\d{5}"
)
"""Names, addresses and codes are the same in every language."""
VALUES = re.compile(r"\{\w+\}")
LETTERS = re.compile(r"[A-Za-z]{2,}[^<]*")


def plain_in(html: str) -> list[str]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    found = (VALUES.sub("", NAMES.sub("", " ".join(text.split()))) for text in reader.found)
    return [text for text in found if LETTERS.search(text)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unseen = 0
        self._others = ""
        """The tag of what is said to be in a language of its own, or is a code."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._unseen += tag in UNSEEN
        if tag != "html" and ("lang" in values or values.get("id") == "timeZone"):
            self._others = tag
        if values.get("name") == "description":
            self.found.append(values.get("content", ""))
        for name, value in values.items():
            if name in SPOKEN:
                self.found.append(value)
            elif tag == "template" and name.startswith("data-"):
                self.found.append(re.sub(r'"(zero|one|two|few|many|other)": ', "", value))

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in UNSEEN
        if tag == self._others:
            self._others = ""

    def handle_data(self, data: str) -> None:
        if not self._unseen and not self._others:
            self.found.append(data)
