from typing import Any

import pytest
from hypothesis import strategies as st

from homeshelf.errors import Invalid
from homeshelf.signing import Signer
from homeshelf.web.paging import Paging
from tests.cases import for_long, fuzz
from tests.home import new_home
from tests.running import Person, RunningApp, problem_of

NOT_A_PAGE = (400, "validation")


async def with_sessions(running: RunningApp, name: str, number: int) -> Person:
    person = await running.person(name)
    for _ in range(number - 1):
        await running.session_of(person.member_id)
    return person


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.5", "x", "", "1e1"])
async def test_invalid_limit_returns_400_that_names_it(running: RunningApp, limit: str) -> None:
    ada = await running.person("ada")
    answer = await ada.get("/me/sessions", params={"limit": limit})
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == ["limit"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 7, 100])
async def test_pages_hold_every_item_once_and_the_last_has_no_token(
    running: RunningApp, limit: int
) -> None:
    ada = await with_sessions(running, "ada", 6)
    seen: list[str] = []
    sizes: list[int] = []
    asked: dict[str, str | int] = {"limit": limit}
    while True:
        page = (await ada.get("/me/sessions", params=asked)).json()
        seen += [session["sessionId"] for session in page["items"]]
        sizes.append(len(page["items"]))
        if "nextToken" not in page:
            break
        asked["nextToken"] = page["nextToken"]
    assert len(set(seen)) == len(seen) == 6
    assert sizes[:-1] == [limit] * (len(sizes) - 1)


async def test_default_limit_is_fifty(running: RunningApp) -> None:
    ada = await with_sessions(running, "ada", 51)
    page = (await ada.get("/me/sessions")).json()
    assert len(page["items"]) == 50
    rest = (await ada.get("/me/sessions", params={"nextToken": page["nextToken"]})).json()
    assert (len(rest["items"]), "nextToken" in rest) == (1, False)


async def test_token_of_another_caller_or_list_is_refused(
    running: RunningApp,
) -> None:
    home = await new_home(running, "Home", "ada")
    eve = await home.with_member("eve", "admin")
    for _ in range(2):
        await running.session_of(home.admin.member_id)
    params = {"limit": "1"}
    token = (await home.admin.get("/me/sessions", params=params)).json()["nextToken"]
    theirs = await eve.get("/me/sessions", params={"nextToken": token})
    assert problem_of(theirs) == NOT_A_PAGE
    other_list = await home.admin.get("/members", params={"nextToken": token})
    assert problem_of(other_list) == NOT_A_PAGE
    members = (await home.admin.get("/members", params=params)).json()["nextToken"]
    filtered = {"status": "all", "nextToken": members}
    assert problem_of(await home.admin.get("/members", params=filtered)) == NOT_A_PAGE
    wider = {"limit": "5", "nextToken": members}
    assert len((await home.admin.get("/members", params=wider)).json()["items"]) == 1


async def test_unknown_query_parameters_do_not_invalidate_a_token(running: RunningApp) -> None:
    home = await new_home(running, "Home", "ada")
    await home.with_member("eve", "admin")
    first = {"limit": "1", "status": "all", "_": "1"}
    token = (await home.admin.get("/members", params=first)).json()["nextToken"]
    then = {"status": "all", "_": "2", "x": "", "nextToken": token}
    assert len((await home.admin.get("/members", params=then)).json()["items"]) == 1
    filtered = {"status": "active", "_": "1", "nextToken": token}
    assert problem_of(await home.admin.get("/members", params=filtered)) == NOT_A_PAGE


async def test_tampered_token_is_refused(running: RunningApp) -> None:
    ada = await with_sessions(running, "ada", 3)
    token: str = (await ada.get("/me/sessions", params={"limit": "1"})).json()["nextToken"]
    text, _, seal = token.partition(".")
    for wrong in (
        f"{text}.{seal[:-1]}",
        f"{text}x.{seal}",
        f"{text}.",
        f".{seal}",
        text,
        "",
        ".",
        "ünsinn.ünsinn",
        "\x00",
        "x" * 5000,
    ):
        answer = await ada.get("/me/sessions", params={"nextToken": wrong})
        assert problem_of(answer) == NOT_A_PAGE, wrong
        assert [error["field"] for error in answer.json()["errors"]] == ["nextToken"]


marks = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
).filter(lambda mark: mark is not None)
SIGNER = Signer(b"the secret of the tests, which is long enough")


def paged(token: str | None, question: str = "/items?[]", signer: Signer = SIGNER) -> Paging:
    return Paging(1, token, signer, question)


@for_long(150, 3000)
def test_token_returns_its_mark_only_for_its_caller_and_query(examples: int) -> None:
    others = st.text(max_size=5)

    @fuzz(examples, st.text(max_size=5), others, st.text(max_size=5), others, marks)
    def holds(caller: str, other: str, question: str, another: str, mark: Any) -> None:
        token = paged(None, question).following(caller, mark)
        assert paged(token, question).start(caller) == mark
        if other != caller:
            assert _is_refused(token, other, question)
        if another != question:
            assert _is_refused(token, caller, another)
        assert _is_refused(token, caller, question, Signer(b"the secret of another house, as long"))


@for_long(300, 5000)
def test_token_with_one_changed_character_is_refused(examples: int) -> None:
    @fuzz(
        examples,
        marks,
        st.floats(0, 1),
        st.characters(codec="utf-8") | st.just(""),
        st.integers(0, 1),
    )
    def holds(mark: Any, place: float, put: str, gone: int) -> None:
        token = paged(None).following("ada", mark) or ""
        at = int(place * len(token))
        spoiled = token[:at] + put + token[at + gone :]
        assert spoiled == token or _is_refused(spoiled, "ada")


@for_long(200, 5000)
def test_any_invalid_token_gets_the_same_error(examples: int) -> None:
    @fuzz(examples, st.text() | st.lists(st.text("ab_-=.AB", max_size=20)).map(".".join))
    def holds(text: str) -> None:
        assert _is_refused(text, "ada")


def _is_refused(
    token: str | None, caller: str, question: str = "/items?[]", signer: Signer = SIGNER
) -> bool:
    try:
        paged(token, question, signer).start(caller)
    except Invalid:
        return True
    return False
