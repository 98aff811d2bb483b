from datetime import UTC, datetime, timedelta

from homeshelf import clock

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600


class Moment:
    """The clock of a test, which stands still until the test moves it."""

    def __init__(self, text: str) -> None:
        self.at = datetime.fromisoformat(text).astimezone(UTC)

    def nanoseconds(self) -> int:
        return (self.at - clock.EPOCH) // timedelta(microseconds=1) * 1000

    def move(self, text: str) -> None:
        self.at = datetime.fromisoformat(text).astimezone(UTC)

    def pass_by(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
