"""Sign-up with lookalike characters that case folding maps to ASCII."""

import pytest

from homeshelf.accounts.bodies import SignUp
from homeshelf.accounts.model import EmailClaim, digest_of_email
from homeshelf.commands import CannotRun
from homeshelf.commands.terminal import validate
from tests.home import Home, add_child
from tests.pages import send
from tests.running import PASSWORD, RunningApp, problem_of

LOOKALIKES = [
    "ada@\u212aitchen.local",
    "\u017fam@home.local",
    "\uff41da@home.local",
    "ada@home\u2024local",
    "hans@stra\xdfe.local",
]
"""A Kelvin sign, a long s, a full-width a, a one-dot leader, and a sharp s."""
GENUINE = "zoë@bücher.local"


@pytest.mark.parametrize("email", LOOKALIKES)
async def test_lookalike_address_is_refused_wherever_an_address_enters(
    home: Home, email: str
) -> None:
    child = await add_child(home)
    sign_up = {"email": email, "password": PASSWORD, "name": "Eve"}
    for who, path, body in (
        (home.running.visitor(), "/accounts", sign_up),
        (home.admin, "/me/email", {"email": email, "currentPassword": PASSWORD}),
        (home.admin, "/invitations", {"email": email, "role": "admin"}),
        (home.admin, f"/members/{child['memberId']}/email", {"email": email}),
    ):
        answer = await who.post(path, body)
        assert problem_of(answer) == (400, "validation"), path
        assert [each["field"] for each in answer.json()["errors"]] == ["email"]
    page = await send(home.running.visitor(), "/sign-up", **sign_up)
    assert (page.status_code, "only looks like another" in page.text) == (400, True)
    with pytest.raises(CannotRun, match="only looks like another"):
        validate(SignUp, **sign_up)


async def test_address_in_another_alphabet_signs_up(running: RunningApp) -> None:
    new = {"email": GENUINE, "password": PASSWORD, "name": "Zoë"}
    assert (await running.visitor().post("/accounts", new)).status_code == 201


@pytest.mark.parametrize("email", LOOKALIKES)
async def test_account_with_lookalike_address_keeps_working(home: Home, email: str) -> None:
    ada, db = home.admin, home.running.db
    claim = EmailClaim(email_digest=digest_of_email(email), holder=ada.member_id)
    await db.transact(claim.take(), ada.account.changed(email=email).put())
    asked = {"email": email, "password": PASSWORD}
    signed_in = await home.running.visitor().post("/tokens", asked)
    assert signed_in.status_code == 200, signed_in.text
    assert (await ada.patch("/me", {"name": "Countess"})).status_code == 200
    forgotten = await home.running.visitor().post("/passwords/forgotten", {"email": email})
    assert forgotten.status_code == 202
