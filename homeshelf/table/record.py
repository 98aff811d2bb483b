"""Records: typed attributes with key templates, converted to and from items.

Every write computes all keys from the templates, so an index is never stale. A query fills in as
many fields of a template as it knows.
"""

from collections.abc import Mapping
from functools import cache
from itertools import takewhile
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from homeshelf import clock
from homeshelf.table.expressions import (
    Condition,
    Item,
    Remove,
    Set,
    UpdateAction,
    Value,
    absent,
    attr,
    exists,
)
from homeshelf.table.keys import Template
from homeshelf.table.operations import Check, Delete, Key, Put, Query, Sort, Update
from homeshelf.table.schema import Table

R = TypeVar("R", bound="Record")
V = TypeVar("V", bound="Versioned")
T = TypeVar("T")


Keys = dict[str, str]
"""The templates of a record's key attributes, including those of its indexes."""


class OnlyInKey:
    """Marks a field that is stored only in the key, such as the bucket of a pool."""


InKey = Annotated[T, OnlyInKey()]


class LeftOut:
    """Marks an attribute that is omitted, rather than null, without a value."""


Sparse = Annotated[T | None, LeftOut()]
SparseList = Annotated[tuple[T, ...], LeftOut()]


class Record(BaseModel):
    """A frozen record: fields are snake_case here and camelCase in the table.

    A rewrite keeps unknown attributes. It does not add an attribute that was not stored before and
    still has its default.
    """

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, validate_by_name=True, extra="ignore"
    )

    table: ClassVar[Table]
    keys: ClassVar[Keys]
    lock: ClassVar[str] = "version"
    """The field that changes with every rewrite, for conditions; an empty list is not stored."""

    partial_update: ClassVar[bool] = False
    """True if a change writes only the changed fields, because other writers change the rest."""

    notify: ClassVar[tuple[str, str] | None] = None
    """The attributes with the scope and the id that listeners are notified of, or None."""

    private: ClassVar[frozenset[str]] = frozenset()

    computed: ClassVar[Mapping[str, str]] = {}
    """Additional values for clients: their names and the properties that compute them."""
    stored: ClassVar[Item | None] = None
    """The item that the record was read from; equality ignores it."""

    aliases: ClassVar[Mapping[str, str]]
    shown: ClassVar[Mapping[str, str]]
    in_key: ClassVar[tuple[str, ...]]
    kind_filter: ClassVar[Condition | None]
    """The filter for queries, because prefixes overlap (`ITEM#...` also matches tags)."""
    _templates: ClassVar[dict[str, Template]]
    _defaults: ClassVar[dict[str, Any]]
    _left_out: ClassVar[frozenset[str]]
    _templated: ClassVar[set[str]]
    _properties: ClassVar[tuple[tuple[str, str], ...]]
    _known: ClassVar[frozenset[str]]

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if not hasattr(cls, "keys"):
            return
        fields = cls.model_fields
        cls.aliases = {name: field.alias or name for name, field in fields.items()}
        cls.shown = {name: cls.aliases[name] for name in fields if name not in cls.private}
        cls._defaults = {
            name: field.default for name, field in fields.items() if not field.is_required()
        }
        marks = {name: {type(mark) for mark in field.metadata} for name, field in fields.items()}
        cls._left_out = frozenset(name for name, found in marks.items() if LeftOut in found)
        cls.in_key = tuple(name for name, found in marks.items() if OnlyInKey in found)
        kind = fields.get("entity_type")
        cls.kind_filter = attr("entityType") == get_args(kind.annotation)[0] if kind else None
        cls._templates = {
            attribute: Template(text, number=attribute in cls.table.numbers)
            for attribute, text in cls.keys.items()
        }
        cls._templated = {name for each in cls._templates.values() for name in each.names}
        computed = sorted(cls._templated - set(cls.aliases.values()))
        cls._properties = tuple((name, _snake(name)) for name in computed)
        cls._known = frozenset((*cls.table.key_attributes, *cls.aliases.values(), *computed))

    @classmethod
    def load(cls: type[R], item: Item) -> R:
        table, values = cls.table, item
        if cls.in_key:
            values = {**item, **cls._read(item[table.partition], item[table.sort])}
        record: R = cls.__pydantic_validator__.validate_python(values)
        record.__dict__["stored"] = item
        return record

    @classmethod
    def matches_key(cls, key: Key[Any]) -> bool:
        partition, sort = cls._key_templates()
        at_home = key.table is cls.table
        return at_home and partition.fits(key.partition) and sort.fits(key.sort)

    def item(self) -> dict[str, Value]:
        values, stored = self._values(), self.stored
        item: dict[str, Value] = {}
        for name, template in self._templates.items():
            if (key := template.fill(values)) is not None:
                item[name] = key
        if stored is not None and not stored.keys() <= self._known:
            known = self._known
            item.update((name, value) for name, value in stored.items() if name not in known)
        for name, alias in self.aliases.items():
            value = values[alias]
            is_kept = value and (stored is None or alias in stored)
            if is_kept or not self._omits(name, value):
                item[alias] = list(value) if type(value) is tuple else value
        for name in self.in_key:
            del item[self.aliases[name]]
        return item

    def changed(self: R, **changes: Any) -> R:
        unknown = changes.keys() - self.aliases.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        fields = {name: self.__dict__[name] for name in self.aliases} | changes
        record: R = self.__pydantic_validator__.validate_python(fields)
        record.__dict__["stored"] = self.stored
        return record

    @property
    def unchanged(self) -> Condition:
        name, value = self.lock, getattr(self, self.lock)
        attribute = attr(self.aliases[name])
        if isinstance(value, tuple):
            return attribute == [*value] if value else absent
        return exists & attribute.missing if self._omits(name, value) else attribute == value

    def put(self, when: Condition | None = None) -> Put:
        return Put(self.table, self.item(), when)

    def replacing(self: R, old: R) -> Put:
        return self.put(old.unchanged)

    def updating(self: R, old: R) -> Update:
        changes: list[UpdateAction] = []
        for name, alias in self.aliases.items():
            value = getattr(self, name)
            if value != getattr(old, name):
                changes.append(Remove(alias) if value is None else Set(alias, value))
        return self.update(self.own_key(), *changes, when=old.unchanged)

    def delete(self, when: Condition | None = None) -> Delete:
        return Delete(self.own_key(), when)

    def check(self, when: Condition = exists) -> Check:
        return Check(self.own_key(), when)

    def own_key(self: R) -> Key[R]:
        return self._key_from(self._values())

    @classmethod
    def key(cls: type[R], **known: Any) -> Key[R]:
        return cls._key_from(cls._aliased(known))

    @classmethod
    def read_key(cls, key: Key[Any]) -> dict[str, str]:
        return {k: str(value) for k, value in cls._read(key.partition, key.sort).items()}

    @classmethod
    def where(cls: type[R], index: str | None = None, **known: Any) -> Query[R]:
        """Query one partition by the leading fields of the sort key."""
        partition, sort = cls._key_templates(index)
        values = cls._aliased(known)
        usable = {*partition.names, *takewhile(values.__contains__, sort.names)}
        if unusable := ", ".join(sorted(values.keys() - usable)):
            raise ValueError(f"{unusable} cannot be used without what is before it")
        return cls._query(index, partition, values, sort.sort(values))

    @classmethod
    def between(
        cls: type[R], name: str, low: Any, high: Any, index: str | None = None, **known: Any
    ) -> Query[R]:
        """Query a range of the next sort key field; None leaves that end open."""
        partition, sort = cls._key_templates(index)
        values = cls._aliased(known)
        return cls._query(index, partition, values, sort.between(values, to_camel(name), low, high))

    @classmethod
    def update(cls, key: Key[Any], *changes: UpdateAction, when: Condition | None = None) -> Update:
        """Change attributes in place; one that is part of a key requires a put."""
        for change in changes:
            if change.attribute in cls._templated or change.attribute in cls.table.key_attributes:
                raise ValueError(f"{change.attribute} is part of a key: put the record instead")
        return Update(key, changes, when)

    @classmethod
    def _query(
        cls: type[R],
        index: str | None,
        partition: Template,
        values: Mapping[str, Any],
        sort: Sort | None,
    ) -> Query[R]:
        found = partition.fill(values)
        if found is None:
            raise ValueError(f"a partition of {cls.__name__} needs a value for each of its fields")
        kind = cls.kind_filter
        return Query(cls.table, found, cls.load, index=index, sort=sort, filter=kind, kind=cls)

    @classmethod
    def _read(cls, partition: Any, sort: Any) -> dict[str, Any]:
        of_partition, of_sort = cls._key_templates()
        return of_partition.read(partition) | of_sort.read(sort)

    @classmethod
    def _key_templates(cls, index: str | None = None) -> tuple[Template, Template]:
        found = cls.table.index(index) if index else cls.table
        return cls._templates[found.partition], cls._templates[found.sort]

    @classmethod
    def _aliased(cls, known: Mapping[str, Any]) -> dict[str, Any]:
        return {_camel(name): value for name, value in known.items()}

    @classmethod
    def _key_from(cls: type[R], values: Mapping[str, Any]) -> Key[R]:
        partition = cls._templates[cls.table.partition].fill(values)
        sort = cls._templates[cls.table.sort].fill(values)
        if partition is None or sort is None:
            raise ValueError(f"a key of {cls.__name__} needs a value for each of its fields")
        return Key(cls.table, partition, sort, cls.load)

    def _values(self) -> dict[str, Any]:
        fields = self.__dict__
        values = {alias: fields[name] for name, alias in self.aliases.items()}
        for name, property_ in self._properties:
            values[name] = getattr(self, property_)
        return values

    def _omits(self, name: str, value: Any) -> bool:
        if name in self._left_out and (value is None or value == ()):
            return True
        stored = self.stored
        if stored is None or self.aliases[name] in stored or name not in self._defaults:
            return False
        return bool(value == self._defaults[name])


class Versioned(Record):
    """A record that counts its rewrites, so that no caller overwrites a change it has not seen."""

    version: int = 1
    created_at: str
    updated_at: str

    def revised(self: V, at: str, **changes: Any) -> V:
        return self.changed(version=self.version + 1, updated_at=at, **changes)

    def new_version(self: V, **changes: Any) -> V:
        """Return the record as a new version, or itself if nothing changes."""
        if self.changed(**changes) == self:
            return self
        return self.revised(clock.after(self.updated_at), **changes)


_camel = cache(to_camel)  # as slow as the rest of a key, and there are few names


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
