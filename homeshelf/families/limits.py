"""The rate limit for notifications to one person."""

from homeshelf.web.limits import Limits, Pace


class FamilyLimits:
    def __init__(self, limits: Limits) -> None:
        self.news = Pace(limits.settings.limit_news)
