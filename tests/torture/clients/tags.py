"""Who has tags on things, and taps them."""

from collections.abc import Iterator

from tests.torture.clients.client import Client, Way
from tests.torture.recorder import Facts, Partly, Shown

ITEMS, TAGS = 2, 150
TAGS_OF_ITEM = 20
"""What has many more is renamed later than its item."""


class Tapper(Client):
    hot = ""
    """The item that everybody changes."""

    def ways(self) -> Iterator[Way]:
        tags = self._active()
        items = self._items()
        if items and max(len(self._tags_of(name)) for name in items) > TAGS_OF_ITEM:
            yield self.remove_item
            return
        if len(items) < ITEMS:
            yield from [self.add_item] * 3
        elif len([*self.named("nfc-urls")]) < TAGS:
            yield from (self.make_tag, self.make_hot_tag, self.rotate)
        if tags:
            yield from [self.tap] * 4
            yield self.relabel
        if items:
            yield self.rename_item
        if len(tags) > 3:
            yield self.revoke

    async def add_item(self) -> None:
        new = {"name": self.word(), "quantity": 50, "threshold": 50}
        await self.add("/items", new, "items", "itemId")

    async def make_tag(self) -> None:
        await self._make(self.dice.choice(self._items()))

    async def make_hot_tag(self) -> None:
        await self._make(self.hot)

    async def tap(self) -> None:
        tag = self.dice.choice(self._active())
        delta, name = self.dice.choice([-2, -1, 1, 3]), f"items/{tag['itemId']}"
        body = {"delta": delta, "undo": self.dice.random() < 0.2}
        path = f"/taps/{tag['urlId']}"
        if name == self.hot:
            await self.change("POST", path, body, lambda _: {}, counts=(name, delta))
        else:
            await self.change(
                "POST",
                path,
                body,
                lambda it: {name: Partly(name=it["itemName"], quantity=it["quantity"])},
                touched=(name,),
            )

    async def relabel(self) -> None:
        await self.edit(self._name(self.dice.choice(self._active())), {"label": self.word()})

    async def rotate(self) -> None:
        if tags := self._active():
            name = self._name(self.dice.choice(tags))
            await self.change(
                "POST", f"/{name}/rotate", None, self._rotated, touched=(name,), makes=("nfc-urls",)
            )

    async def revoke(self) -> None:
        name = self._name(self.dice.choice(self._active()))
        facts = {name: Partly(isActive=False, itemId=self.known[name]["itemId"])}
        await self.change("DELETE", f"/{name}", None, lambda _: facts, touched=(name,))

    async def remove_item(self) -> None:
        """The one with most tags, which open nothing any more, some of them later."""
        name = max(self._items(), key=lambda each: len(self._tags_of(each)))
        tags = {tag: Partly() for tag in self._tags_of(name)}
        await self.change(
            "DELETE",
            f"/{name}",
            None,
            lambda _: {name: None, **tags},
            touched=(name, *tags),
            is_kept_at=True,
        )

    async def rename_item(self) -> None:
        """Its tags are called so with it."""
        name = self.dice.choice(self._items())
        called, version = self.word(), (await self.read(f"/{name}"))["version"]
        tags = {
            tag: fact if isinstance(fact, Partly) else fact | {"itemName": called}
            for tag, fact in self._tags_of(name).items()
        }
        await self.change(
            "PATCH",
            f"/{name}",
            {"name": called, "version": version},
            lambda item: {name: item, **tags},
            touched=(name, *tags),
        )

    async def _make(self, item: str) -> None:
        path, body = f"/{item}/nfc-urls", {"label": self.word()}
        await self.add(path, body, "nfc-urls", "urlId")

    def _rotated(self, answer: Shown) -> Facts:
        return {self._name(tag): tag for tag in (answer["oldUrl"], answer["newUrl"])}

    def _items(self) -> list[str]:
        return [name for name, _ in self.named("items")]

    def _tags_of(self, item: str) -> dict[str, Shown]:
        every = self.named("nfc-urls")
        return {tag: fact for tag, fact in every if f"items/{fact.get('itemId')}" == item}

    def _active(self) -> list[Shown]:
        return [tag for tag in self.own("nfc-urls") if tag["isActive"]]

    @staticmethod
    def _name(tag: Shown) -> str:
        return f"nfc-urls/{tag['urlId']}"
