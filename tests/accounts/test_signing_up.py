import asyncio
from typing import Any

import pytest

from homeshelf.table import HELPER, Database
from tests.home import new_home
from tests.running import RunningApp, problem_of, running_app

ADA = {"email": "ada@home.local", "password": "lovelace1", "name": "Ada"}


async def test_sign_up_creates_account_that_can_sign_in(running: RunningApp) -> None:
    visitor = running.visitor()
    answer = await visitor.post("/accounts", ADA)
    assert answer.status_code == 201
    made = answer.json()
    assert made == {"memberId": made["memberId"], "email": "ada@home.local", "name": "Ada"}
    signed_in = await visitor.post("/tokens", {k: ADA[k] for k in ("email", "password")})
    visitor.bear(signed_in.json()["accessToken"])
    assert (await visitor.get("/me")).json() == {**made, "emailVerified": False, "families": []}


async def test_address_is_unique_in_any_case(running: RunningApp) -> None:
    visitor = running.visitor()
    assert (await visitor.post("/accounts", ADA)).status_code == 201
    again = await visitor.post("/accounts", ADA | {"email": " ADA@Home.LOCAL "})
    assert problem_of(again) == (409, "duplicate")
    assert "existing" not in again.json()
    signed_in = {"email": "Ada@HOME.local", "password": "lovelace1"}
    assert (await visitor.post("/tokens", signed_in)).status_code == 200


@pytest.mark.usefixtures("usual_hashes")
async def test_concurrent_sign_ups_with_one_address_create_one_account(running: RunningApp) -> None:
    asked = [
        running.visitor(f"203.0.113.{number}").post("/accounts", ADA | {"name": f"Ada {number}"})
        for number in range(6)
    ]
    answers = await asyncio.gather(*asked)
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409, 409]
    made = next(answer.json() for answer in answers if answer.status_code == 201)
    accounts = [item for item in await stored_items(running.db) if item["SK"] == "ACCOUNT"]
    assert [(item["memberId"], item["name"]) for item in accounts] == [
        (made["memberId"], made["name"])
    ]


@pytest.mark.parametrize(
    "email", ["ada@home", "a@b", "ädä@häuschen.example", f"{'a' * 244}@home.test"]
)
async def test_unusual_address_is_accepted(running: RunningApp, email: str) -> None:
    answer = await running.visitor().post("/accounts", ADA | {"email": email})
    assert (answer.status_code, answer.json()["email"]) == (201, email)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", "ada"),
        ("email", "@home.local"),
        ("email", "ada@"),
        ("email", "ada@home@local"),
        ("email", "ada lovelace@home.local"),
        ("email", "ada@home.local\r\nBcc: eve@home.local"),
        ("email", f"{'a' * 250}@home.test"),
        ("email", 7),
        ("email", ""),
        ("password", "seven77"),
        ("password", "x" * 129),
        ("password", 12345678),
        ("password", ["lovelace1"]),
        ("password", None),
        ("name", "   "),
        ("name", "x" * 101),
        ("name", True),
        ("name", {"first": "Ada"}),
        ("memberId", "0b6a2c5e-6f0c-4d0e-9f43-0a4c6f6f0f00"),
        ("emailVerified", True),
        ("families", []),
    ],
)
async def test_invalid_field_returns_error_and_creates_nothing(
    running: RunningApp, field: str, value: object
) -> None:
    answer = await running.visitor().post("/accounts", ADA | {field: value})
    assert problem_of(answer) == (400, "validation")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not [
        item for item in await stored_items(running.db) if item["SK"] in ("ACCOUNT", "EMAIL")
    ]


async def test_all_invalid_fields_are_reported_together(running: RunningApp) -> None:
    answer = await running.visitor().post("/accounts", {"password": "short", "colour": "red"})
    assert sorted(error["field"] for error in answer.json()["errors"]) == [
        "colour",
        "email",
        "name",
        "password",
    ]


async def test_spaces_are_kept_in_password_and_trimmed_from_name(running: RunningApp) -> None:
    visitor = running.visitor()
    answer = await visitor.post("/accounts", ADA | {"name": "  Ada  ", "password": "  spaces  "})
    assert answer.json()["name"] == "Ada"
    signed_in = {"email": ADA["email"], "password": "  spaces  "}
    assert (await visitor.post("/tokens", signed_in)).status_code == 200
    trimmed = {"email": ADA["email"], "password": "spaces"}
    assert (await visitor.post("/tokens", trimmed)).status_code == 401


@pytest.mark.usefixtures("usual_hashes")
async def test_database_contains_no_password(running: RunningApp) -> None:
    await running.visitor().post("/accounts", ADA)
    items = await stored_items(running.db)
    assert "lovelace1" not in str(items)
    hashes = [item["passwordHash"] for item in items if "passwordHash" in item]
    assert len(hashes) == 1
    assert str(hashes[0]).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_sign_up_ignores_idempotency_key(running: RunningApp) -> None:
    visitor = running.visitor()
    assert (await visitor.post("/accounts", ADA, key="k")).status_code == 201
    assert problem_of(await visitor.post("/accounts", ADA, key="k")) == (409, "duplicate")


async def test_closed_sign_up_refuses_everyone(database: Database) -> None:
    async with running_app(database, signup="closed") as running:
        home = await new_home(running, "Home", "eve")
        await home.invite(ADA["email"])
        assert problem_of(await running.visitor().post("/accounts", ADA)) == (403, "forbidden")


async def test_invited_sign_up_accepts_invited_address_only(database: Database) -> None:
    async with running_app(database, signup="invited") as running:
        visitor = running.visitor()
        assert problem_of(await visitor.post("/accounts", ADA)) == (403, "forbidden")
        home = await new_home(running, "Home", "eve")
        invitation = await home.invite("ADA@home.local")
        assert (await visitor.post("/accounts", ADA)).status_code == 201
        revoked = await home.invite("kid@home.local")
        await home.admin.delete(f"/invitations/{revoked['invitationId']}")
        kid = ADA | {"email": "kid@home.local"}
        assert problem_of(await visitor.post("/accounts", kid)) == (403, "forbidden")
        assert invitation["status"] == "pending"


async def stored_items(db: Database) -> list[dict[str, Any]]:
    return [dict(item) for item in (await db.engine.scan(HELPER, 1000)).items]
