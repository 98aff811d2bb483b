"""Who shares lists: with and without a passcode, a few things or many, in whatever order."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.torture.clients.client import Client, Way
from tests.torture.people import Somebody, result
from tests.torture.recorder import Asked, Facts, Shown

LISTS, MANY = 5, 120


class Sharer(Client):
    def __init__(self, person: Somebody, dice: Random) -> None:
        super().__init__(person, dice)
        self.guest = Somebody(str(person.client.base_url))
        """Who has no account, as those have whom a list is handed to."""
        self._passcodes: dict[str, str] = {}
        self._tokens: dict[str, str] = {}

    def ways(self) -> Iterator[Way]:
        lists = self.own("shareables")
        if len(lists) < LISTS:
            yield from (self.make, self.make_long)
        if lists:
            yield from [self.add_item, self.tick, self.edit_item, self.reorder] * 2
            yield from (self.remove_item, self.rename, self.set_passcode)
        if len(lists) > 2:
            yield from (self.clone, self.remove)

    async def make(self) -> None:
        await self._make(self.dice.randrange(5))

    async def make_long(self) -> None:
        await self._make(MANY)

    async def add_item(self) -> None:
        shared, name = self._one()
        body = {"name": self.word(), "note": self.word()}

        def facts(item: Shown) -> Facts:
            return {name: _revised(shared, [*shared["items"], item])}

        await self._manage("POST", name, "/items", body, facts)

    async def edit_item(self) -> None:
        await self._change_item({"name": self.word()}, revises=1)

    async def tick(self) -> None:
        """By anybody who has the list."""
        body = {"checked": self.dice.random() < 0.7, "checkedBy": self.word()}
        await self._change_item(body, revises=0)

    async def remove_item(self) -> None:
        shared, name = self._one()
        if shared["items"]:
            gone = self.dice.choice(shared["items"])
            facts = {name: _revised(shared, [it for it in shared["items"] if it != gone])}
            path = f"/items/{gone['checklistItemId']}"
            await self._manage("DELETE", name, path, None, lambda _: facts)

    async def reorder(self) -> None:
        """What moves many goes on by itself where nobody waits for it."""
        shared, name = self._one()
        ids = [item["checklistItemId"] for item in shared["items"]]
        if len(ids) > 1:
            body = {"checklistItemIds": self.dice.sample(ids, len(ids))}
            await self._manage("PUT", name, "/order", body, self._made, is_kept_at=len(ids) > 90)

    async def rename(self) -> None:
        shared, name = self._one()
        body = {"name": self.word(), "expiresInDays": self.dice.randrange(1, 300)}
        await self._change_list(name, body | {"version": shared["version"]})

    async def set_passcode(self) -> None:
        """Who manages it has to know it from then on; some are taken away again."""
        shared, name = self._one()
        passcode = None if name in self._passcodes else self.word()
        await self._change_list(name, {"adminPasscode": passcode, "version": shared["version"]})

    async def clone(self) -> None:
        """One that anybody may clone: who asks is signed in, and shows no passcode."""
        _shared, name = self._one()
        if name not in self._passcodes:
            body = {"name": self.word()}
            await self.change("POST", f"/{name}/clone", body, self._made, makes=("shareables",))

    async def remove(self) -> None:
        _shared, name = self._one()
        await self._manage("DELETE", name, "", None, lambda _: {name: None})

    async def look(self) -> Facts:
        """All of them as anybody sees them; who knows a passcode may manage."""
        mine = await self.read("/me/shareables?limit=100")
        names = [f"shareables/{each['shortId']}" for each in mine["items"]]
        found = {name: lasting_list(result(await self.guest.get(f"/{name}"))) for name in names}
        for name, passcode in self._passcodes.items():
            if name in found and name not in (self.doubt.touched if self.doubt else ()):
                body = {"passcode": passcode}
                unlocked = result(await self.guest.post(f"/{name}/unlock", body))
                assert unlocked["access"] == "admin", "a passcode is lost"
                self._tokens[name] = unlocked["token"]
        return found

    def devices(self) -> Iterator[Somebody]:
        yield from (self.person, self.guest)

    async def _make(self, size: int) -> None:
        items = [{"name": self.word()} for _ in range(size)]
        body = {"name": self.word(), "items": items}
        await self.change("POST", "/shareables", body, self._made, makes=("shareables",))

    def _made(self, shared: Shown) -> Facts:
        return {f"shareables/{shared['shortId']}": lasting_list(shared)}

    async def _change_item(self, body: Shown, revises: int) -> None:
        shared, name = self._one()
        if not shared["items"]:
            return
        old = self.dice.choice(shared["items"])

        def facts(new: Shown) -> Facts:
            items = [new if it == old else it for it in shared["items"]]
            return {name: _revised(shared, items, revises)}

        await self._manage("PATCH", name, f"/items/{old['checklistItemId']}", body, facts)

    async def _change_list(self, name: str, body: Shown) -> None:
        def facts(shared: Shown) -> Facts:
            if "adminPasscode" in body:
                self._passcodes.pop(name, None)
                self._tokens.pop(name, None)
            if body.get("adminPasscode") is not None:
                self._passcodes[name] = body["adminPasscode"]
                self._tokens[name] = shared["token"]
            return {name: lasting_list(shared)}

        await self._manage("PATCH", name, "", body, facts, is_kept_at="adminPasscode" in body)

    async def _manage(
        self, method: str, name: str, more: str, body: Any, facts: Any, **rest: Any
    ) -> None:
        token = self._tokens.get(name)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        path, touched = f"/{name}{more}", (name,)
        await self.ask(
            Asked(self.guest, method, path, body, facts, touched, headers=headers, **rest)
        )

    def _one(self) -> tuple[Shown, str]:
        shared = self.dice.choice(self.own("shareables"))
        return shared, f"shareables/{shared['shortId']}"


def lasting_list(shared: Shown) -> Shown:
    """Its items by their order, whatever numbers that has."""
    return shared | {"items": [_lasting_item(item) for item in shared["items"]]}


def _lasting_item(item: Shown) -> Shown:
    return {name: value for name, value in item.items() if name != "order"}


def _revised(shared: Shown, items: list[Shown], revises: int = 1) -> Shown:
    return lasting_list(shared | {"items": items, "version": shared["version"] + revises})
