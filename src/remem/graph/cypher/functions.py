"""The functions of a query that are not aggregates.

A function whose first argument is null returns null, unless it is in `_TAKES_NULL`.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.temporal import KINDS, Duration, Moment, between
from remem.graph.cypher.temporal_text import duration, in_days, moment
from remem.graph.cypher.tokens import MAX_INTEGER
from remem.graph.cypher.values import Node, Path, Relationship, type_of

_Function = Callable[..., Any]
_MAX_DIGITS: Final = 300
_INTEGER: Final = re.compile(r"[+-]?\d{1,100}", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _expect(value: Any, *kinds: str, name: str) -> None:
    if type_of(value) not in kinds:
        raise type_error(f"{name}() takes a {' or '.join(kinds)}, not {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, str | bool | int | float):
        return f"{str(value)[:40]!r}"
    return f"a {type_of(value)}"


def _size(value: Any) -> int:
    _expect(value, "string", "list", "map", name="size")
    return len(value)


def _length(value: Any) -> int:
    if isinstance(value, Path):
        return len(value.relationships)
    _expect(value, "string", "list", name="length")
    return len(value)


def _reverse(value: Any) -> Any:
    _expect(value, "string", "list", name="reverse")
    return value[::-1]


def _keys(value: Any) -> list[str]:
    return sorted(_properties(value, "keys"))


def _properties(value: Any, name: str = "properties") -> dict[str, Any]:
    if isinstance(value, Node | Relationship):
        value = value.properties
    if not isinstance(value, Mapping):
        raise type_error(f"{name}() takes a node, a relationship or a map, not {_shown(value)}")
    return dict(value)


def _labels(value: Any) -> list[str]:
    _expect(value, "node", name="labels")
    return sorted(value.labels)


def _type(value: Any) -> str:
    _expect(value, "relationship", name="type")
    return str(value.type)


def _id(value: Any) -> int | str:
    _expect(value, "node", "relationship", name="id")
    identity: int | str = value.id
    return identity


def _nodes(value: Any) -> list[Node]:
    _expect(value, "path", name="nodes")
    return list(value.nodes)


def _relationships(value: Any) -> list[Relationship]:
    _expect(value, "path", name="relationships")
    return list(value.relationships)


def _head(value: Any) -> Any:
    _expect(value, "list", name="head")
    return value[0] if value else None


def _last(value: Any) -> Any:
    _expect(value, "list", name="last")
    return value[-1] if value else None


def _tail(value: Any) -> Any:
    _expect(value, "list", name="tail")
    return list(value[1:])


def _to_integer(value: Any) -> int | None:
    _expect(value, "number", "string", "boolean", name="toInteger")
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) or (isinstance(value, str) and _INTEGER.fullmatch(value.strip())):
        return int(value)
    number = _to_float(value)
    return None if number is None or not math.isfinite(number) else int(number)


def _to_float(value: Any) -> float | None:
    _expect(value, "number", "string", name="toFloat")
    if isinstance(value, str) and not _DECIMAL.fullmatch(value.strip()):
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value.strip())
    return float(value)


def _to_boolean(value: Any) -> bool | None:
    _expect(value, "boolean", "string", "number", name="toBoolean")
    if isinstance(value, float):
        raise type_error(f"toBoolean() takes a boolean, a string or an integer, not {value}")
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def to_text(value: Any) -> str:
    """Return the value of `toString()`."""
    if isinstance(value, Moment | Duration):
        return str(value)
    _expect(value, "number", "boolean", "string", name="toString")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


def _float_text(value: float) -> str:
    """Return a float as openCypher writes it: 1.0, 1.0E20, NaN."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    return f"{digits if '.' in digits else f'{digits}.0'}E{int(exponent)}"


def _or_null(function: _Function) -> _Function:
    def convert(value: Any) -> Any:
        try:
            return function(value)
        except CypherError:
            return None

    return convert


def lazy_range(start: Any, end: Any, step: Any = 1) -> range:
    """Return the value of `range()` without its limit, for a caller that reads it one by one."""
    for value in (start, end, step):
        if not isinstance(value, int) or isinstance(value, bool):
            raise CypherError(
                f"range() takes integers, not {_shown(value)}",
                detail="InvalidArgumentType",
                kind="ArgumentError",
            )
    if step == 0:
        raise CypherError(
            "the step of range() cannot be 0", detail="NumberOutOfRange", kind="ArgumentError"
        )
    return range(start, end + (1 if step > 0 else -1), step)


def _range(start: Any, end: Any, step: Any = 1) -> list[int]:
    values = lazy_range(start, end, step)
    count = 0 if not values else (values[-1] - values.start) // values.step + 1
    if count > 100_000:
        raise CypherError(
            f"range() would have {count:,} items; the limit is 100,000",
            detail="NumberOutOfRange",
            kind="ArgumentError",
        )
    return list(values)


def _takes_numbers(name: str, function: Callable[..., Any]) -> _Function:
    """Return a function of numbers; null for a null, NaN where the result is not defined."""

    def compute(*values: Any) -> Any:
        if any(value is None for value in values):
            return None
        for value in values:
            _expect(value, "number", name=name)
        try:
            return function(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return compute


def _round(value: float, digits: float = 0) -> float:
    if not isinstance(digits, int) or not 0 <= digits <= _MAX_DIGITS:
        raise CypherError(
            f"round() takes 0 to {_MAX_DIGITS} digits, not {_shown(digits)}",
            detail="NumberOutOfRange",
            kind="ArgumentError",
        )
    if not math.isfinite(value):
        return value
    scale = 10.0**digits
    return math.floor(value * scale + 0.5) / scale if math.isfinite(value * scale) else float(value)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: float(function(value)) if math.isfinite(value) else value


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: -math.inf if value == 0 else function(value)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _takes_texts(name: str, function: Callable[..., Any], *others: str) -> _Function:
    """Return a function of a string and of arguments of the types `others`; null for a null."""

    def compute(value: Any, *more: Any) -> Any:
        _expect(value, "string", name=name)
        if any(argument is None for argument in more):
            return None
        for argument, kind in zip(more, others, strict=False):
            if kind == "integer" and (type(argument) is not int or argument < 0):
                raise CypherError(
                    f"{name}() takes integers from 0, not {_shown(argument)}",
                    detail="NumberOutOfRange",
                    kind="ArgumentError",
                )
            if kind == "string":
                _expect(argument, "string", name=name)
        return function(value, *more)

    return compute


def _substring(text: str, start: int, length: int | None = None) -> str:
    return text[start:] if length is None else text[start : start + length]


def _right(text: str, length: int) -> str:
    return text[-length:] if length else ""


def _split(text: str, separator: str) -> list[str]:
    return text.split(separator) if separator else list(text)


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _exists(value: Any) -> bool:
    return value is not None


def _between(first: Any, second: Any, *, whole_days: bool = False) -> Duration | None:
    if second is None:
        return None
    if not isinstance(first, Moment) or not isinstance(second, Moment):
        name = "inDays" if whole_days else "between"
        raise type_error(f"duration.{name}() takes two dates or times")
    found = between(first, second)
    return in_days(found, first, second) if whole_days else found


_ONE: Final = (1, 1)
_FUNCTIONS: Final[dict[str, tuple[_Function, tuple[int, int]]]] = {
    "size": (_size, _ONE),
    "length": (_length, _ONE),
    "reverse": (_reverse, _ONE),
    "keys": (_keys, _ONE),
    "properties": (_properties, _ONE),
    "labels": (_labels, _ONE),
    "type": (_type, _ONE),
    "id": (_id, _ONE),
    "elementid": (lambda value: str(_id(value)), _ONE),
    "nodes": (_nodes, _ONE),
    "relationships": (_relationships, _ONE),
    "head": (_head, _ONE),
    "last": (_last, _ONE),
    "tail": (_tail, _ONE),
    "tointeger": (_to_integer, _ONE),
    "tofloat": (_to_float, _ONE),
    "toboolean": (_to_boolean, _ONE),
    "tostring": (to_text, _ONE),
    "tointegerornull": (_or_null(_to_integer), _ONE),
    "tofloatornull": (_or_null(_to_float), _ONE),
    "tobooleanornull": (_or_null(_to_boolean), _ONE),
    "tostringornull": (_or_null(to_text), _ONE),
    "range": (_range, (2, 3)),
    "abs": (_takes_numbers("abs", abs), _ONE),
    "ceil": (_takes_numbers("ceil", _whole(math.ceil)), _ONE),
    "floor": (_takes_numbers("floor", _whole(math.floor)), _ONE),
    "round": (_takes_numbers("round", _round), (1, 2)),
    "sign": (_takes_numbers("sign", _sign), _ONE),
    "sqrt": (_takes_numbers("sqrt", math.sqrt), _ONE),
    "exp": (_takes_numbers("exp", math.exp), _ONE),
    "log": (_takes_numbers("log", _logarithm(math.log)), _ONE),
    "log10": (_takes_numbers("log10", _logarithm(math.log10)), _ONE),
    "sin": (_takes_numbers("sin", math.sin), _ONE),
    "cos": (_takes_numbers("cos", math.cos), _ONE),
    "tan": (_takes_numbers("tan", math.tan), _ONE),
    "asin": (_takes_numbers("asin", math.asin), _ONE),
    "acos": (_takes_numbers("acos", math.acos), _ONE),
    "atan": (_takes_numbers("atan", math.atan), _ONE),
    "atan2": (_takes_numbers("atan2", math.atan2), (2, 2)),
    "degrees": (_takes_numbers("degrees", math.degrees), _ONE),
    "radians": (_takes_numbers("radians", math.radians), _ONE),
    "pi": (lambda: math.pi, (0, 0)),
    "e": (lambda: math.e, (0, 0)),
    "rand": (random.random, (0, 0)),
    "substring": (_takes_texts("substring", _substring, "integer", "integer"), (2, 3)),
    "left": (_takes_texts("left", lambda text, count: text[:count], "integer"), (2, 2)),
    "right": (_takes_texts("right", _right, "integer"), (2, 2)),
    "replace": (_takes_texts("replace", str.replace, "string", "string"), (3, 3)),
    "split": (_takes_texts("split", _split, "string"), (2, 2)),
    "trim": (_takes_texts("trim", str.strip), _ONE),
    "ltrim": (_takes_texts("lTrim", str.lstrip), _ONE),
    "rtrim": (_takes_texts("rTrim", str.rstrip), _ONE),
    "tolower": (_takes_texts("toLower", str.lower), _ONE),
    "toupper": (_takes_texts("toUpper", str.upper), _ONE),
    "lower": (_takes_texts("lower", str.lower), _ONE),
    "upper": (_takes_texts("upper", str.upper), _ONE),
    "coalesce": (_coalesce, (1, 100)),
    "exists": (_exists, _ONE),
    **{kind: (partial(moment, kind), (0, 1)) for kind in KINDS},
    "duration": (duration, _ONE),
    "duration.between": (_between, (2, 2)),
    "duration.indays": (partial(_between, whole_days=True), (2, 2)),
    "startnode": (lambda value: value, _ONE),  # the evaluator looks the node up
    "endnode": (lambda value: value, _ONE),
}
_TAKES_NULL: Final = ("coalesce", "exists", "range")
NAMES: Final = frozenset(_FUNCTIONS)


def arity(name: str) -> tuple[int, int]:
    """Return the smallest and the largest number of arguments."""
    return _FUNCTIONS[name][1]


def call(name: str, arguments: Sequence[Any]) -> Any:
    """Return the value of a function."""
    if arguments and arguments[0] is None and name not in _TAKES_NULL:
        return None
    result = _FUNCTIONS[name][0](*arguments)
    if type(result) is int and not -MAX_INTEGER - 1 <= result <= MAX_INTEGER:
        raise type_error(f"{name}() is out of the range of integers", "NumberOutOfRange")
    return result
