"""The limits on pictures, for each person and at once."""

from homeshelf.web.limits import Lanes, Limits, RateLimit

READ_AT_ONCE = 2
PLACES = 20


class ScanLimits:
    def __init__(self, limits: Limits) -> None:
        self.pictures = RateLimit(limits.settings.limit_pictures)
        self.lane = Lanes(READ_AT_ONCE, PLACES).lane()
