"""The contract that is published says of every operation what it answers and what it refuses.

That it is true is looked at wherever a test asks the API something: see `tests/published.py`.
"""

from typing import Any

import pytest

from tests.published import app, document
from tests.routes import every_route

OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, found in document()["paths"].items()
    for method, operation in found.items()
}
BODILESS = {"202", "204"}


def test_every_operation_of_the_api_is_published() -> None:
    known = {str(route) for route in every_route(app()) if not route.is_page}
    assert set(OPERATIONS) == known - {"GET /api/v1/openapi.json"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_names_its_answer_and_its_refusals(name: str) -> None:
    responses: dict[str, Any] = OPERATIONS[name]["responses"]
    good = {status: said for status, said in responses.items() if status < "400"}
    assert good
    for status, said in good.items():
        kinds = said.get("content", {})
        assert all(kind["schema"] for kind in kinds.values())
        assert kinds or status in BODILESS, status
    for status, said in responses.items():
        if status >= "400":
            assert list(said["content"]) == ["application/problem+json"], status
            assert said["content"]["application/problem+json"]["schema"]


def test_what_needs_somebody_says_so() -> None:
    public = {name for name, operation in OPERATIONS.items() if "security" not in operation}
    assert all("401" in OPERATIONS[name]["responses"] for name in OPERATIONS if name not in public)
    beginnings = ("accounts", "passwords", "taps/", "shareables", "tokens")
    for name in public:
        assert name.split("/api/v1/")[1].startswith(beginnings), name


def test_nothing_of_the_framework_is_left() -> None:
    assert not {"HTTPValidationError", "ValidationError"} & set(document()["components"]["schemas"])
