import pytest

from homeshelf import clock
from homeshelf.accounts.devices import device_of
from tests.house import PASSWORD, OpenHouse, Person, problem_of


async def sign_in(house: OpenHouse, person: Person, user_agent: str) -> str:
    visitor = house.visitor()
    answer = await visitor.post(
        "/tokens",
        {"email": person.email, "password": PASSWORD},
        headers={"User-Agent": user_agent},
    )
    token: str = answer.json()["accessToken"]
    return token


async def test_a_person_sees_where_they_are_signed_in(house: OpenHouse) -> None:
    ada, _ = await house.person("ada"), await house.person("eve")
    ada.bear(await sign_in(house, ada, "curl/8.5.0"))
    phone, first = (await ada.get("/me/sessions")).json()["items"]
    assert (phone["device"], phone["current"]) == ("curl/8.5.0", True)
    assert (first["device"], first["current"]) == ("a test", False)
    assert first["sessionId"] == ada.session_id
    assert set(first) == {"sessionId", "device", "createdAt", "lastUsedAt", "current"}


async def test_a_session_can_be_ended_from_another(house: OpenHouse) -> None:
    ada, phone = await house.person("ada"), house.visitor()
    phone.bear(await sign_in(house, ada, "curl/8.5.0"))
    assert (await phone.get("/me")).status_code == 200
    lost = (await ada.get("/me/sessions")).json()["items"][0]
    path = f"/me/sessions/{lost['sessionId']}"
    assert (await ada.delete(path)).status_code == 204
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")
    assert problem_of(await ada.delete(path)) == (404, "not_found")


async def test_somebody_elses_session_is_not_found(house: OpenHouse) -> None:
    ada, eve = await house.person("ada"), await house.person("eve")
    for session_id in (ada.session_id, clock.new_id(), "nonsense", "%00", "a" * 3000):
        answer = await eve.delete(f"/me/sessions/{session_id}")
        assert problem_of(answer) == (404, "not_found")
    assert (await ada.get("/me")).status_code == 200


async def test_many_sessions_come_in_pages(house: OpenHouse) -> None:
    ada = await house.person("ada")
    made = [(await house.session_of(ada.member_id)).session_id for _ in range(5)]
    seen: list[str] = []
    asked: dict[str, str] = {"limit": "2"}
    while True:
        page = (await ada.get("/me/sessions", params=asked)).json()
        seen += [session["sessionId"] for session in page["items"]]
        if "nextToken" not in page:
            break
        asked["nextToken"] = page["nextToken"]
    assert sorted(seen) == sorted([*made, ada.session_id])


WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1"
ANDROID = f"Mozilla/5.0 (Linux; Android 15; Pixel 9) {WEBKIT} Mobile Safari/537.36"
LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
WINDOWS = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Safari/537.36 Edg/131.0.0.0"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (IPHONE, "Safari on iPhone"),
        (ANDROID, "Chrome on Android"),
        (LINUX, "Firefox on Linux"),
        (WINDOWS, "Edge on Windows"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "An unknown device"),
        ("x" * 1000, "x" * 60),
    ],
)
def test_a_device_is_called_what_its_owner_knows_it_by(user_agent: str, device: str) -> None:
    assert device_of(user_agent) == device
