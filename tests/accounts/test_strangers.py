from tests.house import OpenHouse, problem_of


async def test_nobody_is_nobody(house: OpenHouse) -> None:
    assert problem_of(await house.visitor().get("/nowhere")) == (404, "not_found")
