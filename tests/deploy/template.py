"""A parser for the CloudFormation template of `deploy/aws`, with values for its parameters."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import yaml

from tests.deploy import DEPLOY

FILE = DEPLOY / "aws" / "template.yaml"
GIVEN = {
    "Image": "homeshelf:1",
    "PublicUrl": "https://shelf.example",
    "CertificateArn": "arn:aws:acm:eu-central-1:123456789012:certificate/shelf",
    "AWS::Region": "eu-central-1",
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
}
NOTHING = object()
"""The value of `AWS::NoValue`."""


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # it ships no types
    """A YAML loader for the short forms: `!Ref Name` is `{"Ref": "Name"}`."""


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _short_form)
TEMPLATE: dict[str, Any] = yaml.load(FILE.read_text(), _Loader)  # noqa: S506  # it is a safe one
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]


def of_type(type_: str) -> dict[str, dict[str, Any]]:
    """Return the properties of all resources of a type, by their logical names."""
    return {
        name: each.get("Properties", {})
        for name, each in RESOURCES.items()
        if each["Type"] == f"AWS::{type_}"
    }


class Stack:
    """The template with these parameters, and the defaults of the others."""

    def __init__(self, **parameters: str) -> None:
        defaults = {
            name: str(each["Default"])
            for name, each in TEMPLATE["Parameters"].items()
            if "Default" in each
        }
        self._values: Mapping[str, str] = defaults | GIVEN | parameters

    def of(self, value: Any) -> Any:
        """Return a value of the template with all references resolved."""
        if isinstance(value, list):
            resolved = [self.of(each) for each in value]
            return [each for each in resolved if each is not NOTHING]
        if not isinstance(value, dict):
            return value
        if len(value) == 1 and (name := next(iter(value))) in self._functions:
            return self._functions[name](self, value[name])
        resolved_ = {key: self.of(each) for key, each in value.items()}
        return {key: each for key, each in resolved_.items() if each is not NOTHING}

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return NOTHING
        if name in self._values:
            return self._values[name]
        resource = RESOURCES[name]
        if resource["Type"] == "AWS::DynamoDB::Table":
            return self.of(resource["Properties"]["TableName"])
        return f"the {name}"

    def _get_att(self, path: str) -> str:
        name, _, attribute = path.partition(".")
        if RESOURCES[name]["Type"] == "AWS::DynamoDB::Table" and attribute == "Arn":
            where = f"{self._values['AWS::Region']}:{self._values['AWS::AccountId']}"
            return f"arn:aws:dynamodb:{where}:table/{self._ref(name)}"
        return f"the {attribute} of the {name}"

    def _sub(self, value: Any) -> str:
        text, given = value if isinstance(value, list) else (value, {})
        known = self.of(given)

        def found(match: re.Match[str]) -> str:
            name = match[1]
            if name in known:
                return str(known[name])
            return self._get_att(name) if "." in name else str(self._ref(name))

        return re.sub(r"\$\{([\w.:]+)\}", found, text)

    def _if(self, value: list[Any]) -> Any:
        name, then, otherwise = value
        return self.of(then if self.of(TEMPLATE["Conditions"][name]) else otherwise)

    def _find_in_map(self, value: list[Any]) -> Any:
        name, first, second = self.of(value)
        return TEMPLATE["Mappings"][name][first][second]

    def _equals(self, value: list[Any]) -> bool:
        one, other = self.of(value)
        return bool(one == other)

    def _not(self, value: list[Any]) -> bool:
        return not self.of(value[0])

    _functions: ClassVar[dict[str, Callable[..., Any]]] = {
        "Ref": _ref,
        "Fn::GetAtt": _get_att,
        "Fn::Sub": _sub,
        "Fn::If": _if,
        "Fn::FindInMap": _find_in_map,
        "Fn::Equals": _equals,
        "Fn::Not": _not,
    }
