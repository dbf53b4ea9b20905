"""Parse expressions and patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from remem.graph.cypher.calls import CallParser
from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.patterns import PatternParser
from remem.graph.cypher.self_references import separate
from remem.graph.cypher.syntax import (
    Binary,
    Comparison,
    Constant,
    Expression,
    HasLabels,
    IndexAccess,
    IsNull,
    ListComprehension,
    ListOf,
    MapOf,
    MapProjection,
    MatchClause,
    PatternComprehension,
    PatternPredicate,
    Property,
    Query,
    QueryParameter,
    SliceAccess,
    Subquery,
    Unary,
    Variable,
)
from remem.graph.cypher.tokens import MAX_INTEGER

_OPERATORS: Final = (
    "OR",
    "XOR",
    "AND",
    "NOT",
    "= <> <= >= < >",
    "IN CONTAINS STARTS ENDS IS",
    "+ -",
    "* / %",
    "^",
)
"""The operators, from those that bind least tightly to those that bind most tightly."""
_LEVELS: Final = {
    word: level for level, words in enumerate(_OPERATORS) for word in words.split() if word != "NOT"
}
_NOT: Final = _OPERATORS.index("NOT")
_COMPARISON: Final = _LEVELS["="]
_CONSTANTS: Final = {"TRUE": True, "FALSE": False, "NULL": None}
_NO_REGEX: Final = "regular expressions are not supported; use STARTS WITH, ENDS WITH or CONTAINS"


class ExpressionParser:
    """Parses the expressions and patterns at a cursor; `query` parses a subquery in braces."""

    def __init__(self, cursor: Cursor, query: Callable[[], Query]) -> None:
        self._cursor = cursor
        self._query = query
        self.patterns = PatternParser(cursor, self)
        self._calls = CallParser(cursor, self.expression)

    def expression(self) -> Expression:
        return self._cursor.nested(self._operators)

    def _operators(self, lowest: int = 0) -> Expression:
        """Parse operands joined by operators that bind at least as tightly as `lowest`.

        One method parses all levels, because a method for each would make a nested list or map need
        as many nested calls as there are levels.
        """
        at = self._cursor.token.position
        if lowest <= _NOT and self._cursor.take("NOT"):
            left: Expression = Unary("NOT", self._cursor.nested(self._negated), at=at)
            highest = _NOT
        else:
            left, highest = self._sign(), len(_LEVELS)
        while lowest <= (level := self._level()) <= highest:
            left = self._joined(left, level)
            highest = level
        return left

    def _negated(self) -> Expression:
        return self._operators(_NOT)

    def _level(self) -> int:
        """Return how tightly the next operator binds; -1 if there is none."""
        token = self._cursor.token
        if token.kind == "symbol":
            if token.text == "=~":
                raise CypherError(_NO_REGEX, detail="UnexpectedSyntax", position=token.position)
            return _LEVELS.get(token.text, -1)
        if token.keyword in ("STARTS", "ENDS") and self._cursor.ahead(1).keyword != "WITH":
            return -1
        return _LEVELS.get(token.keyword, -1)

    def _joined(self, left: Expression, level: int) -> Expression:
        """Parse an operator of a level and its right side, and return both sides joined."""
        if level == _COMPARISON:
            rest: list[tuple[str, Expression]] = []
            while self._level() == _COMPARISON:
                operator = self._cursor.advance().text
                rest.append((operator, self._operators(level + 1)))
            return Comparison(left, tuple(rest), at=left.at)
        token = self._cursor.advance()
        operator = token.keyword or token.text
        if operator == "IS":
            negated = self._cursor.take("NOT")
            self._cursor.expect("NULL")
            return IsNull(left, negated, at=token.position)
        if operator in ("STARTS", "ENDS"):
            self._cursor.expect("WITH")
            operator += " WITH"
        return Binary(operator, left, self._operators(level + 1), at=token.position)

    def _sign(self) -> Expression:
        token = self._cursor.token
        if token.kind == "symbol" and token.text in ("+", "-"):
            self._cursor.advance()
            number = self._cursor.token
            if token.text == "-" and number.kind == "integer" and number.value == MAX_INTEGER + 1:
                self._cursor.advance()
                return Constant(-MAX_INTEGER - 1, "integer", at=token.position)
            return Unary(token.text, self._cursor.nested(self._sign), at=token.position)
        return self._postfix()

    def _postfix(self) -> Expression:
        """Parse an operand with the properties, indexes, slices and labels after it."""
        base = self._atom()
        while True:
            at = self._cursor.token.position
            if self._cursor.take_symbol("."):
                base = Property(base, self._cursor.expect_name("a property"), at=at)
            elif self._cursor.sees_symbol("["):
                base = self._index(base)
            elif self._cursor.sees_symbol(":"):
                base = HasLabels(base, self.patterns.labels(), at=at)
            elif self._cursor.sees_symbol("{") and isinstance(base, Variable):
                map_projection = self._cursor.attempt(partial(self._map_projection, base))
                if map_projection is None:
                    return base
                base = map_projection
            else:
                return base

    def _index(self, base: Expression) -> Expression:
        at = self._cursor.expect_symbol("[").position
        start = None if self._cursor.sees_symbol("..") else self.expression()
        if self._cursor.take_symbol(".."):
            end = None if self._cursor.sees_symbol("]") else self.expression()
            self._cursor.expect_symbol("]")
            return SliceAccess(base, start, end, at=at)
        self._cursor.expect_symbol("]")
        assert start is not None
        return IndexAccess(base, start, at=at)

    def _map_projection(self, base: Expression) -> Expression:
        at = self._cursor.expect_symbol("{").position
        items: list[tuple[str, Expression | None]] = []
        everything = False
        while not self._cursor.take_symbol("}"):
            if self._cursor.take_symbol("."):
                if self._cursor.take_symbol("*"):
                    everything = True
                else:
                    items.append((self._cursor.expect_name("a property"), None))
            else:
                name = self._cursor.expect_name("a key")
                if self._cursor.take_symbol(":"):
                    items.append((name, self.expression()))
                else:
                    items.append((name, Variable(name, at=at)))
            if not self._cursor.sees_symbol("}"):
                self._cursor.expect_symbol(",")
        return MapProjection(base, tuple(items), everything, at=at)

    def _atom(self) -> Expression:
        token = self._cursor.token
        if token.kind in ("string", "float", "integer"):
            return self._literal()
        if token.kind == "invalid":
            raise CypherError(
                f"{token.text} is not a number",
                detail="InvalidNumberLiteral",
                position=token.position,
            )
        if token.kind == "symbol":
            return self._symbol_atom()
        if token.kind == "end":
            raise self._cursor.unexpected("an expression")
        if token.keyword in _CONSTANTS:
            self._cursor.advance()
            value = _CONSTANTS[token.keyword]
            kind = "null" if value is None else "boolean"
            return Constant(value, kind, at=token.position)
        if self._cursor.sees("CASE"):
            return self._calls.case()
        if self._cursor.ahead(1).text == "{" and token.keyword in ("EXISTS", "COUNT"):
            return self._subquery()
        if call := self._cursor.attempt(self._calls.call):
            return call
        self._cursor.advance()
        return Variable(str(token.value), at=token.position)

    def _literal(self) -> Expression:
        token = self._cursor.advance()
        if token.kind == "integer" and token.value == MAX_INTEGER + 1:
            raise CypherError(
                f"{token.text} is too large", detail="IntegerOverflow", position=token.position
            )
        return Constant(token.value, token.kind, at=token.position)

    def _symbol_atom(self) -> Expression:
        token = self._cursor.token
        if token.text == "(":
            pattern = self._cursor.attempt(self._pattern_predicate)
            if pattern is not None:
                return pattern
            self._cursor.advance()
            inner = self.expression()
            self._cursor.expect_symbol(")")
            return inner
        if token.text == "[":
            return self._list()
        if token.text == "{":
            return self.map_literal()
        if token.text == "$":
            return self.parameter()
        raise self._cursor.unexpected("an expression")

    def parameter(self) -> QueryParameter:
        at = self._cursor.expect_symbol("$").position
        if self._cursor.token.kind == "integer":
            return QueryParameter(self._cursor.advance().text, at=at)
        return QueryParameter(self._cursor.expect_name("the name of a parameter"), at=at)

    def _pattern_predicate(self) -> PatternPredicate | None:
        at = self._cursor.token.position
        pattern = self.patterns.path()
        return PatternPredicate(pattern, at=at) if pattern.relations else None

    def _list(self) -> Expression:
        has_name = self._cursor.ahead(1).kind in ("name", "quoted name")
        if has_name and self._cursor.ahead(2).keyword == "IN":
            return self._list_comprehension()
        comprehension = self._cursor.attempt(self._pattern_comprehension)
        if comprehension is not None:
            return comprehension
        at = self._cursor.expect_symbol("[").position
        items = self._calls.arguments("]")
        return ListOf(items, at=at)

    def _list_comprehension(self) -> Expression:
        at = self._cursor.expect_symbol("[").position
        variable = self._cursor.expect_name("a variable")
        self._cursor.expect("IN")
        source = self.expression()
        where = self.expression() if self._cursor.take("WHERE") else None
        result = self.expression() if self._cursor.take_symbol("|") else None
        self._cursor.expect_symbol("]")
        return ListComprehension(variable, source, where, result, at=at)

    def _pattern_comprehension(self) -> Expression | None:
        at = self._cursor.expect_symbol("[").position
        pattern = self.patterns.named_path()
        if not pattern.relations:
            return None
        where = self.expression() if self._cursor.take("WHERE") else None
        if not self._cursor.take_symbol("|"):
            return None
        result = self.expression()
        self._cursor.expect_symbol("]")
        [pattern], where = separate([pattern], where)
        return PatternComprehension(pattern, where, result, at=at)

    def map_literal(self) -> MapOf:
        at = self._cursor.expect_symbol("{").position
        items: list[tuple[str, Expression]] = []
        while not self._cursor.take_symbol("}"):
            key = self._cursor.expect_name("a key")
            self._cursor.expect_symbol(":")
            items.append((key, self.expression()))
            if not self._cursor.sees_symbol("}"):
                self._cursor.expect_symbol(",")
                if self._cursor.sees_symbol("}"):
                    raise self._cursor.unexpected("a key")
        return MapOf(tuple(items), at=at)

    def _subquery(self) -> Expression:
        """Parse `EXISTS { … }` or `COUNT { … }`, with a whole query or only a pattern."""
        token = self._cursor.advance()
        self._cursor.expect_symbol("{")
        if self._cursor.token.kind == "symbol":
            at = self._cursor.token.position
            patterns = self.patterns.paths()
            where = self.expression() if self._cursor.take("WHERE") else None
            query = Query(((MatchClause(*separate(patterns, where), optional=False, at=at),),))
        else:
            query = self._cursor.nested(self._query)
        self._cursor.expect_symbol("}")
        return Subquery(
            "exists" if token.keyword == "EXISTS" else "count", query, at=token.position
        )
