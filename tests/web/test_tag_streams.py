"""Events of tags and invitations, which only admins may get."""

import httpx

from tests.web.streams import Person, StreamServer, listening


async def test_only_admins_get_events_of_tags(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "admin") as bob,
        stream_server.member_of(ada, "suggester") as kid,
        listening(ada.client) as hers,
        listening(bob.client) as his,
        listening(kid.client) as kids,
    ):
        item = await _made(ada, "/items", {"name": "Rice"})
        first = await _made(ada, f"/items/{item['itemId']}/nfc-urls", {})
        second = await _made(ada, f"/items/{item['itemId']}/nfc-urls", {})
        path = f"/api/v1/items/{item['itemId']}"
        await ada.client.patch(path, json={"name": "Oats", "version": 1})
        for stream in (hers, his):
            heard = [event.about for event in await stream.some(6)]
            tags = [about for about in heard if about[0] == "NFCUrl"]
            assert sorted(id_ for _, id_, _ in tags) == sorted(
                [first["urlId"], second["urlId"]] * 2
            )
            assert {version for *_, version in tags} == {1}
        assert [event.about[0] for event in await kids.some(2)] == ["InventoryItem"] * 2
        await stream_server.require_no_other_event(ada.family_id, kids)


async def test_resumed_stream_of_a_child_has_no_events_of_tags(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, stream_server.member_of(ada, "suggester") as kid:
        async with listening(kid.client) as stream:
            item = await _made(ada, "/items", {"name": "Rice"})
            last = await stream.next()
        await _made(ada, f"/items/{item['itemId']}/nfc-urls", {})
        await _made(ada, "/items", {"name": "Beans"})
        async with listening(kid.client, last.id) as stream:
            assert (await stream.next()).data["type"] == "InventoryItem"
            await stream_server.require_no_other_event(ada.family_id, stream)


async def test_only_admins_get_events_of_invitations(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "suggester") as kid,
        listening(ada.client) as hers,
        listening(kid.client) as kids,
    ):
        await _made(ada, "/invitations", {"email": "uncle@home.local", "role": "admin"})
        assert (await hers.next()).data["type"] == "Invitation"
        await _made(ada, "/items", {"name": "Rice"})
        assert (await kids.next()).data["type"] == "InventoryItem"


async def test_stream_ends_when_its_listener_is_demoted(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "admin") as bob,
        listening(bob.client) as stream,
    ):
        changed = {"role": "suggester", "version": 1}
        answer = await ada.client.patch(f"/api/v1/members/{bob.member_id}", json=changed)
        assert answer.status_code == 200, answer.text
        assert await stream.ends_within(1.0)


async def _made(who: Person, path: str, body: dict[str, object]) -> dict[str, str]:
    answer: httpx.Response = await who.client.post(f"/api/v1{path}", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, str] = answer.json()
    return made
