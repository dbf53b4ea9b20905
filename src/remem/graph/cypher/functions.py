"""The functions of a query that are not aggregates.

A function whose first argument is null returns null, unless it is in `_TAKES_NULL`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.tokens import MAX_INTEGER
from remem.graph.cypher.values import Node, Path, Relationship, type_of

_Function = Callable[..., Any]


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
    return sorted(_properties(value))


def _properties(value: Any) -> dict[str, Any]:
    if isinstance(value, Node | Relationship):
        value = value.properties
    if not isinstance(value, Mapping):
        raise type_error(f"properties() takes a node, a relationship or a map, not {_shown(value)}")
    return dict(value)


def _labels(value: Any) -> list[str]:
    _expect(value, "node", name="labels")
    return sorted(value.labels)


def _type(value: Any) -> str:
    _expect(value, "relationship", name="type")
    return str(value.type)


def _id(value: Any) -> int | str:
    _expect(value, "node", "relationship", name="id")
    return value.id  # type: ignore[no-any-return]  # `_expect` has checked it


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
    try:
        number = value if isinstance(value, int) else float(value)
        return int(number)
    except (ValueError, OverflowError):
        return None


def _to_float(value: Any) -> float | None:
    _expect(value, "number", "string", name="toFloat")
    try:
        return float(value)
    except ValueError:
        return None


def _to_boolean(value: Any) -> bool | None:
    _expect(value, "boolean", "string", "number", name="toBoolean")
    if isinstance(value, float):
        raise type_error(f"toBoolean() takes a boolean, a string or an integer, not {value}")
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def to_text(value: Any) -> str:
    """Return the value of `toString()`."""
    _expect(value, "number", "boolean", "string", name="toString")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _or_null(function: _Function) -> _Function:
    def convert(value: Any) -> Any:
        try:
            return function(value)
        except CypherError:
            return None

    return convert


def _range(start: Any, end: Any, step: Any = 1) -> list[int]:
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
    numbers = range(start, end + (1 if step > 0 else -1), step)
    if len(numbers) > 100_000:
        raise CypherError(
            f"range() would have {len(numbers):,} items; the limit is 100,000",
            detail="NumberOutOfRange",
            kind="ArgumentError",
        )
    return list(numbers)


def _number(function: Callable[[float], Any]) -> _Function:
    def compute(value: Any) -> Any:
        _expect(value, "number", name=getattr(function, "__name__", "the function"))
        try:
            return function(value)
        except (ValueError, OverflowError):
            return math.nan

    return compute


def _round(value: float, digits: Any = 0) -> float:
    _expect(value, "number", name="round")
    scale = 10.0 ** int(digits)
    return math.floor(value * scale + 0.5) / scale


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _text(function: Callable[..., Any]) -> _Function:
    def compute(value: Any, *more: Any) -> Any:
        _expect(value, "string", name="the function")
        if any(argument is None for argument in more):
            return None
        return function(value, *more)

    return compute


def _substring(text: str, start: Any, length: Any = None) -> str:
    if not isinstance(start, int) or start < 0 or (length is not None and length < 0):
        raise CypherError(
            "substring() takes positions from 0", detail="NumberOutOfRange", kind="ArgumentError"
        )
    return text[start:] if length is None else text[start : start + length]


def _split(text: str, separator: Any) -> list[str]:
    _expect(separator, "string", name="split")
    return text.split(separator) if separator else list(text)


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _exists(value: Any) -> bool:
    return value is not None


def _date(value: Any) -> str:
    """Return a day as text, which sorts like the times of the graph; invalid days are refused."""
    _expect(value, "string", name="date")
    try:
        return date.fromisoformat(value[:10]).isoformat()
    except ValueError:
        raise type_error(f"{value[:40]!r} is not a day such as 2026-01-31") from None


def _datetime(value: Any) -> str:
    _expect(value, "string", name="datetime")
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise type_error(f"{value[:40]!r} is not a time such as 2026-01-31T09:30:00Z") from None
    return str(value)


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
    "abs": (_number(abs), _ONE),
    "ceil": (_number(lambda value: float(math.ceil(value))), _ONE),
    "floor": (_number(lambda value: float(math.floor(value))), _ONE),
    "round": (_round, (1, 2)),
    "sign": (_number(_sign), _ONE),
    "sqrt": (_number(math.sqrt), _ONE),
    "exp": (_number(math.exp), _ONE),
    "log": (_number(math.log), _ONE),
    "log10": (_number(math.log10), _ONE),
    "sin": (_number(math.sin), _ONE),
    "cos": (_number(math.cos), _ONE),
    "tan": (_number(math.tan), _ONE),
    "asin": (_number(math.asin), _ONE),
    "acos": (_number(math.acos), _ONE),
    "atan": (_number(math.atan), _ONE),
    "atan2": (math.atan2, (2, 2)),
    "degrees": (_number(math.degrees), _ONE),
    "radians": (_number(math.radians), _ONE),
    "pi": (lambda: math.pi, (0, 0)),
    "e": (lambda: math.e, (0, 0)),
    "rand": (random.random, (0, 0)),
    "substring": (_text(_substring), (2, 3)),
    "left": (_text(lambda text, count: text[: max(count, 0)]), (2, 2)),
    "right": (_text(lambda text, count: text[-count:] if count > 0 else ""), (2, 2)),
    "replace": (_text(lambda text, old, new: text.replace(old, new)), (3, 3)),
    "split": (_text(_split), (2, 2)),
    "trim": (_text(str.strip), _ONE),
    "ltrim": (_text(str.lstrip), _ONE),
    "rtrim": (_text(str.rstrip), _ONE),
    "tolower": (_text(str.lower), _ONE),
    "toupper": (_text(str.upper), _ONE),
    "lower": (_text(str.lower), _ONE),
    "upper": (_text(str.upper), _ONE),
    "coalesce": (_coalesce, (1, 100)),
    "exists": (_exists, _ONE),
    "date": (_date, _ONE),
    "datetime": (_datetime, _ONE),
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
