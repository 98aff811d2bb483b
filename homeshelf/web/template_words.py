"""Gettext for templates, in the language of the reader.

Imported macros have no page context, so the language comes from a context variable.
"""

from typing import Any

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from homeshelf.languages import Language, reader_language
from homeshelf.sentences import catalogue_of, plural_forms, shown


def install(templates: Environment) -> None:
    """Add the functions to an environment that has Jinja's i18n extension."""
    templates.policies["ext.i18n.trimmed"] = True
    templates.newstyle_gettext = True  # type: ignore[attr-defined]  # the extension's
    templates.globals.update(
        _=_gettext,
        gettext=_gettext,
        ngettext=_ngettext,
        plural_forms=plural_forms,
        language=reader_language,
    )


@pass_eval_context
def _gettext(where: EvalContext, message: str, /, **values: Any) -> str:
    language = reader_language()
    return _fill(where, catalogue_of(language.code).gettext(message), values, language)


@pass_eval_context
def _ngettext(where: EvalContext, one: str, several: str, num: int, /, **values: Any) -> str:
    """Translate a count; `%(num)s` is the number, unless `values` has another."""
    language = reader_language()
    text = catalogue_of(language.code).ngettext(one, several, num)
    return _fill(where, text, {"num": num} | values, language)


def _fill(where: EvalContext, text: str, values: dict[str, Any], language: Language) -> str:
    """Fill a translation, which is markup, with values, which are escaped."""
    found = Markup(text) if where.autoescape else text  # noqa: S704  # ours
    if not values and "%" not in text:
        return found
    return found % {name: shown(value, language) for name, value in values.items()}
