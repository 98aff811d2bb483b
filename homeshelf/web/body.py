"""What clients may send: strict types, and every bad field named at once in plain words."""

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

NOT_SHOWN = _("This has a character that cannot be shown. Type it again without it.")

Kind = Literal["line", "any"]
"""A text of one line, or one in which every character is allowed, such as notes and secrets."""

MOST_FIELDS = 100
"""Far more than anything has; naming thousands that do not exist would take a second."""


@dataclass(frozen=True)
class Says:
    """The sentence for a field that is missing or wrong, whatever is wrong with it.

    What is wrong inside of a list names its own place and says its own sentence.
    """

    message: str
    _: KW_ONLY
    on_page: str = ""
    """The sentence for people, where programs are promised another."""
    longest: int | None = None
    """As many characters can be typed into it."""
    kind: Kind = "any"

    @property
    def attributes(self) -> dict[str, int]:
        """Its limits, as a browser keeps them."""
        return {} if self.longest is None else {"maxlength": self.longest}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def check(
            value: Any, inner: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo
        ) -> Any:
            try:
                return inner(value)
            except ValidationError as error:
                if all(each["loc"] for each in error.errors(include_url=False)):
                    raise
                raise wrong((info.context is ON_PAGE and self.on_page) or self.message) from None

        return core_schema.with_info_wrap_validator_function(check, handler(source))


def wrong(sentence: str) -> PydanticCustomError:
    """What a check raises; the sentence is said where it is shown."""
    return PydanticCustomError("says", "{message}", {"message": sentence})


ON_PAGE: Any = object()
"""What bodies are checked with where a person reads what is wrong."""


class Body(BaseModel):
    """A PATCH: only the fields given count, and null clears."""

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
            if field.is_required() and any(isinstance(mark, Says) for mark in field.metadata)
        )

    @classmethod
    def attributes_of(cls, alias: str) -> dict[str, int]:
        rule = cls._rule_of(alias)
        return rule.attributes if rule else {}

    @classmethod
    def kind_of(cls, alias: str) -> Kind:
        rule = cls._rule_of(alias)
        return rule.kind if rule else "any"

    @classmethod
    def _rule_of(cls, alias: str) -> Says | None:
        field = cls.field_named(alias)
        marks = (*field.metadata, *_marks(field.annotation))
        return next((mark for mark in marks if isinstance(mark, Says)), None)

    @classmethod
    def field_named(cls, alias: str) -> FieldInfo:
        """By the name that it is sent under."""
        return {field.alias: field for field in cls.model_fields.values()}[alias]

    def given(self, *but: str) -> dict[str, Any]:
        """The fields that were sent, by their names in Python."""
        return {name: getattr(self, name) for name in self.model_fields_set if name not in but}

    def complete(self, *but: str) -> dict[str, Any]:
        """All fields, as a form has them: one that was emptied is cleared."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in but}

    @model_validator(mode="before")
    @classmethod
    def _say_what_is_missing(cls, data: Any) -> Any:
        """A field that is missing is checked like a wrong one, so that it says its sentence.

        What is no object is refused here: FastAPI would read the attributes of any other value.
        """
        if not isinstance(data, dict):
            raise wrong(_("This must be a JSON object."))
        if len(data) > MOST_FIELDS:
            raise wrong(_("This has far too many fields."))
        return {name: _MISSING for name in cls._needed if name not in data} | data


class NewBody(Body):
    """A POST: null is the same as leaving the field out."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}


class Nothing(Body):
    """Where nothing is asked, no body and an empty one are the same."""


Empty = Annotated[Nothing | None, fastapi.Body()]


def _marks(annotation: Any) -> Iterator[Any]:
    """What is said of the types in a union."""
    for each in get_args(annotation):
        yield each
        yield from _marks(each)


NOT_SENT: Any = None
"""The default of a field that may be left out of a PATCH and has no null."""


_MISSING = object()


@dataclass(frozen=True)
class Limited(Says):
    """A text within limits, with one sentence for whatever is wrong with it."""

    limits: StringConstraints

    @property
    def attributes(self) -> dict[str, int]:
        low, high = self.limits.min_length or 0, self.limits.max_length
        short = {"minlength": low} if low > 1 else {}
        return short if high is None else short | {"maxlength": high}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        limited = Annotated[source, self.limits, AfterValidator(self._fit)]
        schema = super().__get_pydantic_core_schema__(limited, handler.generate_schema)  # type: ignore[arg-type]  # called with the type alone
        return core_schema.no_info_after_validator_function(self._require_shown, schema)

    def _require_shown(self, text: str) -> str:
        if self.kind == "line":
            require_shown(text)
        return text

    def _fit(self, text: str) -> str:
        """What nobody would see is as good as spaces, unless every sign counts."""
        if not self.limits.strip_whitespace or is_visible(text):
            return text
        if self.limits.min_length:
            raise ValueError("nothing to see")
        return ""


def text(
    low: int, high: int, message: str, on_page: str = "", *, kind: Kind = "line", trim: bool = True
) -> Limited:
    """A text of `low` to `high` characters, without the spaces around it.

    Where there must be one, something of it must be visible.
    """
    limits = StringConstraints(strip_whitespace=trim, min_length=low, max_length=high)
    return Limited(message, limits, on_page=on_page, kind=kind)


def require_shown(text: str) -> None:
    """Refuse control characters."""
    if has_control_characters(text):
        raise wrong(NOT_SHOWN)


def is_visible(text: str) -> bool:
    """Whether somebody who looks at it sees anything."""
    return any(
        unicodedata.category(sign) not in _UNSEEN and not _BLANK.fullmatch(sign) for sign in text
    )


def or_nothing(text: str) -> str | None:
    """For a text that is left out where it is empty."""
    return text or None


def id_(message: str, on_page: str = "") -> Limited:
    """Any well-formed UUID."""
    return Limited(message, StringConstraints(pattern=UUID, to_lower=True), on_page=on_page)


@dataclass(frozen=True)
class Whole(Says):
    low: int
    high: int
    zero: bool

    @property
    def attributes(self) -> dict[str, int]:
        return {"min": self.low, "max": self.high}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        fit = AfterValidator(int if self.zero else _not_zero)
        limited = Annotated[source, Field(ge=self.low, le=self.high), fit]
        return super().__get_pydantic_core_schema__(limited, handler.generate_schema)  # type: ignore[arg-type]  # called with the type alone


def whole(low: int, high: int, message: str, on_page: str = "", *, zero: bool = True) -> Whole:
    return Whole(message, low, high, zero, on_page=on_page)


Version = Annotated[int, whole(1, 2**53, _("Version must be a positive integer"))]
"""The version that the caller has seen."""


def _not_zero(number: int) -> int:
    if number == 0:
        raise ValueError("zero")
    return number


_UNSEEN = {"Cc", "Cf", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"}
_BLANK = re.compile(
    "[\u115f\u1160\u2800\u3164\uffa0\U0001d159\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Letters and symbols by their category that are blank by their shape, and what no font draws
though Unicode has not named it yet."""

LONGEST_SEARCH = 100
Search = Annotated[str, fastapi.Query(max_length=LONGEST_SEARCH)]

Email = Annotated[
    str,
    Limited(
        _("An e-mail address looks like name@host and has at most 254 characters."),
        StringConstraints(
            strip_whitespace=True,
            max_length=254,
            pattern=r"^[^\s\x00-\x1f\x7f@]+@[^\s\x00-\x1f\x7f@]+$",
        ),
    ),
]
"""Any `name@host`: `ada@home.local` is one."""


def looks_like_ascii(text: str) -> bool:
    """Whether a character that is not ASCII becomes ASCII by folding, as the Kelvin sign does."""
    return any(
        not each.isascii()
        and any(
            folded.isascii()
            for folded in (unicodedata.normalize("NFKC", each), each.lower(), each.casefold())
        )
        for each in text
    )


def _not_lookalike(email: str) -> str:
    require_shown(email)
    if looks_like_ascii(email):
        raise wrong(_("This address has a letter that only looks like another. Type it again."))
    return email


NewAddress = Annotated[Email, AfterValidator(_not_lookalike)]
"""An address that nobody here has yet; those that exist may hold lookalikes of ASCII letters."""
