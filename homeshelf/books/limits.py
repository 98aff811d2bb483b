"""The limits on files of books, for each reader and at once."""

import asyncio

from homeshelf.web.limits import Limits, RateLimit

FILES_AT_ONCE = 2


class BookLimits:
    def __init__(self, limits: Limits) -> None:
        self.imports = RateLimit(limits.settings.limit_imports)
        self.previews = RateLimit(limits.settings.limit_imports)
        self.files = asyncio.Semaphore(FILES_AT_ONCE)
