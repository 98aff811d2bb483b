"""Signing in and out, and their errors."""

from collections.abc import Mapping
from urllib.parse import quote

import pytest

from homeshelf.demo.household import PASSWORD, email_of
from tests.browser.accessibility import find_axe_violations
from tests.browser.demo_household import DemoHousehold
from tests.browser.screens import DARK_DESKTOP
from tests.browser.visitor import Visitor, Visitors, expect

with_and_without_scripts = pytest.mark.parametrize(
    "script", [True, False], ids=["scripts", "without-scripts"]
)


@with_and_without_scripts
async def test_form_error_is_shown_at_its_field(visitors: Visitors, script: bool) -> None:
    visitor = await visitors.arrive(script=script)
    await visitor.go("/sign-up")
    await visitor.write("What should we call you?", "Mina the Second")
    await visitor.write("E-mail", email_of("Mina"))
    await visitor.write("Password", "another password")
    await visitor.press("Sign up")
    email = visitor.field("E-mail")
    await expect(email).to_be_focused()
    await expect(email).to_have_value(email_of("Mina"))
    await expect(email).to_have_attribute("aria-invalid", "true")
    await visitor.sees("There’s already an account with this address. Sign in instead.")
    await expect(visitor.field("What should we call you?")).to_have_value("Mina the Second")
    await expect(visitor.field("Password")).to_have_value("")
    if script:
        assert await find_axe_violations(visitor.page) == []


@with_and_without_scripts
async def test_forgotten_password_page_explains_what_to_do(
    visitors: Visitors, script: bool
) -> None:
    visitor = await visitors.arrive(script=script)
    await visitor.go("/sign-in")
    await visitor.press("Forgot your password?")
    await visitor.reads_above_all("Forgot your password?")
    await visitor.sees("Ask the person who runs it")


@with_and_without_scripts
async def test_mailed_link_sets_new_password(
    visitors: Visitors, household: DemoHousehold, script: bool, unique_name: str
) -> None:
    person = household.create_account(unique_name)
    person.api.close()
    visitor = await visitors.arrive(script=script)
    await visitor.go(f"/reset/{household.reset_token(person)}")
    await visitor.write("New password", "another horse battery")
    await visitor.press("Save password")
    await visitor.reads_above_all("Welcome back")
    await visitor.write("E-mail", person.email)
    await visitor.write("Password", "another horse battery")
    await visitor.press("Sign in")
    await visitor.reads_above_all("What is your home called?")


async def test_no_link_leads_to_another_site(visitors: Visitors, household: DemoHousehold) -> None:
    visitor = await visitors.arrive()
    mina = {"email": email_of("Mina"), "password": PASSWORD}
    for way_on in (
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "/\t/evil.example/",
        "/%0a/evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/@evil.example",
    ):
        where = await _submit_form(visitor, f"/sign-in?next={quote(way_on)}", mina)
        led = await visitor.page.evaluate(
            "([where, base]) => new URL(where, base).origin", [where, household.url]
        )
        assert led == household.url, way_on
        await visitor.context.clear_cookies()


async def test_repeated_submit_creates_one_family(visitors: Visitors, unique_name: str) -> None:
    visitor = await visitors.arrive()
    person = visitors.household.create_account(unique_name)
    await person.sign_in_to(visitor.context)
    await visitor.go("/families/new")
    await visitor.write("Name", "Only one")
    await visitor.found("Move in").dblclick()
    await visitor.reads_above_all(f"Hello {unique_name}")
    await visitor.go("/families")
    await expect(visitor.page.get_by_text("You’re an adult here")).to_have_count(1)
    person.api.close()


async def test_form_sent_twice_leads_to_the_same_page(visitors: Visitors, unique_name: str) -> None:
    """Without scripts a form can be submitted twice, so both requests are carried out."""
    visitor = await visitors.arrive()
    ada = {"name": unique_name, "email": f"{unique_name}@home.local", "password": PASSWORD}
    first = await _submit_form(visitor, "/sign-up", ada)
    assert await _submit_form(visitor, "/sign-up", ada) == first == "/"
    await _submit_form(visitor, "/families/new", {"name": "Ours"})
    ben = {"email": f"ben-{unique_name}@home.local", "role": "suggester"}
    first = await _submit_form(visitor, "/family/invite", ben)
    assert await _submit_form(visitor, "/family/invite", ben) == first
    assert first.startswith("/family/invitations/")


async def _submit_form(visitor: Visitor, path: str, form: Mapping[str, str]) -> str:
    """Submit a form without its page and return where it redirects."""
    answer = await visitor.context.request.post(
        path,
        form={**form},
        headers={"Sec-Fetch-Site": "same-origin"},
        max_redirects=0,
    )
    assert answer.status == 303, await answer.text()
    return answer.headers["location"]


async def test_back_button_shows_nothing_after_sign_out(visitors: Visitors) -> None:
    visitor = await visitors.arrive("Mina", offline_worker=True)
    for path in ("/family", "/settings"):
        await visitor.go(path)
    await visitor.open("Mina: family and settings")
    await visitor.press("Sign out")
    await visitor.reads_above_all("Your household’s shared memory")
    for path in ("/settings", "/family"):
        await visitor.page.go_back()
        await visitor.is_at(f"/sign-in?next={path}")
        await visitor.reads_above_all("Welcome back")
        await visitor.sees_nothing_of("Mina")


@with_and_without_scripts
async def test_not_found_page_links_home(visitors: Visitors, script: bool) -> None:
    visitor = await visitors.arrive(screen=DARK_DESKTOP, script=script)
    for path, said in (
        ("/no/such/page", "There’s nothing here"),
        ("/join/nonsense", "There’s nothing here"),
        ("/reset/nonsense", "There’s nothing here"),
        ("/verify/nonsense", "There’s nothing here"),
    ):
        await visitor.go(path)
        await visitor.reads_above_all(said)
        await visitor.press("Go home")
        await visitor.is_at("/")


async def test_child_without_link_is_told_to_ask_a_parent(visitors: Visitors) -> None:
    alva = await visitors.arrive("Alva")
    await alva.go("/family/invite")
    await alva.reads_above_all("You don’t have access")
    await alva.sees("Only an adult can do this.")
