"""The pages of children where an identity provider is set."""

from tests.home import Kid, signed_in_device
from tests.identity.issuer import Issuer
from tests.identity.people import found_family
from tests.pages import look, see, send
from tests.running import RunningApp


async def test_child_page_signs_in_and_offers_no_password(
    running: RunningApp, issuer: Issuer
) -> None:
    ada, family_id = await found_family(running, issuer)
    kid = Kid((await ada.post("/members", {"name": "Alva", "picture": "🦊"})).json())
    device = await signed_in_device(running, kid.token)
    assert "Hello Alva" in await see(device, "/")
    (family,) = (await device.get("/me")).json()["families"]
    assert family["familyId"] == family_id
    page = await look(ada, kid.path())
    assert not page.has_form(kid.path("/email"))
    assert page.has_form(kid.path("/link"))
    assert "Add an e-mail" not in (await look(ada, "/family")).words
    given = await send(ada, kid.path("/email"), email="alva@home.local")
    assert given.status_code == 404
