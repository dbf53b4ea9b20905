"""Frozen classes of `remem.fast_dataclass` behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any, Generic, TypeVar

import pytest

from remem.fast_dataclass import dataclass
from tests.tables import each_row

T = TypeVar("T")


class Plain:
    """A class with fields of every kind."""

    name: str
    size: int = 3
    tags: list[str] = field(default_factory=list, compare=False)
    hidden: str = field(default="h", repr=False)
    kind: str = field(default="k", init=False)
    only: bool = field(default=False, kw_only=True)

    @property
    def shout(self) -> str:
        return self.name.upper()


def made_by(decorator: Any) -> Any:
    body = {key: value for key, value in vars(Plain).items() if not key.startswith("__")}
    body |= {"__annotations__": dict(Plain.__annotations__), "__module__": __name__}
    body |= {"__qualname__": "Made", "__doc__": "Made."}
    return decorator(frozen=True, slots=True)(type("Made", (), body))


FAST, STANDARD = made_by(dataclass), made_by(dataclasses.dataclass)
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 4), {"tags": ["x"]}),
    ((), {"name": "b", "hidden": "z", "only": True}),
]


@each_row(("arguments", "keywords"), CALLS)
def test_instances_have_the_same_values_and_text(
    arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    fast, standard = FAST(*arguments, **keywords), STANDARD(*arguments, **keywords)

    assert dataclasses.asdict(fast) == dataclasses.asdict(standard)
    assert repr(fast) == repr(standard)
    assert fast.shout == standard.shout


def test_the_signature_and_the_fields_are_the_same() -> None:
    assert str(inspect.signature(FAST)) == str(inspect.signature(STANDARD))
    assert [one.name for one in fields(FAST)] == [one.name for one in fields(STANDARD)]
    assert FAST.__match_args__ == STANDARD.__match_args__
    assert FAST.__slots__ == STANDARD.__slots__


def test_equality_and_hash_use_the_compared_fields_of_one_class() -> None:
    assert FAST("a", tags=["x"]) == FAST("a", tags=["y"])
    assert hash(FAST("a", tags=["x"])) == hash(FAST("a", tags=["y"]))
    assert FAST("a") != FAST("b")
    assert FAST("a") != STANDARD("a")


def test_a_missing_or_unknown_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        FAST()
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        FAST("a", colour="red")


def test_a_default_made_by_a_factory_is_not_shared() -> None:
    FAST("a").tags.append("x")

    assert FAST("b").tags == []


def test_nothing_can_be_assigned_or_deleted() -> None:
    value = FAST("a")

    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    with pytest.raises(FrozenInstanceError):
        value.other = 1


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """A generic class that checks its values."""

    left: T
    right: T

    def __post_init__(self) -> None:
        if self.left is None:
            raise ValueError("left is missing")


@dataclass(frozen=True, slots=True)
class Named(Pair[int]):
    """A class with a dataclass as its base."""

    name: str = "n"


def test_copies_pickles_and_replacements_are_equal() -> None:
    value = Pair("a", "b")

    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert replace(value, right="c") == Pair("a", "c")


def test_values_are_checked_after_they_are_set() -> None:
    with pytest.raises(ValueError, match="left is missing"):
        Pair(None, None)


def test_a_class_can_be_extended() -> None:
    assert Named(1, 2) == Named(1, 2, "n")
    assert Named(1, 2) != Pair(1, 2)
    with pytest.raises(FrozenInstanceError):
        Named(1, 2).name = "m"  # type: ignore[misc]
