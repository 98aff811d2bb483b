"""Tickets that were good once: made for somebody who has lost what they opened since.

bearers      for the header or the cookie of any request
tokens       for a path or a body, by what they are for
"""

from dataclasses import dataclass

from homeshelf.accounts import tokens
from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import unsubscribe_link
from tests.home import Home, add_child, new_link, signed_in, token_in
from tests.running import PASSWORD, Person, RunningApp

NEW_PASSWORD = "another horse, another battery"  # of a test


@dataclass(frozen=True)
class Tickets:
    access: dict[str, str]
    """Access tokens, by how they came to their end."""
    web: dict[str, str]
    """The same as cookies."""
    tokens: dict[str, dict[str, str]]
    """By what they are for, and by how they came to their end."""


async def old_tickets(home: Home) -> Tickets:
    """Each of somebody else, who was in the family with it."""
    access: dict[str, str] = {}
    web: dict[str, str] = {}
    refresh: dict[str, str] = {}
    for end in (sign_out, end_by_password, leave_for_good):
        person = await home.with_member(end.__name__, "admin")
        session = await home.running.db.get(
            Session.key(member_id=person.member_id, session_id=person.session_id)
        )
        assert session is not None
        pair = tokens.pair(home.running.signer, session, home.family_id)
        access[end.__name__] = str(pair["accessToken"])
        refresh[end.__name__] = str(pair["refreshToken"])
        web[end.__name__] = tokens.web_token(home.running.signer, session, home.family_id)
        assert (await person.get("/family")).status_code == 200
        await end(home.running, person)
    found = {"refresh": refresh, "link": await _of_children(home)}
    found |= await _mailed(home) | await _invited(home)
    found["reset"]["removed child"] = await _first_password(home)
    return Tickets(access, web, found)


async def sign_out(_services: RunningApp, person: Person) -> None:
    assert (await person.delete("/tokens")).status_code == 204


async def end_by_password(running: RunningApp, person: Person) -> None:
    """From another device."""
    other = await running.session_of(person.member_id)
    phone = running.visitor()
    phone.bear(running.access_token(person.member_id, other.session_id))
    change = {"currentPassword": PASSWORD, "password": NEW_PASSWORD}
    assert (await phone.patch("/me", change)).status_code == 200


async def leave_for_good(_services: RunningApp, person: Person) -> None:
    assert (await person.delete("/me", {"password": PASSWORD})).status_code == 204


async def _mailed(home: Home) -> dict[str, dict[str, str]]:
    """The links in mails to people whose account is not what it was."""
    running, found = home.running, dict[str, dict[str, str]]()
    for end in (end_by_password, leave_for_good):
        person = await running.person(f"mailed-{end.__name__}")
        await home.let_in(person, "suggester")
        signer, account = running.signer, person.account
        links = {
            "reset": tokens.reset_token(signer, account),
            "verify": tokens.verification_token(signer, account),
            "unsubscribe": unsubscribe_link(signer, account.member_id).rpartition("/")[2],
        }
        if end is end_by_password:
            used = await running.visitor().post("/accounts/verify", {"token": links["verify"]})
            assert used.status_code == 204
        await end(running, person)
        if end is end_by_password:
            del links["unsubscribe"]  # it holds for as long as there is somebody
        for name, link in links.items():
            found.setdefault(name, {})[end.__name__] = link
    return found


async def _invited(home: Home) -> dict[str, dict[str, str]]:
    links: dict[str, str] = {}
    for how in ("removed", "demoted", "left"):
        maker = await home.with_member(f"inviting-{how}", "admin")
        asked = {"email": f"spare-{how}@home.local", "role": "admin"}
        made = await maker.post("/invitations", asked)
        assert made.status_code == 201, made.text
        links[how] = token_in(made.json())
        if how == "removed":
            await home.send_away(maker)
        elif how == "left":
            assert (await maker.delete(f"/members/{maker.member_id}")).status_code == 204
        else:
            change = {"role": "suggester", "version": (await home.member(maker))["version"]}
            answer = await home.admin.patch(f"/members/{maker.member_id}", change)
            assert answer.status_code == 200, answer.text
    return {"join": links}


async def _of_children(home: Home) -> dict[str, str]:
    """Of links that were used or replaced, and of children or makers who were removed."""
    links = {"used": token_in(await add_child(home, "used"))}
    await signed_in(home.running, links["used"])
    replaced = await add_child(home, "replaced")
    links["replaced"] = token_in(replaced)
    await new_link(home, replaced)
    removed = await add_child(home, "removed")
    links["removed"] = token_in(removed)
    assert (await home.admin.delete(f"/members/{removed['memberId']}")).status_code == 204
    maker = await home.with_member("a-childs-maker", "admin")
    links["maker"] = token_in(await add_child(Home(home.running, home.family, maker), "left"))
    await home.send_away(maker)
    return links


async def _first_password(home: Home) -> str:
    """Of a child who was removed before using it."""
    path = f"/members/{(await add_child(home, 'addressed'))['memberId']}"
    given = await home.admin.post(f"{path}/email", {"email": "addressed@home.local"})
    assert given.status_code == 200, given.text
    assert (await home.admin.delete(path)).status_code == 204
    return token_in(given.json())
