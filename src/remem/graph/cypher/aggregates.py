"""Aggregates: count, sum, avg, min, max, collect, percentiles and deviations."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from remem.graph.cypher.evaluate import Evaluator, Row
from remem.graph.cypher.failures import CypherError, type_error
from remem.graph.cypher.limits import Meter
from remem.graph.cypher.syntax import Call, Expression
from remem.graph.cypher.values import identity, sort_key, type_of


class Accumulator:
    """Collects the values of one aggregate over the rows of a group, except nulls."""

    def __init__(self, expression: Expression, evaluator: Evaluator, meter: Meter) -> None:
        self._expression = expression
        self._evaluator = evaluator
        self._meter = meter
        self._values: list[Any] = []
        self._seen: set[Hashable] = set()
        self._rows = 0
        self._fraction: Any = None

    def add(self, row: Row) -> None:
        self._rows += 1
        if not isinstance(self._expression, Call):
            return
        value = self._evaluator.value(self._expression.arguments[0], row)
        if len(self._expression.arguments) > 1:
            self._fraction = self._evaluator.value(self._expression.arguments[1], row)
        if value is None:
            return
        if self._expression.distinct:
            self._meter.read(value)
            key = identity(value)
            if key in self._seen:
                return
            self._meter.copy(value)
            self._seen.add(key)
        if self._expression.name in ("min", "max"):
            self._meter.read(value)
        self._meter.keep(1)
        self._values.append(value)

    def result(self) -> Any:
        if not isinstance(self._expression, Call):
            return self._rows
        name = self._expression.name
        try:
            if name in _PERCENTILES:
                return _PERCENTILES[name](_numbers(self._values, name), self._fraction)
            return _AGGREGATES[name](self._values)
        except CypherError as error:
            error.locate(self._expression.at)
            raise


def _numbers(values: Sequence[Any], name: str) -> list[float]:
    for value in values:
        if type_of(value) != "number":
            raise type_error(f"{name}() takes numbers, not a {type_of(value)}")
    return list(values)


def _sum(values: Sequence[Any]) -> Any:
    return sum(_numbers(values, "sum"))


def _average(values: Sequence[Any]) -> float | None:
    numbers = _numbers(values, "avg")
    return math.fsum(numbers) / len(numbers) if numbers else None


def _deviation(values: Sequence[Any]) -> float:
    numbers = _numbers(values, "stDev")
    return statistics.stdev(numbers) if len(numbers) > 1 else 0.0


def _population_deviation(values: Sequence[Any]) -> float:
    numbers = _numbers(values, "stDevP")
    return statistics.pstdev(numbers) if numbers else 0.0


def _check_fraction(fraction: Any) -> float:
    if type_of(fraction) != "number" or not 0 <= fraction <= 1:
        raise CypherError(
            f"a percentile is a number from 0 to 1, not {fraction}",
            detail="NumberOutOfRange",
            kind="ArgumentError",
        )
    return float(fraction)


def _percentile_disc(values: Sequence[float], fraction: Any) -> float | None:
    if not values:
        return None
    at = math.ceil(_check_fraction(fraction) * len(values)) - 1
    return sorted(values)[max(at, 0)]


def _percentile_cont(values: Sequence[float], fraction: Any) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    at = _check_fraction(fraction) * (len(ordered) - 1)
    low, high = math.floor(at), math.ceil(at)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (at - low))


_AGGREGATES: Final[dict[str, Callable[[Sequence[Any]], Any]]] = {
    "count": len,
    "sum": _sum,
    "avg": _average,
    "min": lambda values: min(values, key=sort_key, default=None),
    "max": lambda values: max(values, key=sort_key, default=None),
    "collect": list,
    "stdev": _deviation,
    "stdevp": _population_deviation,
}
_PERCENTILES: Final = {"percentiledisc": _percentile_disc, "percentilecont": _percentile_cont}
