"""Parse a query: clauses, projections and UNION."""

from __future__ import annotations

from typing import Final

from remem.graph.cypher.cursor import Cursor
from remem.graph.cypher.expressions import ExpressionParser
from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.self_references import separate
from remem.graph.cypher.syntax import (
    Clause,
    Expression,
    MatchClause,
    Projection,
    ProjectionItem,
    Query,
    Return,
    SortKey,
    Unwind,
    Variable,
    With,
)
from remem.graph.cypher.tokens import tokenize

MAX_TEXT: Final = 20_000
_CLAUSES: Final = "MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN and UNION"
_WRITES: Final = ("CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "DROP")
_OTHERS: Final = ("CALL", "LOAD", "USE", "START", "SHOW", "INSERT", "FINISH")


def parse(text: str) -> Query:
    """Return the query in a text; raise CypherError with the position of a mistake."""
    if len(text) > MAX_TEXT:
        raise CypherError(
            f"the query has {len(text):,} characters; the limit is {MAX_TEXT:,}",
            detail="UnexpectedSyntax",
            hint="pass long lists and texts as parameters",
        )
    return _QueryParser(text).parse()


class _QueryParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._cursor = Cursor(tokenize(text))
        self._expressions = ExpressionParser(self._cursor, self._query)

    def parse(self) -> Query:
        query = self._query()
        self._cursor.take_symbol(";")
        if self._cursor.token.kind != "end":
            raise self._cursor.unexpected("a clause")
        return query

    def _query(self) -> Query:
        parts = [self._part()]
        kinds: set[bool] = set()
        while self._cursor.take("UNION"):
            kinds.add(self._cursor.take("ALL"))
            parts.append(self._part())
        if len(kinds) > 1:
            raise CypherError(
                "UNION and UNION ALL cannot be mixed", detail="InvalidClauseComposition"
            )
        return Query(tuple(parts), True in kinds)

    def _part(self) -> tuple[Clause, ...]:
        clauses: list[Clause] = []
        while clause := self._clause():
            if clauses and isinstance(clauses[-1], Return):
                raise CypherError(
                    "RETURN must be the last clause",
                    detail="InvalidClauseComposition",
                    position=self._cursor.token.position,
                )
            clauses.append(clause)
        if not clauses:
            raise self._cursor.unexpected(f"one of {_CLAUSES}")
        return tuple(clauses)

    def _clause(self) -> Clause | None:
        token = self._cursor.token
        if self._cursor.take("OPTIONAL", "MATCH"):
            return self._match(token.position, optional=True)
        if self._cursor.take("MATCH"):
            return self._match(token.position, optional=False)
        if self._cursor.take("UNWIND"):
            source = self._expressions.expression()
            self._cursor.expect("AS")
            return Unwind(source, self._cursor.expect_name("a variable"), token.position)
        if self._cursor.take("WITH"):
            projection = self._projection(token.position)
            where = self._expressions.expression() if self._cursor.take("WHERE") else None
            return With(projection, where)
        if self._cursor.take("RETURN"):
            return Return(self._projection(token.position))
        if token.keyword in _WRITES:
            raise CypherError(
                f"{token.keyword} is not supported, because queries only read",
                detail="InvalidClauseComposition",
                position=token.position,
                hint="use memory_graph_ingest to add relations",
            )
        if token.keyword in _OTHERS:
            raise CypherError(
                f"{token.keyword} is not supported",
                detail="InvalidClauseComposition",
                position=token.position,
                hint=f"the clauses are {_CLAUSES}",
            )
        return None

    def _match(self, at: int, *, optional: bool) -> MatchClause:
        patterns = self._expressions.patterns.paths()
        where = self._expressions.expression() if self._cursor.take("WHERE") else None
        return MatchClause(*separate(patterns, where), optional, at)

    def _projection(self, at: int) -> Projection:
        distinct = self._cursor.take("DISTINCT")
        everything = self._cursor.take_symbol("*")
        items: list[ProjectionItem] = []
        if not everything or self._cursor.take_symbol(","):
            items.append(self._item())
            while self._cursor.take_symbol(","):
                items.append(self._item())
        order: list[SortKey] = []
        if self._cursor.take("ORDER", "BY"):
            order.append(self._sort_key())
            while self._cursor.take_symbol(","):
                order.append(self._sort_key())
        skip = self._expressions.expression() if self._cursor.take("SKIP") else None
        limit = self._expressions.expression() if self._cursor.take("LIMIT") else None
        return Projection(tuple(items), everything, distinct, tuple(order), skip, limit, at)

    def _item(self) -> ProjectionItem:
        start = self._cursor.token.position
        expression = self._expressions.expression()
        end = self._cursor.token.position
        if self._cursor.take("AS"):
            return ProjectionItem(expression, self._cursor.expect_name("a name"), explicit=True)
        return ProjectionItem(expression, self._column_name(expression, start, end), explicit=False)

    def _column_name(self, expression: Expression, start: int, end: int) -> str:
        if isinstance(expression, Variable):
            return expression.name
        return self._text[start:end].strip()

    def _sort_key(self) -> SortKey:
        expression = self._expressions.expression()
        if self._cursor.take("DESC") or self._cursor.take("DESCENDING"):
            return SortKey(expression, descending=True)
        if not self._cursor.take("ASC"):
            self._cursor.take("ASCENDING")
        return SortKey(expression, descending=False)
