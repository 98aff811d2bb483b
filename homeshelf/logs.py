"""The log: a line of JSON for each event, or readable lines on a terminal.

Every event, including exceptions and the lines of libraries, passes `redacted`, which hides secrets
by their name (`password`, `token`) and by their form (a signed token, a hash, a private link).
"""

import logging
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, TextIO, cast

import msgspec

from homeshelf import clock

# structlog loads rich for tracebacks with variables, which may hold secrets. Hiding rich saves a
# quarter of a second at the start and 4 MB.
_hides_rich = "rich" not in sys.modules and "structlog" not in sys.modules
if _hides_rich:
    sys.modules["rich"] = None  # type: ignore[assignment]  # how an import is made to fail
import structlog  # noqa: E402
import structlog.stdlib  # noqa: E402

if _hides_rich:
    del sys.modules["rich"]

HIDDEN = "[hidden]"
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}

Event = MutableMapping[str, Any]


def configure(level: str, stream: TextIO | None = None) -> None:
    stream = stream or sys.stderr
    unfailing = cast("TextIO", _SafeStream(stream))
    processors: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _stamped,
        structlog.processors.format_exc_info,
        redacted,
    ]
    structlog.configure(
        processors=[*processors, _renderer(stream)],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(unfailing),
        cache_logger_on_first_use=True,
    )
    _adopt_libraries(stream, unfailing, processors)


class _SafeStream:
    """A stream that drops lines on a full disk or a closed pipe instead of failing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def redacted(_logger: object, _method: str, event: Event) -> Event:
    for name, value in event.items():
        event[name] = _hidden(name, value)
    return event


def without_secrets(text: str) -> str:
    if not _MARK.search(text.lower()):  # saves a third of the time for a line
        return text
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


_NAME = "pass(?:w|code|phrase)|token|secret|authoriz|cookie|credential|signature|api[_-]?key"
_SECRET_NAME = re.compile(_NAME)
_MARK = re.compile(rf"{_NAME}|eyj|bearer|basic|\$argon2|input_value=|/join/|/sign-in-link/|/t/")
_SECRETS: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"eyJ[\w-]{5,}(\.[\w-]*){1,4}"), HIDDEN),
    (re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{3,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"\$argon2\w*\$[\w$=,+/.-]+"), HIDDEN),
    (re.compile(r"(/(?:join|sign-in-link|t)/)[\w.~-]+"), rf"\1{HIDDEN}"),
    # The input that pydantic refused.
    (re.compile(r"input_value=.*?(?=, input_type=|\]|$)", re.DOTALL), f"input_value={HIDDEN}"),
    (re.compile(r"(cookie\\?['\"]?\s*[:=]\s*)[^\n]+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (
        re.compile(
            rf"([\w-]*(?:{_NAME})[\w-]*\\?['\"]?\s*[:=]\s*b?)(?!\[hidden)"
            r"(\\?'[^']*'|\\?\"[^\"]*\"|[^\s,;&)}\]'\"]+)",
            re.IGNORECASE,
        ),
        rf"\1{HIDDEN}",
    ),
)


def _hidden(name: object, value: Any) -> Any:
    if isinstance(name, str) and _is_secret(name):
        return HIDDEN
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return without_secrets(value)
        case Mapping():
            return {str(key): _hidden(key, inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_hidden(None, inner) for inner in value]
    return without_secrets(repr(value))


@lru_cache(1024)
def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(name.lower()) is not None


def _stamped(_logger: object, _method: str, event: Event) -> Event:
    event["at"] = clock.timestamp()
    return event


def _renderer(stream: TextIO) -> Callable[[Any, str, Event], str]:
    if stream.isatty():
        return structlog.dev.ConsoleRenderer(
            timestamp_key="at", exception_formatter=structlog.dev.plain_traceback
        )
    encode = msgspec.json.Encoder().encode
    return lambda _logger, _method, event: encode(event).decode()


def _adopt_libraries(
    stream: TextIO, unfailing: TextIO, processors: Sequence[structlog.types.Processor]
) -> None:
    handler = logging.StreamHandler(unfailing)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _renderer(stream),
            ],
            foreign_pre_chain=processors,
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
