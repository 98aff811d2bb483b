"""Morphing part of a page keeps what the user is doing in it."""

from typing import Any

import pytest

from tests.browser.storage import SHELL
from tests.browser.visitor import Visitor, Visitors

_MORPH = f"""async ([shown, fresh, typed]) => {{
  const {{ live$morph: {{ morph }} }} = {SHELL};
  const [box, other] = [document.createElement("div"), document.createElement("div")];
  [box.innerHTML, other.innerHTML] = [shown, fresh];
  document.body.append(box);
  const before = [...box.querySelectorAll("[id]")];
  for (const [place, field] of Object.entries(typed)) {{
    Object.assign(box.querySelector(place), field);
  }}
  morph(box.firstElementChild, other.firstElementChild);
  const fields = [...box.querySelectorAll("input, select, textarea")];
  const result = [box.innerHTML, fields.map(({{ value }}) => value)];
  const isSame = before.every((each) => [each, null].includes(box.querySelector(`#${{each.id}}`)));
  box.remove();
  return [...result, isSame];
}}"""


@pytest.fixture
async def page(visitors: Visitors) -> Visitor:
    visitor = await visitors.arrive()
    await visitor.go("/design")
    return visitor


async def morph(page: Visitor, shown: str, fresh: str, **typed: Any) -> tuple[str, list[str]]:
    """Morph the page and return its HTML and field values; no element may be created twice."""
    html, values, is_same = await page.page.evaluate(_MORPH, [shown, fresh, typed])
    assert is_same
    return html, values


@pytest.mark.parametrize(
    ("shown", "fresh"),
    [
        ("<p class='a' title='x'>1</p>", "<p class='b' lang='sv'>2</p>"),
        ("<p>a<b>b</b>c</p>", "<p>1<i>2</i>3<b>4</b></p>"),
        ("<p>a<b>b</b>c</p>", "<p>c</p>"),
        ("<p>a<b>b</b><b>c</b></p>", "<p><b>1</b></p>"),
        ("<p>a</p>", "<p><b>b</b>a<!-- c --></p>"),
        (
            "<ul><li id='a'>1</li><li id='b'>2</li></ul>",
            "<ul><li id='b'>3</li><li id='a'>4</li></ul>",
        ),
        (
            "<ul><li id='a'>1</li></ul>",
            "<ul><li id='c'>0</li><li id='a'>1</li><li id='b'>2</li></ul>",
        ),
        ("<ul><li id='a'>1</li><li id='b'>2</li></ul>", "<ul><li id='b'>2</li></ul>"),
        ("<ul> <li id='a'>1</li> <li>2</li></ul>", "<ul> <li>2</li> <li id='a'>1</li></ul>"),
        ("<div><b id='a'></b><i>1</i></div>", "<div><i>2</i></div>"),
        (
            "<div><section aria-labelledby='a'><i>1</i></section></div>",
            "<div><section aria-labelledby='b'><b>2</b></section></div>",
        ),
        (
            "<select><option value='1'>one</option></select>",
            "<select><option value='2'>two</option><option value='1'>One</option></select>",
        ),
    ],
)
async def test_morph_updates_unused_form(page: Visitor, shown: str, fresh: str) -> None:
    assert (await morph(page, shown, fresh))[0] == fresh.replace("'", '"')


async def test_morph_keeps_open_details_and_drawn_parts(page: Visitor) -> None:
    shown = '<details open="" data-from="/a" class="x"><i>1</i></details>'
    html, _ = await morph(page, shown, "<details data-from='/b'><i>2</i></details>")
    assert html == '<details open="" data-from="/b"><i>2</i></details>'
    html, _ = await morph(page, "<p data-drawn=''>1</p>", "<p data-drawn='' title='x'>2</p>")
    assert html == '<p data-drawn="" title="x">1</p>'


FIELDS = """<form>
<input name="a" value="1"><input type="checkbox" name="b" value="y"><textarea name="c">2</textarea>
<select name="d"><option>3</option><option>4</option></select></form>"""
FRESH = FIELDS.replace("1", "7").replace(">2<", ">8<").replace("<form>", '<form class="x">')


async def test_morph_updates_unchanged_fields(page: Visitor) -> None:
    html, values = await morph(page, FIELDS, FRESH)
    assert (html, values) == (FRESH, ["7", "y", "8", "3"])
    html, values = await morph(page, "<p><input value='1'></p>", "<p><input value='2'></p>")
    assert values == ["2"]


@pytest.mark.parametrize(
    "typed",
    [
        {"input": {"value": "5"}},
        {"input[type=checkbox]": {"checked": True}},
        {"textarea": {"value": "6"}},
        {"select": {"selectedIndex": 1}},
    ],
    ids=str,
)
async def test_morph_keeps_form_with_changed_field(page: Visitor, typed: dict[str, Any]) -> None:
    assert (await morph(page, FIELDS, FRESH, **typed))[0] == FIELDS


@pytest.mark.parametrize("mark", ["data-sent", "data-waiting", "data-typed"])
async def test_morph_keeps_used_form_if_its_place_is_gone(page: Visitor, mark: str) -> None:
    form = f'<form {mark}=""><i>1</i></form>'
    html, _ = await morph(page, form, "<form><i>2</i></form>")
    assert html == form
    shown = f'<ul><li id="a">{form}</li><li id="b">2</li></ul>'
    html, _ = await morph(page, shown, '<ul><li id="b">3</li><li id="c">4</li></ul>')
    assert html == f'<ul><li id="a">{form}</li><li id="b">3</li><li id="c">4</li></ul>'


async def test_morph_keeps_unnamed_form_if_siblings_go(page: Visitor) -> None:
    form = '<form data-typed=""></form>'
    html, _ = await morph(page, f"<div><p>1</p>{form}<p>2</p></div>", "<div><p>3</p></div>")
    assert html == f"<div><p>3</p>{form}</div>"


async def test_morph_keeps_row_with_pending_press(page: Visitor) -> None:
    row = '<li id="a">5<form data-waiting=""></form></li>'
    html, _ = await morph(page, f"<ul>{row}</ul>", '<ul><li id="a">4<form></form></li></ul>')
    assert html == f"<ul>{row}</ul>"
