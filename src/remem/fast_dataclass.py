"""A `dataclass` decorator that defines frozen classes with slots in a third of the usual time.

Each command defines about a hundred such classes. The standard library compiles six methods for
each of them, which took a third of a command's time. Here only `__init__` is compiled, and only
when the first instance is made, which in a short command never happens for half of the classes; the
other methods are shared by all classes. In every other respect the classes are dataclasses:
`fields`, `replace`, `asdict`, pattern matching and type checkers work as usual. Any other class is
left to the standard library: one that is not frozen, has no slots or inherits from a dataclass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        """See `dataclasses.dataclass`."""
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        kw_only = options.pop("kw_only", False)
        is_plain = options == {"frozen": True, "slots": True}
        if not is_plain or any(dataclasses.is_dataclass(base) for base in cls.__mro__):
            return dataclasses.dataclass(cls, kw_only=kw_only, **options)
        return _make_frozen(cls, kw_only=kw_only)


_MISSING: Final = dataclasses.MISSING


class _Factory:
    """The default of a parameter whose field has a default factory; `help()` prints it."""

    def __repr__(self) -> str:
        return "<factory>"


def _make_frozen(cls: type, *, kw_only: bool) -> Any:
    """Return a frozen dataclass with slots, whose `__init__` is compiled later."""
    own_attributes = cls.__dict__
    if not cls.__doc__:  # otherwise the standard library makes one from the signature, slowly
        cls.__doc__ = cls.__name__
    decorate = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    decorated: Any = decorate(cls)
    decorated.__dataclass_params__ = _PARAMETERS
    for name, method in _METHODS.items():
        if name not in own_attributes or (name == "__hash__" and own_attributes[name] is None):
            setattr(decorated, name, method)
    if "__init__" not in own_attributes:
        decorated.__init__ = _LazyInit(decorated)
    return decorated


class _LazyInit:
    """A placeholder for `__init__`, which compiles it and is replaced by it on first use."""

    def __init__(self, cls: Any) -> None:
        self._cls = cls

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        init = _compile_init(self._cls)
        self._cls.__init__ = init
        return init if instance is None else init.__get__(instance, owner)


def _compile_init(cls: Any) -> Any:
    """Compile `__init__`; it sets each slot directly, which is also faster than `setattr`."""
    fields = dataclasses.fields(cls)
    names: dict[str, Any] = {"_factory": _Factory()}
    parameters: list[str] = []
    keywords: list[str] = []
    body: list[str] = []
    for field in fields:
        name, default, value = field.name, "", field.name
        names[f"_set_{name}"] = cls.__dict__[name].__set__
        if field.default is not _MISSING:
            names[f"_default_{name}"] = field.default
            default = f"_default_{name}"
        elif field.default_factory is not _MISSING:
            names[f"_make_{name}"] = field.default_factory
            default, value = "_factory", f"_make_{name}() if {name} is _factory else {name}"
        if field.init:
            parameter = f"{name}={default}" if default else name
            (keywords if field.kw_only else parameters).append(parameter)
            body.append(f"_set_{name}(self, {value})")
        elif default:
            value = f"_make_{name}()" if default == "_factory" else default
            body.append(f"_set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *keywords] if keywords else [])])
    lines = "\n    ".join(body or ["pass"])
    code = f"def __init__({signature}):\n    {lines}"
    exec(code, names)  # noqa: S102 - as the standard library does
    init = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init}
    init.__annotations__["return"] = None
    return init


@cache
def _comparison_key(cls: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values by which an instance is compared."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _eq(self: Any, other: Any) -> Any:
    cls: Any = self.__class__
    if other.__class__ is not cls:
        return NotImplemented
    key = _comparison_key(cls)
    return key(self) == key(other)


def _hash(self: Any) -> int:
    cls: Any = self.__class__
    return hash(_comparison_key(cls)(self))


def _repr(self: Any) -> str:
    values = (
        f"{field.name}={getattr(self, field.name)!r}"
        for field in dataclasses.fields(self)
        if field.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(values)})"


def _setattr(_self: Any, name: str, _value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_METHODS: Final = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
for _name, _method in _METHODS.items():
    _method.__name__ = _name  # as `help()` shows it


@dataclasses.dataclass(frozen=True, slots=True)
class _Example:
    """A class whose `__dataclass_params__` are shared by all frozen classes."""


_PARAMETERS: Final = _Example.__dataclass_params__  # type: ignore[attr-defined]
