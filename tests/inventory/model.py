"""What a cupboard should be, in plain Python: the rules once more, without a table."""

from dataclasses import dataclass, field

MOST = 9_999_999_999


@dataclass
class Thing:
    """An item as it should be, and what should be remembered of it."""

    name: str
    quantity: int
    threshold: int
    place: str | None
    status: str = "active"
    version: int = 1
    history: list[tuple[int, int]] = field(default_factory=list)
    """Each change and what it led to, oldest first."""
    notices: list[str] = field(default_factory=list)
    """The statuses of its notices, oldest first."""

    def __post_init__(self) -> None:
        self.history.append((self.quantity, self.quantity))
        self._follow()

    @property
    def is_low(self) -> bool:
        return self.quantity < self.threshold

    def adjust(self, delta: int) -> int:
        applied = min(max(self.quantity + delta, 0), MOST) - self.quantity
        if applied:
            self.quantity += applied
            self.history.append((applied, self.quantity))
            self._changed()
        return applied

    def tell_joined(self, before: int, told: list[str]) -> None:
        """Of adjustments at once it may have been told that it ran low in between, or not."""
        resolved, unresolved = told.count("resolved"), [each for each in told if each != "resolved"]
        assert before <= resolved <= self.notices.count("resolved")
        assert len(unresolved) == (self.status == "active" and self.is_low)
        self.notices = ["resolved"] * resolved + unresolved

    def expect(self, threshold: int) -> None:
        if threshold != self.threshold:
            self.threshold = threshold
            self._changed()

    def move(self, place: str | None) -> None:
        if place != self.place:
            self.place = place
            self._changed()

    def restate(self, status: str) -> None:
        if status != self.status:
            self.status = status
            self._changed()

    def remove(self) -> None:
        self.status = "removed"
        self._follow()

    def _changed(self) -> None:
        self.version += 1
        self._follow()

    def _follow(self) -> None:
        is_open = bool(self.notices) and self.notices[-1] != "resolved"
        calls_for_one = self.status == "active" and self.is_low
        if calls_for_one and not is_open:
            self.notices.append("active")
        if is_open and not calls_for_one:
            self.notices[-1] = "resolved"


@dataclass
class Cupboard:
    things: dict[str, Thing] = field(default_factory=dict)
    """By the ids of their items; removed ones stay, for their notices."""
    places: dict[str, str] = field(default_factory=dict)
    """Names, by the ids of their locations."""

    @property
    def kept(self) -> dict[str, Thing]:
        return {id_: thing for id_, thing in self.things.items() if thing.status != "removed"}

    def things_at(self, place: str) -> int:
        return sum(thing.place == place for thing in self.kept.values())
