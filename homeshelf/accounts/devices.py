"""What a device calls itself, in words that its owner knows it by."""

LONGEST = 60

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_MACHINES = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)


def device_of(user_agent: str) -> str:
    """`Firefox on Android`, or the first word of what is no browser, such as `curl/8.5`."""
    browser = _first(user_agent, _BROWSERS)
    machine = _first(user_agent, _MACHINES)
    if browser and machine:
        return f"{browser} on {machine}"
    return (user_agent.split() or ["An unknown device"])[0][:LONGEST]


def _first(text: str, names: tuple[tuple[str, str], ...]) -> str | None:
    return next((name for mark, name in names if mark in text), None)
