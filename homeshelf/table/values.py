"""The values that a table can store, and their sizes as DynamoDB counts them."""

from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow
from functools import lru_cache

from homeshelf.table.engine import BadRequest
from homeshelf.table.expressions import Item, Value

DIGITS = 38
TOO_LARGE = 10**DIGITS
LEVELS = 32
SMALLEST = Decimal("1E-130")
LARGEST = Decimal("9.9999999999999999999999999999999999999E+125")
EXACT = Context(prec=500, traps=[Inexact, InvalidOperation, Overflow])


def check_value(value: Value) -> Value:
    if type(value) is str and value.isascii():
        return value
    if type(value) is int and -TOO_LARGE < value < TOO_LARGE:
        return value
    return measure(value)[0]


def measure_item(item: Item) -> tuple[dict[str, Value], int]:
    clean = dict(item)
    size = names_bytes(tuple(clean))
    for name, value in clean.items():
        if type(value) is str:  # most values are texts, and every write runs this
            size += len(value) if value.isascii() else text_bytes(value)
        elif type(value) is int and -TOO_LARGE < value < TOO_LARGE:
            size += len(str(value)) // 2 + 2
        else:
            clean[name], bytes_ = measure(value)
            size += bytes_
    return clean, size


def measure(value: Value, depth: int = 0) -> tuple[Value, int]:
    match value:
        case str():
            return value, text_bytes(value)
        case None | bool():
            return value, 1
        case int() | Decimal():
            number = _shortest(value)
            return number, 21 if isinstance(number, Decimal) else len(str(number)) // 2 + 2
        case list() | dict() if depth + 2 > LEVELS:
            raise BadRequest(f"what is inside is nested more than {LEVELS} levels deep")
        case list():
            parts = [measure(part, depth + 1) for part in value]
            return [part for part, _ in parts], 3 + sum(size + 1 for _, size in parts)
        case dict():
            named = {name: measure(part, depth + 1) for name, part in value.items()}
            return {name: part for name, (part, _) in named.items()}, 3 + sum(
                name_bytes(name) + size + 1 for name, (_, size) in named.items()
            )
    raise BadRequest(f"{type(value).__name__} cannot be stored")


def name_bytes(name: str) -> int:
    if not name:
        raise BadRequest("an attribute has a name")
    return text_bytes(name)


@lru_cache(1024)
def names_bytes(names: tuple[str, ...]) -> int:
    """Return the size of all names together; records of the same type share them."""
    return sum(map(name_bytes, names))


def text_bytes(text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BadRequest("a text that is not valid Unicode") from None


def is_whole(value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _shortest(number: int | Decimal) -> int | Decimal:
    """Remove trailing zeros; whole numbers become int, as every engine returns them."""
    if isinstance(number, int) and -TOO_LARGE < number < TOO_LARGE:
        return number
    try:
        exact = EXACT.normalize(Decimal(number))
    except DecimalException:
        raise BadRequest(f"a number of more than {DIGITS} digits, or none at all") from None
    if not exact.is_finite() or not (exact == 0 or SMALLEST <= exact.copy_abs() <= LARGEST):
        raise BadRequest(f"{exact} cannot be stored")
    _, digits, exponent = exact.as_tuple()
    if len(digits) > DIGITS:
        raise BadRequest(f"a number of more than {DIGITS} digits")
    return int(exact) if isinstance(exponent, int) and exponent >= 0 else exact
