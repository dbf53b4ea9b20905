"""Parse expressions and patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from remem.graph.cypher.calls import CallParser
from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.patterns import PatternParser
from remem.graph.cypher.syntax import (
    Binary,
    Comparison,
    Constant,
    Expression,
    HasLabels,
    Index,
    IsNull,
    ListComprehension,
    ListOf,
    MapOf,
    MapProjection,
    Match,
    Parameter,
    PatternComprehension,
    PatternPredicate,
    Property,
    Query,
    Slice,
    Subquery,
    Unary,
    Variable,
)
from remem.graph.cypher.tokens import MAX_INTEGER

_COMPARISONS: Final = ("=", "<>", "<=", ">=", "<", ">")
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
        return self._cursor.nested(self._or)

    def _or(self) -> Expression:
        return self._left_to_right(("OR",), self._xor)

    def _xor(self) -> Expression:
        return self._left_to_right(("XOR",), self._and)

    def _and(self) -> Expression:
        return self._left_to_right(("AND",), self._not)

    def _left_to_right(self, words: tuple[str, ...], part: Callable[[], Expression]) -> Expression:
        left = part()
        while self._cursor.token.keyword in words:
            token = self._cursor.advance()
            left = Binary(token.keyword, left, part(), at=token.position)
        return left

    def _not(self) -> Expression:
        at = self._cursor.token.position
        if self._cursor.take("NOT"):
            return Unary("NOT", self._cursor.nested(self._not), at=at)
        return self._comparison()

    def _comparison(self) -> Expression:
        first = self._predicate()
        rest: list[tuple[str, Expression]] = []
        while self._cursor.token.kind == "symbol" and self._cursor.token.text in _COMPARISONS:
            operator = self._cursor.advance().text
            rest.append((operator, self._predicate()))
        return Comparison(first, tuple(rest), at=first.at) if rest else first

    def _predicate(self) -> Expression:
        """`IN`, `STARTS WITH`, `ENDS WITH`, `CONTAINS`, `IS NULL`."""
        left = self._sum()
        while True:
            at = self._cursor.token.position
            if self._cursor.sees_symbol("=~"):
                raise CypherError(_NO_REGEX, detail="UnexpectedSyntax", position=at)
            if self._cursor.take("IS", "NOT", "NULL"):
                left = IsNull(left, True, at=at)
            elif self._cursor.take("IS", "NULL"):
                left = IsNull(left, False, at=at)
            elif operator := self._word_operator():
                left = Binary(operator, left, self._sum(), at=at)
            else:
                return left

    def _word_operator(self) -> str:
        for words in (("IN",), ("CONTAINS",), ("STARTS", "WITH"), ("ENDS", "WITH")):
            if self._cursor.take(*words):
                return " ".join(words)
        return ""

    def _sum(self) -> Expression:
        return self._symbols("+-", self._product)

    def _product(self) -> Expression:
        return self._symbols("*/%", self._power)

    def _power(self) -> Expression:
        return self._symbols("^", self._sign)

    def _symbols(self, symbols: str, part: Callable[[], Expression]) -> Expression:
        left = part()
        while self._cursor.token.kind == "symbol" and self._cursor.token.text in tuple(symbols):
            token = self._cursor.advance()
            left = Binary(token.text, left, part(), at=token.position)
        return left

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
        """Property access, indexes, slices and labels."""
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
                projected = self._cursor.attempt(partial(self._map_projection, base))
                if projected is None:
                    return base
                base = projected
            else:
                return base

    def _index(self, base: Expression) -> Expression:
        at = self._cursor.expect_symbol("[").position
        start = None if self._cursor.sees_symbol("..") else self.expression()
        if self._cursor.take_symbol(".."):
            end = None if self._cursor.sees_symbol("]") else self.expression()
            self._cursor.expect_symbol("]")
            return Slice(base, start, end, at=at)
        self._cursor.expect_symbol("]")
        assert start is not None
        return Index(base, start, at=at)

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

    def parameter(self) -> Parameter:
        at = self._cursor.expect_symbol("$").position
        if self._cursor.token.kind == "integer":
            return Parameter(self._cursor.advance().text, at=at)
        return Parameter(self._cursor.expect_name("the name of a parameter"), at=at)

    def _pattern_predicate(self) -> PatternPredicate | None:
        at = self._cursor.token.position
        pattern = self.patterns.path()
        return PatternPredicate(pattern, at=at) if pattern.relations else None

    def _list(self) -> Expression:
        named = self._cursor.ahead(1).kind in ("name", "quoted name")
        if named and self._cursor.ahead(2).keyword == "IN":
            return self._list_comprehension()
        found = self._cursor.attempt(self._pattern_comprehension)
        if found is not None:
            return found
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
        return MapOf(tuple(items), at=at)

    def _subquery(self) -> Expression:
        """`EXISTS { … }` and `COUNT { … }`, with a whole query or only a pattern."""
        token = self._cursor.advance()
        self._cursor.expect_symbol("{")
        if self._cursor.token.kind == "symbol":
            at = self._cursor.token.position
            patterns = self.patterns.paths()
            where = self.expression() if self._cursor.take("WHERE") else None
            query = Query(((Match(patterns, where, False, at),),))
        else:
            query = self._cursor.nested(self._query)
        self._cursor.expect_symbol("}")
        return Subquery(
            "exists" if token.keyword == "EXISTS" else "count", query, at=token.position
        )
