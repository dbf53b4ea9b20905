"""The operators on numbers, texts and truth values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.syntax import Binary, Expression
from remem.graph.cypher.temporal import Duration, Moment
from remem.graph.cypher.tokens import MAX_INTEGER
from remem.graph.cypher.values import (
    Node,
    Relationship,
    Truth,
    both,
    either,
    equals,
    is_less,
    type_of,
)

TEXT: Final[dict[str, Callable[[str, str], bool]]] = {
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "CONTAINS": lambda text, part: part in text,
}


LOGIC: Final[dict[str, Callable[[Truth, Truth], Truth]]] = {
    "AND": both,
    "OR": either,
    "XOR": lambda left, right: None if left is None or right is None else left != right,
}


def _all(true: int, unknown: int, count: int) -> Truth:
    if true == count:
        return True
    return None if true + unknown == count else False


def _any(true: int, unknown: int, _: int) -> Truth:
    return True if true else None if unknown else False


def _none(true: int, unknown: int, _: int) -> Truth:
    return False if true else None if unknown else True


def _single(true: int, unknown: int, _: int) -> Truth:
    if true > 1:
        return False
    return None if unknown else true == 1


QUANTIFIED: Final = {"all": _all, "any": _any, "none": _none, "single": _single}


def compared(left: Any, operator: str, right: Any, at: int) -> Truth:
    """Return the value of a comparison, such as `=` or `<`."""
    if operator in ("=", "<>"):
        same = equals(left, right)
        return same if same is None or operator == "=" else not same
    for moment, text in ((left, right), (right, left)):
        if isinstance(moment, Moment) and isinstance(text, str):  # null would hide the mistake
            raise CypherError(
                f"a {moment.kind} cannot be compared with a text",
                detail="InvalidArgumentType",
                kind="TypeError",
                position=at,
                hint=f"convert the text: {moment.kind}('{moment}')",
            )
    return is_less(left, operator, right)


def _temporal(operator: str, left: Any, right: Any) -> Moment | Duration | None:
    """Return the value of an operator on times and durations; None if it is not defined."""
    if operator in ("+", "-") and isinstance(right, Duration):
        sign = 1 if operator == "+" else -1
        return left.plus(right, sign) if isinstance(left, Moment | Duration) else None
    if operator == "+" and isinstance(left, Duration) and isinstance(right, Moment):
        return right.plus(left)
    if operator == "*" and isinstance(right, Duration):
        left, right = right, left
    is_number = type_of(right) == "number" and math.isfinite(right)
    if isinstance(left, Duration) and is_number and operator in ("*", "/"):
        factor = Fraction(str(right))
        if operator == "*":
            return left.times(factor)
        return left.times(1 / factor) if factor else None
    return None


def require_number(value: Any, expression: Expression) -> None:
    """Raise CypherError if an expression's value is not a number."""
    if type_of(value) != "number":
        raise CypherError(
            f"expected a number, not a {type_of(value)}",
            detail="InvalidArgumentType",
            kind="TypeError",
            position=expression.at,
        )


def arithmetic(expression: Binary, left: Any, right: Any) -> int | float | Moment | Duration:
    """Return the value of an arithmetic operator on numbers, times and durations."""
    if isinstance(left, Moment | Duration) or isinstance(right, Moment | Duration):
        value = _temporal(expression.operator, left, right)
        if value is not None:
            return value
    require_number(left, expression)
    require_number(right, expression)
    result: int | float
    match expression.operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "^":
            result = _power(left, right)
        case _:
            result = _divided(expression, left, right)
    if isinstance(result, int) and not -MAX_INTEGER - 1 <= result <= MAX_INTEGER:
        raise type_error("the result is out of the range of integers", "NumberOutOfRange")
    return result


def _power(left: float, right: float) -> float:
    try:
        result = float(left) ** float(right)
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return result if isinstance(result, float) else math.nan


def _divided(expression: Binary, left: Any, right: Any) -> int | float:
    """Return a quotient or a remainder; integers are divided towards zero."""
    whole = isinstance(left, int) and isinstance(right, int)
    if right == 0:
        if whole:
            raise CypherError(
                "division by zero",
                detail="DivideByZero",
                kind="ArithmeticError",
                position=expression.at,
            )
        if expression.operator == "%" or left == 0 or math.isnan(left):
            return math.nan
        return math.copysign(math.inf, left) * math.copysign(1, right)
    if expression.operator == "%":
        return left - right * _quotient(left, right) if whole else math.fmod(left, right)
    return _quotient(left, right) if whole else left / right


def _quotient(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def item_of(base: Any, index: Any) -> Any:
    """Return the value of `base[index]`; null if there is no such item."""
    if base is None or index is None:
        return None
    if isinstance(base, Node | Relationship):
        base = base.properties
    if isinstance(base, Mapping):
        if not isinstance(index, str):
            raise type_error("a map is indexed by strings", "MapElementAccessByNonString")
        return base.get(index)
    if not isinstance(base, list):
        raise type_error(f"a {type_of(base)} cannot be indexed", "InvalidArgumentType")
    if not isinstance(index, int) or isinstance(index, bool):
        raise type_error("a list is indexed by integers", "InvalidArgumentType")
    return base[index] if -len(base) <= index < len(base) else None


def slice_of(base: Any, start: Any, end: Any) -> list[Any]:
    """Return the value of `base[start..end]`; a bound that is missing is None."""
    if not isinstance(base, list):
        raise type_error(f"a {type_of(base)} cannot be sliced", "InvalidArgumentType")
    if not all(bound is None or type(bound) is int for bound in (start, end)):
        raise type_error("a list is sliced by integers", "InvalidArgumentType")
    return base[start:end]
