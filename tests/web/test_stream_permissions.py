"""A stream ends within a second of the loss of its rights, in whichever process."""

import asyncio
import time

import pytest

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.model import REUSE_GRACE_SECONDS, Account, Session, SessionPolicy
from homeshelf.families import children
from homeshelf.families import store as families
from tests.running import SETTINGS, under
from tests.web.streams import PASSWORD, Person, Stream, StreamServer, listening

NEW_PASSWORD = "another horse battery"
TERMS = SessionPolicy.from_settings(SETTINGS)


async def test_stream_ends_when_its_listener_signs_out(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        await stream_server.require_no_other_event(ada.family_id, stream)
        assert (await ada.client.delete("/api/v1/tokens")).status_code == 204
        assert await stream.ends_within(1.0)


async def test_stream_ends_with_its_session_and_other_streams_continue(
    stream_server: StreamServer,
) -> None:
    """The session is ended in a process that serves no streams."""
    async with (
        stream_server.family() as ada,
        stream_server.elsewhere(ada) as phone,
        stream_server.member_of(ada, "admin") as bob,
        listening(ada.client) as stream,
        listening(phone.client) as other,
        listening(bob.client) as bobs,
    ):
        account = await account_of(stream_server, ada)
        await store.end_session(stream_server.db, account, phone.session_id)
        assert await other.ends_within(1.0)
        await expect_heard_and_nothing_else(stream_server, ada, stream, bobs)


async def test_streams_end_in_every_family_of_the_person(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "suggester") as bob,
        listening(bob.client) as stream,
    ):
        bob.client.headers["Homeshelf-Family"] = bob.family_id
        async with listening(bob.client) as at_home:
            assert (await bob.client.delete("/api/v1/tokens")).status_code == 204
            await expect_end(at_home, stream)


async def test_stream_ends_when_the_password_is_changed_on_another_device(
    stream_server: StreamServer,
) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.elsewhere(ada) as phone,
        listening(ada.client) as stream,
        listening(phone.client) as other,
    ):
        change = {"password": NEW_PASSWORD, "currentPassword": PASSWORD}
        answer = await ada.client.patch("/api/v1/me", json=change)
        assert answer.status_code == 200, answer.text
        assert await other.ends_within(1.0)
        await expect_heard_and_nothing_else(stream_server, ada, stream)


async def test_stream_ends_when_the_password_is_reset(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        account = await account_of(stream_server, ada)
        await store.reset_password(
            stream_server.db, account.own_key(), account.era, "hash", verified=True
        )
        assert await stream.ends_within(1.0)


async def test_stream_ends_when_a_refresh_token_is_used_twice(
    stream_server: StreamServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        key = Session.key(member_id=ada.member_id, session_id=ada.session_id)
        assert await store.use_refresh_token(stream_server.db, key, ada.member_id, TERMS, 1, None)
        later = (REUSE_GRACE_SECONDS + 1) * 10**9
        monkeypatch.setattr(clock, "nanoseconds", lambda: time.time_ns() + later)
        assert not await store.use_refresh_token(
            stream_server.db, key, ada.member_id, TERMS, 1, None
        )
        assert await stream.ends_within(1.0)


async def test_stream_ends_when_its_session_is_evicted(stream_server: StreamServer) -> None:
    async with stream_server.family() as ada, listening(ada.client) as stream:
        account = await account_of(stream_server, ada)
        await store.start_session(under(stream_server.db, limit_sessions=1), account, "a new phone")
        assert await stream.ends_within(1.0)


async def test_stream_ends_when_its_listener_is_removed(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "admin") as bob,
        listening(ada.client) as stream,
        listening(bob.client) as bobs,
    ):
        await families.remove_member(stream_server.db, ada.family_id, bob.member_id)
        assert await bobs.ends_within(1.0)
        assert (await stream.next()).about[:2] == ("Member", bob.member_id)


async def test_stream_ends_when_the_role_changes_and_can_be_reopened(
    stream_server: StreamServer,
) -> None:
    async with stream_server.family() as ada, stream_server.member_of(ada, "suggester") as bob:
        async with listening(bob.client) as bobs:
            await families.change_member(
                stream_server.db,
                families.member_key(ada.family_id, bob.member_id),
                1,
                {"role": "admin"},
            )
            assert await bobs.ends_within(1.0)
        async with listening(bob.client) as bobs:
            changed = await stream_server.change(ada.family_id)
            assert (await bobs.next()).about == changed


async def test_stream_of_a_child_ends_when_an_admin_signs_its_devices_out(
    stream_server: StreamServer,
) -> None:
    """The admin ends one device, or replaces the links of all."""
    async with stream_server.family() as ada:
        async with stream_server.child_of(ada) as alva, listening(alva.client) as stream:
            await children.end_child_session(
                stream_server.db, ada.family_id, alva.member_id, alva.session_id
            )
            assert await stream.ends_within(1.0)
        async with stream_server.child_of(ada) as noah, listening(noah.client) as stream:
            path = f"/api/v1/members/{noah.member_id}/sign-in-link"
            await ada.client.post(path, json={"endOthers": False})
            assert (await stream.next()).about[:2] == ("Member", noah.member_id)
            await stream_server.require_no_other_event(ada.family_id, stream)
            await ada.client.post(path, json={"endOthers": True})
            assert await stream.ends_within(1.0)


async def test_stream_ends_when_the_account_is_deleted(stream_server: StreamServer) -> None:
    async with (
        stream_server.family() as ada,
        stream_server.member_of(ada, "suggester") as bob,
        listening(bob.client) as bobs,
    ):
        bob.client.headers["Homeshelf-Family"] = bob.family_id
        async with listening(bob.client) as at_home:
            answer = await bob.client.request("DELETE", "/api/v1/me", json={"password": PASSWORD})
            assert answer.status_code == 204, answer.text
            await expect_end(at_home, bobs)


async def expect_end(*streams: Stream) -> None:
    assert all(await asyncio.gather(*(stream.ends_within(1.0) for stream in streams)))


async def expect_heard_and_nothing_else(
    stream_server: StreamServer, person: Person, *streams: Stream
) -> None:
    """Check that no event announces the end of a session, in open or resumed streams."""
    changed = await stream_server.change(person.family_id)
    heard = [await stream.next() for stream in streams]
    assert {event.about for event in heard} == {changed}
    async with listening(person.client, heard[0].id) as resumed:
        later = await stream_server.change(person.family_id)
        assert (await resumed.next()).about == later


async def account_of(stream_server: StreamServer, person: Person) -> Account:
    account = await store.get_account(stream_server.db, person.member_id)
    assert account is not None
    return account
