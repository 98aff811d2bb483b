"""Request bodies with strict types, which report all bad fields at once in plain sentences."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

import fastapi
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema

from homeshelf.controls import has_control_characters
from homeshelf.sentences import _
from homeshelf.web.ids import UUID

NOT_SHOWN = _("One character can’t be shown. Type this again without it.")

Kind = Literal["line", "any"]
"""One line of text, or text with any characters, such as notes and secrets."""

MOST_FIELDS = 100
"""The most fields to report: thousands of unknown ones would take a second."""


@dataclass(frozen=True)
class FieldRule:
    """The message for a field that is missing or wrong.

    Errors inside a list have a path and a message of their own.
    """

    message: str
    _: KW_ONLY
    on_page: str = ""
    """The message on pages, if it differs from that of the API."""
    checks: tuple[Any, ...] = ()
    """The metadata of the type to validate."""
    longest: int | None = None
    """The `maxlength` of the HTML input."""
    limits: tuple[tuple[str, int], ...] = ()
    """Other attributes of the HTML input."""
    kind: Kind = "any"

    @property
    def attributes(self) -> dict[str, int]:
        longest = {} if self.longest is None else {"maxlength": self.longest}
        return dict(self.limits) | longest

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def check(
            value: Any, inner: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo
        ) -> Any:
            try:
                found = inner(value)
            except ValidationError as error:
                if all(each["loc"] for each in error.errors(include_url=False)):
                    raise
                raise field_error(
                    (info.context is ON_PAGE and self.on_page) or self.message
                ) from None
            if self.kind == "line":
                require_shown(found)
            return found

        checked = Annotated[source, *self.checks] if self.checks else source
        schema = handler.generate_schema(checked) if self.checks else handler(source)
        return core_schema.with_info_wrap_validator_function(check, schema)


def field_error(sentence: str) -> PydanticCustomError:
    """Return the error to raise from a check; its message is translated later."""
    return PydanticCustomError("says", "{message}", {"message": sentence})


ON_PAGE: Any = object()
"""The validation context of forms, whose errors use the messages for pages."""


class Body(BaseModel):
    """The body of a PATCH: only the given fields count, and null clears a field."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        frozen=True,
        hide_input_in_errors=True,
    )
    _needed: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._needed = tuple(
            field.alias or name
            for name, field in cls.model_fields.items()
            if field.is_required() and any(isinstance(mark, FieldRule) for mark in field.metadata)
        )

    @classmethod
    def rule_of(cls, alias: str) -> FieldRule:
        field = cls.field_named(alias)
        marks = (*field.metadata, *_metadata_of(field.annotation))
        return next((mark for mark in marks if isinstance(mark, FieldRule)), FieldRule(""))

    @classmethod
    def field_named(cls, alias: str) -> FieldInfo:
        return {field.alias: field for field in cls.model_fields.values()}[alias]

    def given(self, *but: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.model_fields_set if name not in but}

    def complete(self, *but: str) -> dict[str, Any]:
        """Return all fields, as forms send them; an empty one is cleared."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in but}

    @model_validator(mode="before")
    @classmethod
    def _add_missing(cls, data: Any) -> Any:
        """Validate missing fields like wrong ones, so that their own messages are used.

        Refuse anything but an object: FastAPI would read the attributes of any other value.
        """
        if not isinstance(data, dict):
            raise field_error(_("This must be a JSON object."))
        if len(data) > MOST_FIELDS:
            raise field_error(_("This has too many fields."))
        return {name: _MISSING for name in cls._needed if name not in data} | data


class NewBody(Body):
    """The body of a POST: null is the same as a missing field."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}


class Nothing(Body):
    """The body of an operation that takes none; an empty body means the same as no body."""


Empty = Annotated[Nothing | None, fastapi.Body()]


def _metadata_of(annotation: Any) -> Iterator[Any]:
    """Yield the metadata of the types in a union."""
    for each in get_args(annotation):
        yield each
        yield from _metadata_of(each)


NOT_SENT: Any = None
"""The default of a field that may be left out of a PATCH and has no null."""


_MISSING = object()


def text(
    low: int, high: int, message: str, on_page: str = "", *, kind: Kind = "line", trim: bool = True
) -> FieldRule:
    """Return the rule for a text of `low` to `high` characters, by default without outer spaces.

    A required text must have a visible character.
    """

    def require_visible(text: str) -> str:
        if is_visible(text):
            return text
        if low:
            raise ValueError("nothing to see")
        return ""

    limited = StringConstraints(strip_whitespace=trim, min_length=low, max_length=high)
    return FieldRule(
        message,
        on_page=on_page,
        checks=(limited, AfterValidator(require_visible)) if trim else (limited,),
        longest=high,
        limits=(("minlength", low),) if low > 1 else (),
        kind=kind,
    )


def require_shown(text: str) -> None:
    if has_control_characters(text):
        raise field_error(NOT_SHOWN)


def is_visible(text: str) -> bool:
    return any(
        unicodedata.category(sign) not in _UNSEEN and not _BLANK.fullmatch(sign) for sign in text
    )


def none_if_empty(text: str) -> str | None:
    return text or None


def id_(message: str, on_page: str = "", *, pattern: str = UUID) -> FieldRule:
    """Return the rule for an id: a well-formed UUID by default."""
    return FieldRule(
        message, on_page=on_page, checks=(StringConstraints(pattern=pattern, to_lower=True),)
    )


def whole(low: int, high: int, message: str, on_page: str = "", *, zero: bool = True) -> FieldRule:
    checks: tuple[Any, ...] = (Field(ge=low, le=high),)
    if not zero:
        checks += (AfterValidator(_not_zero),)
    return FieldRule(message, on_page=on_page, checks=checks, limits=(("min", low), ("max", high)))


Version = Annotated[int, whole(1, 2**53, _("Version must be a positive integer"))]


def _not_zero(number: int) -> int:
    if number == 0:
        raise ValueError("zero")
    return number


_UNSEEN = {"Cc", "Cf", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"}
_BLANK = re.compile(
    "[\u115f\u1160\u2800\u3164\uffa0\U0001d159\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Letters and symbols with a blank glyph, and unassigned characters that fonts do not draw."""

LONGEST_SEARCH = 100
Search = Annotated[str, fastapi.Query(max_length=LONGEST_SEARCH)]

Email = Annotated[
    str,
    FieldRule(
        _("Enter an e-mail address, like name@example.com."),
        checks=(
            StringConstraints(
                strip_whitespace=True,
                max_length=254,
                pattern=r"^[^\s\x00-\x1f\x7f@]+@[^\s\x00-\x1f\x7f@]+$",
            ),
        ),
        longest=254,
    ),
]
"""Any `name@host`, such as `ada@home.local`."""


def _not_lookalike(email: str) -> str:
    """Refuse a character that folds to ASCII, such as the Kelvin sign."""
    require_shown(email)
    others = [each for each in email if not each.isascii()]
    folded = [
        form
        for each in others
        for form in (unicodedata.normalize("NFKC", each), each.lower(), each.casefold())
    ]
    if any(map(str.isascii, folded)):
        raise field_error(_("One letter in this address only looks like another. Type it again."))
    return email


NewAddress = Annotated[Email, AfterValidator(_not_lookalike)]
"""The address of a new account or invitation; existing ones may hold lookalike letters."""
