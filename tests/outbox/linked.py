"""What mail programs make a link of, more eagerly than any of them."""

import re

LOOKS_LINKED = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+"
    r"|\b(?:mailto|tel|file|skype|bitcoin|magnet):\S+"
    r"|//[^\s/]+"
    r"|\\\\[^\s\\]+"
    r"|[\w.+-]+@[\w-]+"
    r"|[\w-]+(?:[.\u2024\u3002\uff0e\uff61][\w-]+)*[.\u2024\u3002\uff0e\uff61](?!\d)\w[\w-]+",
    re.IGNORECASE,
)
