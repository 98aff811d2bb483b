"""The rate limits of a tag."""

from homeshelf.web.limits import Limits, RateLimit


class TapLimits:
    def __init__(self, limits: Limits) -> None:
        self._taps = RateLimit(limits.settings.limit_taps)
        self._taps_day = RateLimit(limits.settings.limit_taps_day)

    def take(self, url_id: str) -> None:
        self._taps.take(url_id)
        self._taps_day.take(url_id)
