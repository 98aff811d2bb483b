"""Two people create a family, share it and leave it."""

import pytest

from tests.browser.screens import DARK_DESKTOP, DARK_PHONE, DESKTOP, PHONE
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors, Way

PASSWORD = "correct horse battery"


WAYS = (
    Way("phone-light", PHONE),
    Way("phone-dark-without-scripts", DARK_PHONE, more={"script": False}),
    Way("desktop-light-by-keyboard", DESKTOP, KeyboardVisitor),
    Way("desktop-dark", DARK_DESKTOP),
)


@pytest.mark.parametrize("way", WAYS, ids=str)
async def test_family_is_created_shared_and_left(
    visitors: Visitors, way: Way, unique_name: str
) -> None:
    ada, family = await way.arrive(visitors), f"House of {unique_name}"
    await ada.go("/")
    await ada.press("Get started")
    await _sign_up(ada, unique_name)
    await ada.reads_above_all("What is your home called?")
    await ada.write("Name", family)
    await ada.press("Move in")
    await ada.reads_above_all(f"Hello {unique_name}")

    await ada.press("Invite your family")
    await ada.press("Invite someone")
    await ada.write("Their e-mail", f"ben-{unique_name}@home.local")
    await ada.choose("Child")
    await ada.press("Create invitation")
    link = await ada.field("Link").input_value()

    ben = await way.arrive(visitors)
    await ben.go(link)
    await ben.reads_above_all(f"{unique_name} has invited you to {family}")
    await ben.press("Create an account")
    await _sign_up(ben, f"Ben-{unique_name}")
    await ben.press("Join")
    await ben.reads_above_all(f"Hello Ben-{unique_name}")
    await ben.sees(family)

    await ada.open(f"{unique_name}: family and settings")
    await ada.press("Family")
    await ada.reads_above_all(family)
    await ada.open(f"Edit Ben-{unique_name}")
    await ada.press(f"Make Ben-{unique_name} an adult")
    await ada.sees("Saved.")
    await ben.go("/family")
    await ben.press("Invite someone")
    await ben.reads_above_all("Invite someone")

    await ada.open(f"Edit Ben-{unique_name}")
    await ada.press("Remove from the family")
    await ada.reads_above_all(f"Remove Ben-{unique_name} from {family}?")
    await ada.press("Remove")
    await ada.sees("Removed. You can invite them back.")
    await ada.sees_nothing_of(f"Ben-{unique_name}")
    await ben.go("/family")
    await ben.reads_above_all("What is your home called?")

    await ada.open(f"{unique_name}: family and settings")
    await ada.press("Sign out")
    await ada.reads_above_all("Your household’s shared memory")
    await ada.go("/family")
    await ada.reads_above_all("Welcome back")
    await ada.write("E-mail", f"{unique_name}@home.local")
    await ada.write("Password", PASSWORD)
    await ada.press("Sign in")
    await ada.is_at("/family")


async def _sign_up(visitor: Visitor, name: str) -> None:
    await visitor.reads_above_all("Nice to meet you")
    await visitor.write("What should we call you?", name)
    await visitor.write("E-mail", f"{name}@home.local")
    await visitor.write("Password", PASSWORD)
    await visitor.press("Sign up")
