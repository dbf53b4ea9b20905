"""The functions of a query that are not aggregates.

A function whose first argument is null returns null, unless it is in `_TAKES_NULL`.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from remem.graph.cypher.checked_functions import FUNCTIONS, Function, expect, shown
from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.temporal import (
    KINDS,
    Duration,
    Kind,
    Moment,
    between,
    days_between,
    months_between,
    seconds_between,
)
from remem.graph.cypher.temporal_fields import from_epoch, truncated
from remem.graph.cypher.temporal_text import duration, moment
from remem.graph.cypher.tokens import MAX_INTEGER
from remem.graph.cypher.values import Node, Path, Relationship, equals

_INTEGER: Final = re.compile(r"[+-]?\d{1,100}", re.ASCII)
_CLOCKS: Final = ("transaction", "statement", "realtime")
_DECIMAL: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ONE: Final = (1, 1)
_WITHOUT_ARGUMENTS: Final = ("pi", "e", "rand")
_TAKES_NULL: Final = ("coalesce", "exists", "range")


def _size(value: Any) -> int:
    expect(value, "string", "list", "map", name="size")
    return len(value)


def _length(value: Any) -> int:
    if isinstance(value, Path):
        return len(value.relationships)
    expect(value, "string", "list", name="length")
    return len(value)


def _reverse(value: Any) -> Any:
    expect(value, "string", "list", name="reverse")
    return value[::-1]


def _keys(value: Any) -> list[str]:
    return sorted(_properties(value, "keys"))


def _properties(value: Any, name: str = "properties") -> dict[str, Any]:
    if isinstance(value, Node | Relationship):
        value = value.properties
    if not isinstance(value, Mapping):
        raise type_error(f"{name}() takes a node, a relationship or a map, not {shown(value)}")
    return dict(value)


def _labels(value: Any) -> list[str]:
    expect(value, "node", name="labels")
    return sorted(value.labels)


def _type(value: Any) -> str:
    expect(value, "relationship", name="type")
    return str(value.type)


def _id(value: Any) -> int | str:
    expect(value, "node", "relationship", name="id")
    identity: int | str = value.id
    return identity


def _nodes(value: Any) -> list[Node]:
    expect(value, "path", name="nodes")
    return list(value.nodes)


def _relationships(value: Any) -> list[Relationship]:
    expect(value, "path", name="relationships")
    return list(value.relationships)


def _head(value: Any) -> Any:
    expect(value, "list", name="head")
    return value[0] if value else None


def _last(value: Any) -> Any:
    expect(value, "list", name="last")
    return value[-1] if value else None


def _tail(value: Any) -> Any:
    expect(value, "list", name="tail")
    return list(value[1:])


def _to_integer(value: Any) -> int | None:
    expect(value, "number", "string", "boolean", name="toInteger")
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) or (isinstance(value, str) and _INTEGER.fullmatch(value.strip())):
        return int(value)
    number = _to_float(value)
    return None if number is None or not math.isfinite(number) else int(number)


def _to_float(value: Any) -> float | None:
    expect(value, "number", "string", name="toFloat")
    if isinstance(value, str) and not _DECIMAL.fullmatch(value.strip()):
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value.strip())
    return float(value)


def _to_boolean(value: Any) -> bool | None:
    expect(value, "boolean", "string", "number", name="toBoolean")
    if isinstance(value, float):
        raise type_error(f"toBoolean() takes a boolean, a string or an integer, not {value}")
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def to_text(value: Any) -> str:
    """Return the value of `toString()`."""
    if isinstance(value, Moment | Duration):
        return str(value)
    expect(value, "number", "boolean", "string", name="toString")
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


def _or_null(function: Function) -> Function:
    """Return a function that returns null where `function` fails."""

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
                f"range() takes integers, not {shown(value)}",
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


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _exists(value: Any) -> bool:
    return value is not None


def _between(name: str, length: Function, first: Any, second: Any) -> Duration | None:
    if second is None:
        return None
    if not isinstance(first, Moment) or not isinstance(second, Moment):
        raise type_error(f"duration.{name}() takes two dates or times")
    result: Duration = length(first, second)
    return result


def _clock(kind: Kind, now: Any) -> Moment:
    if not isinstance(now, datetime):
        raise type_error("a clock takes no time zone; it is in UTC")
    return moment(kind, now)


_FUNCTIONS: Final[dict[str, tuple[Function, tuple[int, int]]]] = {
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
    **FUNCTIONS,
    "pi": (lambda: math.pi, (0, 0)),
    "e": (lambda: math.e, (0, 0)),
    "rand": (random.random, (0, 0)),
    "timestamp": (lambda now: int(now.timestamp() * 1000), (0, 0)),
    "isempty": (lambda value: not _size(value), _ONE),
    "nullif": (lambda first, second: None if equals(first, second) else first, (2, 2)),
    "coalesce": (_coalesce, (1, 100)),
    "exists": (_exists, _ONE),
    **{kind: (partial(moment, kind), (0, 1)) for kind in KINDS},
    "duration": (duration, _ONE),
    **{f"{kind}.{clock}": (partial(_clock, kind), (0, 1)) for kind in KINDS for clock in _CLOCKS},
    "datetime.fromepoch": (from_epoch, (2, 2)),
    "datetime.fromepochmillis": (lambda value: from_epoch(0, value, 10**6), _ONE),
    **{f"{kind}.truncate": (partial(truncated, kind), (2, 3)) for kind in KINDS},
    **{
        f"duration.{name.lower()}": (partial(_between, name, length), (2, 2))
        for name, length in (
            ("between", between),
            ("inMonths", months_between),
            ("inDays", days_between),
            ("inSeconds", seconds_between),
        )
    },
    "startnode": (lambda value: value, _ONE),  # the evaluator looks the node up
    "endnode": (lambda value: value, _ONE),
}
NAMES: Final = frozenset(_FUNCTIONS)


def arity(name: str) -> tuple[int, int]:
    """Return the smallest and the largest number of arguments of a function."""
    return _FUNCTIONS[name][1]


def call(name: str, arguments: Sequence[Any], now: datetime) -> Any:
    """Return the value of a function; without arguments, that of a clock is the time `now`."""
    if not arguments and name not in _WITHOUT_ARGUMENTS:
        arguments = (datetime.now(UTC) if name.endswith(".realtime") else now,)
    if arguments and arguments[0] is None and name not in _TAKES_NULL:
        return None
    result = _FUNCTIONS[name][0](*arguments)
    if type(result) is int and not -MAX_INTEGER - 1 <= result <= MAX_INTEGER:
        raise type_error(f"{name}() is out of the range of integers", "NumberOutOfRange")
    return result
