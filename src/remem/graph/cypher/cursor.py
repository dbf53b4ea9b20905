"""A position in the tokens of a query, with the steps that every part of the parser needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from remem.graph.cypher.failures import CypherError
from remem.graph.cypher.tokens import Token

T = TypeVar("T")
_MAX_DEPTH: Final = 50
_MAX_ATTEMPTS: Final = 2000
"""How often a query may be parsed in one way before another; nested attempts multiply."""


class Cursor:
    """Reads tokens from left to right; `attempt` goes back if what it tried does not fit."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._attempts = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def ahead(self, count: int) -> Token:
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._at += 1
        return token

    def sees(self, *words: str) -> bool:
        """Return whether the next tokens are these keywords."""
        return all(self.ahead(count).keyword == word for count, word in enumerate(words))

    def take(self, *words: str) -> bool:
        """Skip these keywords if they are next."""
        if not self.sees(*words):
            return False
        self._at += len(words)
        return True

    def sees_symbol(self, symbol: str) -> bool:
        return self.token.kind == "symbol" and self.token.text == symbol

    def take_symbol(self, symbol: str) -> bool:
        if not self.sees_symbol(symbol):
            return False
        self._at += 1
        return True

    def expect_symbol(self, symbol: str) -> Token:
        if not self.sees_symbol(symbol):
            raise self.unexpected(f"{symbol!r}")
        return self.advance()

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.unexpected(word)

    def expect_name(self, what: str) -> str:
        """Return a name.

        Keywords are allowed, because labels and properties may be called like one.
        """
        if self.token.kind not in ("name", "quoted name"):
            raise self.unexpected(what)
        return str(self.advance().value)

    def unexpected(self, expected: str) -> CypherError:
        token = self.token
        description = "the end of the query" if token.kind == "end" else repr(token.text)
        return CypherError(
            f"expected {expected} but found {description}",
            detail="UnexpectedSyntax",
            position=token.position,
        )

    def attempt(self, parse: Callable[[], T | None]) -> T | None:
        """Return the result of `parse`; if it fails or returns None, nothing has been read."""
        start = self._at
        self._attempts += 1
        if self._attempts > _MAX_ATTEMPTS:
            raise self._too_deep("too many patterns, lists and calls in one another")
        try:
            result = parse()
        except CypherError as error:
            if error.detail == "TooDeep":
                raise
            result = None
        if result is None:
            self._at = start
        return result

    def nested(self, parse: Callable[[], T]) -> T:
        """Run `parse` one level deeper; too many levels are refused."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._too_deep(f"more than {_MAX_DEPTH} levels of nesting")
        try:
            return parse()
        finally:
            self._depth -= 1

    def _too_deep(self, reason: str) -> CypherError:
        message = f"the query is too complex: {reason}"
        return CypherError(message, detail="TooDeep", position=self.token.position)
