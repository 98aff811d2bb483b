"""The rate limit for notifications to one person."""

from homeshelf.web.limits import Limits, RateLimit


class FamilyLimits:
    def __init__(self, limits: Limits) -> None:
        self.news = RateLimit(limits.settings.limit_news)
