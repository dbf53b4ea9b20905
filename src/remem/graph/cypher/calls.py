"""Parse function calls, quantifiers such as `all`, `reduce` and CASE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.self_references import separate
from remem.graph.cypher.syntax import (
    Call,
    Case,
    CountAll,
    Expression,
    MatchClause,
    PatternPredicate,
    Quantifier,
    Query,
    Reduce,
    Subquery,
)

_QUANTIFIERS: Final = ("all", "any", "none", "single")


class CallParser:
    """Parses what looks like a call; `expression` parses its arguments."""

    def __init__(self, cursor: Cursor, expression: Callable[[], Expression]) -> None:
        self._cursor = cursor
        self._expression = expression

    def call(self) -> Expression | None:
        """Parse a function call, `count(*)`, a quantifier or `reduce`; None for a plain name."""
        at = self._cursor.token.position
        name = self._function_name()
        if not name or not self._cursor.sees_symbol("("):
            return None
        lowered = name.lower()
        if lowered in _QUANTIFIERS:
            quantifier = self._cursor.attempt(lambda: self._quantifier(lowered, at))
            if quantifier is not None:
                return quantifier
        if lowered == "reduce":
            return self._reduce(at)
        self._cursor.expect_symbol("(")
        if lowered == "count" and self._cursor.take_symbol("*"):
            self._cursor.expect_symbol(")")
            return CountAll(at=at)
        distinct = self._cursor.take("DISTINCT")
        arguments = self.arguments(")")
        if lowered == "exists" and len(arguments) == 1:
            argument = arguments[0]
            if isinstance(argument, PatternPredicate):
                match = MatchClause(*separate([argument.pattern], None), optional=False, at=at)
                return Subquery("exists", Query(((match,),)), at=at)
        return Call(lowered, arguments, distinct, at=at)

    def _function_name(self) -> str:
        parts = [self._cursor.expect_name("a name")]
        while self._cursor.sees_symbol(".") and self._cursor.ahead(1).kind == "name":
            self._cursor.advance()
            parts.append(self._cursor.expect_name("a name"))
        return ".".join(parts)

    def _quantifier(self, kind: str, at: int) -> Expression:
        self._cursor.expect_symbol("(")
        variable = self._cursor.expect_name("a variable")
        self._cursor.expect("IN")
        source = self._expression()
        self._cursor.expect("WHERE")
        where = self._expression()
        self._cursor.expect_symbol(")")
        return Quantifier(kind, variable, source, where, at=at)

    def _reduce(self, at: int) -> Expression:
        self._cursor.expect_symbol("(")
        total = self._cursor.expect_name("a variable")
        self._cursor.expect_symbol("=")
        start = self._expression()
        self._cursor.expect_symbol(",")
        variable = self._cursor.expect_name("a variable")
        self._cursor.expect("IN")
        source = self._expression()
        self._cursor.expect_symbol("|")
        step = self._expression()
        self._cursor.expect_symbol(")")
        return Reduce(total, start, variable, source, step, at=at)

    def case(self) -> Expression:
        at = self._cursor.token.position
        self._cursor.expect("CASE")
        subject = None if self._cursor.sees("WHEN") else self._expression()
        branches: list[tuple[Expression, Expression]] = []
        while self._cursor.take("WHEN"):
            condition = self._expression()
            self._cursor.expect("THEN")
            branches.append((condition, self._expression()))
        if not branches:
            raise self._cursor.unexpected("WHEN")
        default = self._expression() if self._cursor.take("ELSE") else None
        self._cursor.expect("END")
        return Case(subject, tuple(branches), default, at=at)

    def arguments(self, close: str) -> tuple[Expression, ...]:
        """Parse expressions separated by commas, up to a closing symbol."""
        items: list[Expression] = []
        while not self._cursor.take_symbol(close):
            items.append(self._expression())
            if not self._cursor.sees_symbol(close):
                self._cursor.expect_symbol(",")
                if self._cursor.sees_symbol(close):
                    raise self._cursor.unexpected("an expression")
        return tuple(items)
