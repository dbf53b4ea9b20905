"""The functions of numbers and of strings; each checks its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.values import type_of

Function = Callable[..., Any]
_MAX_DIGITS: Final = 300
_ONE: Final = (1, 1)


def expect(value: Any, *kinds: str, name: str) -> None:
    """Raise CypherError if a value of the function `name` has none of these types."""
    if type_of(value) not in kinds:
        raise type_error(f"{name}() takes a {' or '.join(kinds)}, not {shown(value)}")


def shown(value: Any) -> str:
    """Return a value, or only its type, as messages show it."""
    if isinstance(value, str | bool | int | float):
        return f"{str(value)[:40]!r}"
    return f"a {type_of(value)}"


def _takes_numbers(name: str, function: Callable[..., Any]) -> Function:
    """Return a function that checks its numbers.

    It returns null if one of them is null, and NaN where the result is not defined.
    """

    def compute(*values: Any) -> Any:
        if any(value is None for value in values):
            return None
        for value in values:
            expect(value, "number", name=name)
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
            f"round() takes 0 to {_MAX_DIGITS} digits, not {shown(digits)}",
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


def _takes_texts(name: str, function: Callable[..., Any], *others: str) -> Function:
    """Return a function that checks its string, and that its other arguments have these types.

    It returns null if one of the other arguments is null.
    """

    def compute(value: Any, *more: Any) -> Any:
        expect(value, "string", name=name)
        if any(argument is None for argument in more):
            return None
        for argument, kind in zip(more, others, strict=False):
            if kind == "integer" and (type(argument) is not int or argument < 0):
                raise CypherError(
                    f"{name}() takes integers from 0, not {shown(argument)}",
                    detail="NumberOutOfRange",
                    kind="ArgumentError",
                )
            if kind == "string":
                expect(argument, "string", name=name)
        return function(value, *more)

    return compute


def _substring(text: str, start: int, length: int | None = None) -> str:
    return text[start:] if length is None else text[start : start + length]


def _right(text: str, length: int) -> str:
    return text[-length:] if length else ""


def _split(text: str, separator: str) -> list[str]:
    return text.split(separator) if separator else list(text)


FUNCTIONS: Final[dict[str, tuple[Function, tuple[int, int]]]] = {
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
    "cot": (_takes_numbers("cot", lambda value: 1 / math.tan(value) if value else math.inf), _ONE),
    "haversin": (_takes_numbers("haversin", lambda value: (1 - math.cos(value)) / 2), _ONE),
    "isnan": (_takes_numbers("isNaN", math.isnan), _ONE),
    "degrees": (_takes_numbers("degrees", math.degrees), _ONE),
    "radians": (_takes_numbers("radians", math.radians), _ONE),
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
}
