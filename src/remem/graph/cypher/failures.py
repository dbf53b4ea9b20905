"""The errors of a query: what is wrong, where, and what is supported instead."""

from __future__ import annotations

from remem.errors import InvalidInput


class CypherError(InvalidInput):
    """A query was refused.

    `kind` and `detail` are the names that openCypher's compatibility kit gives to the error;
    `position` is the offset in the text of the query.
    """

    def __init__(
        self,
        message: str,
        *,
        detail: str,
        kind: str = "SyntaxError",
        position: int | None = None,
        hint: str | None = None,
    ) -> None:
        place = "" if position is None else f" at character {position + 1}"
        super().__init__(f"{message}{place}", hint=hint)
        self.detail = detail
        self.kind = kind
        self.position = position

    def locate(self, position: int) -> None:
        """Add the position of the expression whose value is wrong, unless it is known."""
        if self.position is None and not isinstance(self, LimitReached):
            self.position = position
            self.args = (f"{self.args[0]} at character {position + 1}", *self.args[1:])


class LimitReached(CypherError):
    """A query was stopped because it reached a limit."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message, detail="LimitReached", kind="LimitError", hint=hint)


def type_error(message: str, detail: str = "InvalidArgumentValue") -> CypherError:
    """Return the error for a value of the wrong type, which only shows while the query runs."""
    return CypherError(message, detail=detail, kind="TypeError")
