"""What a handler is called with, by its signature.

FastAPI reads a signature once, and describes it in the published contract. To call it, it looks at
what it found all over again: for generators, forms, files and scopes of security, none of which
there are here, and with three stacks of what might have to be closed.
"""

from collections.abc import Callable
from copy import deepcopy
from inspect import iscoroutinefunction
from typing import Any, get_origin

from fastapi import Request
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.params import Param

Errors = list[Any]

NOTHING: Any = object()
"""What was not sent."""


class Call:
    """A function, and what it is called with: by name, out of the request."""

    def __init__(self, dependant: Dependant) -> None:
        _require_plain(dependant)
        self.function: Any = dependant.call
        self.name = dependant.name
        self._request_name = dependant.request_param_name
        self._needs = tuple(map(Call, dependant.dependencies))
        self._in_path = tuple(map(_Parameter, dependant.path_params))
        self._in_query = tuple(map(_Parameter, dependant.query_params))
        self._in_headers = tuple(map(_Parameter, dependant.header_params))
        self._body = next(map(_Parameter, dependant.body_params), None)

    async def answer(self, request: Request, body: Any) -> Any:
        """Raises RequestValidationError with everything that is wrong with the request."""
        errors: Errors = []
        values = await self.values_for(request, body, {}, errors)
        if errors:
            raise RequestValidationError(errors)
        return await self.function(**values)

    async def values_for(
        self,
        request: Request,
        body: Any,
        known: dict[Callable[..., Any], Any],
        errors: Errors,
    ) -> dict[str, Any]:
        """What others find out comes first: who may not ask is not told what is wrong with it.

        What several need is found out once, and is `known` from then on.
        """
        values: dict[str, Any] = {}
        for need in self._needs:
            function = need.function
            if function not in known:
                before = len(errors)
                theirs = await need.values_for(request, body, known, errors)
                if len(errors) > before:
                    continue
                known[function] = await function(**theirs)
            if need.name is not None:
                values[need.name] = known[function]
        if self._in_path:
            _take(self._in_path, request.path_params, values, errors)
        if self._in_query:
            _take(self._in_query, request.query_params, values, errors)
        if self._in_headers:
            _take(self._in_headers, request.headers, values, errors)
        if self._body is not None:
            self._body.take(body, values, errors)
        if self._request_name is not None:
            values[self._request_name] = request
        return values


class _Parameter:
    def __init__(self, field: ModelField) -> None:
        info: Any = field.field_info
        self.alias = field.validation_alias or field.alias
        self.is_list = get_origin(info.annotation) is list
        self._name = field.name
        self._is_needed = info.is_required()
        self._default = None if self._is_needed else field.get_default()
        self._place = (info.in_.value, self.alias) if isinstance(info, Param) else ("body",)
        self._checked = field.validate

    def take(self, sent: Any, values: dict[str, Any], errors: Errors) -> None:
        if sent is not NOTHING:
            value, wrong = self._checked(sent, loc=self._place)
            if wrong:
                errors.extend(wrong)
            else:
                values[self._name] = value
        elif self._is_needed:
            errors.append({"type": "missing", "loc": self._place, "msg": "Field required"})
        else:
            values[self._name] = deepcopy(self._default) if self.is_list else self._default


def _take(
    parameters: tuple[_Parameter, ...], sent: Any, values: dict[str, Any], errors: Errors
) -> None:
    for each in parameters:
        if each.is_list:
            each.take(sent.getlist(each.alias) or NOTHING, values, errors)
        else:
            each.take(sent.get(each.alias, NOTHING), values, errors)


def _require_plain(dependant: Dependant) -> None:
    """Whatever a signature may ask for elsewhere, and nobody answers here."""
    others = (
        dependant.cookie_params,
        dependant.body_params[1:],
        dependant.websocket_param_name,
        dependant.http_connection_param_name,
        dependant.response_param_name,
        dependant.background_tasks_param_name,
        dependant.security_scopes_param_name,
        not dependant.use_cache,
    )
    if any(others) or not iscoroutinefunction(dependant.call):
        raise TypeError(f"{dependant.call} asks for what it cannot be called with")
