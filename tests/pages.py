"""Pages without scripts: their text, their links, and their forms to fill in and send.

page = await look(home.admin, "/places")
answer = await page.send("/places/stores", name="Market")
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Protocol

import httpx

from tests.running import Visitor

OURS = {"Origin": "http://home.test", "Accept": "text/html"}


async def see(who: Visitor, path: str, status: int = 200) -> str:
    answer = await who.client.get(path, headers=OURS)
    assert answer.status_code == status, answer.text
    return unescape(answer.text)


async def send(who: Visitor, path: str, **fields: object) -> httpx.Response:
    given = {name: str(value) for name, value in fields.items()}
    return await who.client.post(path, data=given, headers=OURS)


FOREIGN = {"Origin": "http://elsewhere.test", "Accept": "text/html"}
POINTING = ("for", "list", "aria-labelledby", "aria-describedby", "aria-controls")
UNSEEN = {"script", "style", "svg", "title", "template"}


@dataclass
class ShownForm:
    """A form on a page, with its fields and buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    several: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[dict[str, str | None]] = field(default_factory=list)


class Who(Protocol):
    client: httpx.AsyncClient


class Page:
    def __init__(self, who: Who, answer: httpx.Response) -> None:
        self.status = answer.status_code
        self.text = unescape(answer.text)
        self._who = who
        self._read = _Reader(answer.request.url.path)
        self._read.feed(answer.text)

    @property
    def words(self) -> str:
        """Return the visible text on one line."""
        return " ".join("".join(self._read.words).split())

    @property
    def title(self) -> str:
        return self._read.title

    @property
    def links(self) -> Sequence[str]:
        return self._read.links

    @property
    def values(self) -> Sequence[str]:
        return self._read.values

    @property
    def spoken(self) -> Sequence[str]:
        """Return the text that is for screen readers only."""
        return self._read.spoken

    @property
    def lost(self) -> Sequence[str]:
        """Return the ids that labels refer to and that are missing or not unique."""
        ids = Counter(self._read.ids)
        return [each for each in [*self._read.meant, *ids] if ids[each] != 1]

    def has_form(self, action: str) -> bool:
        return any(form.action == action for form in self._read.forms)

    def form(self, action: str) -> ShownForm:
        found = [form for form in self._read.forms if form.action == action]
        assert found, f"no form for {action} among {[form.action for form in self._read.forms]}"
        return found[0]

    async def send(self, action: str, **typed: object) -> httpx.Response:
        form, given = self.form(action), {name: str(value) for name, value in typed.items()}
        pressed = {button.get("name"): button.get("value") for button in form.buttons}
        assert given.keys() <= form.fields.keys() | pressed.keys(), form
        data = {**form.fields, **form.several, **given}
        return await self._who.client.post(action, data=data, headers=OURS)

    def in_order(self, *words: str) -> bool:
        at = 0
        for each in words:
            at = self.words.find(each, at) + len(each)
            if at < len(each):
                return False
        return True


async def look(who: Who, path: str, status: int = 200) -> Page:
    return read(who, await who.client.get(path, headers=OURS), status)


def read(who: Who, answer: httpx.Response, status: int = 200) -> Page:
    page = Page(who, answer)
    assert page.status == status, page.words
    assert not page.lost
    return page


def led_to(answer: httpx.Response) -> str:
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def sent_from_elsewhere(who: Who, path: str) -> int:
    return (await who.client.post(path, data={}, headers=FOREIGN)).status_code


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self.values: list[str] = []
        self.forms: list[ShownForm] = []
        self.title = ""
        self.ids: list[str] = []
        self.meant: list[str] = []
        self.spoken: list[str] = []
        self._path = path
        self._unseen: list[str] = []
        self._select = self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "template" in self._unseen:
            self._unseen += [tag] if tag in UNSEEN else []
            return  # what only scripts bring out
        self.ids += [given["id"] or ""] if "id" in given else []
        self.meant += [each for name in POINTING for each in (given.get(name) or "").split()]
        self.spoken += [given["aria-label"] or ""] if "aria-label" in given else []
        if tag in UNSEEN:
            self._unseen.append(tag)
        elif tag == "a":
            self.links.append(given.get("href") or "")
        elif tag == "input":
            self.values.append(given.get("value") or "")
        if tag == "form":
            self.forms.append(ShownForm(given.get("action") or self._path))
        elif self.forms:
            self._in_form(tag, given)
        self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen and self._unseen[-1] == tag:
            self._unseen.pop()
        if tag == "select":
            self._select = ""
        if tag == "textarea":
            self._textarea = ""

    def handle_data(self, data: str) -> None:
        if self._textarea:
            fields, name = self.forms[-1].fields, self._textarea
            fields[name] = fields[name] + data if fields[name] else data.removeprefix("\n")
        elif self._unseen == ["title"]:
            self.title += data
        elif not self._unseen:
            self.words.append(data)

    def _in_form(self, tag: str, given: dict[str, str | None]) -> None:
        form, name, value = self.forms[-1], given.get("name") or "", given.get("value") or ""
        if tag == "button":
            form.buttons.append(given)
        elif tag == "select":
            self._select = name
        elif tag == "textarea":
            self._textarea = name
            form.fields[name] = ""
        elif tag == "option" and self._select:
            if "selected" in given or self._select not in form.fields:
                form.fields[self._select] = value
        elif tag == "input" and name:
            chosen = given.get("type") not in ("radio", "checkbox") or "checked" in given
            if chosen and name in form.fields and given.get("type") != "radio":
                form.several.setdefault(name, [form.fields[name]]).append(value)
            if chosen:
                form.fields[name] = value
