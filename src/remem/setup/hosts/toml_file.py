"""Add a table to a host's TOML settings, and remove it again.

The table is appended to the text. After every edit, a TOML parser confirms that nothing else
has changed; otherwise the file is not written.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from remem.errors import FileError, NotAllowed
from remem.setup.hosts.targets import Before, Unknown, is_blank, refusal, text_of
from remem.text.json_edit import line_end

_HEADER: Final = re.compile(r"\s*\[\[?\s*(?P<name>[^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_TOKEN: Final = re.compile(
    r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\\.', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """TOML settings, and the table `table.name` in them."""

    path: Path
    table: str
    name: str
    values: Mapping[str, Any]
    is_own: Callable[[Any], bool]

    def with_additions(self, data: bytes | None) -> bytes:
        text = text_of(data or b"", self.path)
        current = self._current_table(self._parse(text))
        if current == self.values:
            return data or b""
        if current is not None and not self.is_own(current):
            raise NotAllowed(
                f"{self.path} already has a [{self.table}.{self.name}] that this workspace "
                f"did not write: {current}",
                hint="disconnect it from its own workspace, or remove it by hand",
            )
        if current is not None:
            text = self._without(text)
        expected = copy.deepcopy(self._parse(text))
        expected.setdefault(self.table, {})[self.name] = dict(self.values)
        return self._checked(text + self._block(text), expected, "add these lines").encode()

    def without_additions(self, data: bytes, before: Before) -> bytes | None:
        text = text_of(data, self.path)
        current = self._current_table(self._parse(text))
        if current is not None and self.is_own(current):
            text = self._without(text)
        if not isinstance(before, Unknown) and is_blank(before) and is_blank(text.encode()):
            return before
        return text.encode()

    def _current_table(self, document: Mapping[str, Any]) -> Any:
        servers = document.get(self.table, {})
        if not isinstance(servers, dict):
            raise refusal(self.path, f"has a {self.table} that is not a table")
        return servers.get(self.name)

    def _parse(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:  # also for too many digits or brackets
            raise refusal(self.path, f"is not TOML: {error}") from error

    def _lines(self) -> list[str]:
        values = [f"{key} = {_toml(value)}" for key, value in self.values.items()]
        return [f"[{self.table}.{self.name}]", *values]

    def _block(self, text: str) -> str:
        eol = line_end(text)
        gap = 0 if not text.strip("\ufeff") else 1 if text.endswith("\n") else 2
        return eol * gap + "".join(line + eol for line in self._lines())

    def _without(self, text: str) -> str:
        expected = copy.deepcopy(self._parse(text))
        del expected[self.table][self.name]
        if not expected[self.table] and not self._parse(_only_headers(text, self.table)):
            del expected[self.table]
        return self._checked(self._cut(text), expected, "remove these lines")

    def _cut(self, text: str) -> str:
        """Remove the lines of our table and the blank line before it; comments are kept."""
        rest: list[str] = []
        inside = False
        for line, header in _lines_with_headers(text):
            if header is not None:
                inside = header[:2] == (self.table, self.name)
                if inside and rest and not rest[-1].strip():
                    rest.pop()
            if not inside or (header is None and _is_blank_or_comment(line)):
                rest.append(line)
        return "".join(rest)

    def _checked(self, text: str, expected: Mapping[str, Any], instruction: str) -> str:
        """Return an edited text; raise FileError unless it contains exactly what is expected."""
        try:
            if self._parse(text) == expected:
                return text
        except FileError:
            pass  # reported below, with what to do about it
        lines = "\n".join(self._lines())
        raise FileError(
            f"{self.path} has a form that remem cannot edit",
            hint=f"{instruction} by hand; the file was not changed:\n{lines}",
        )


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _only_headers(text: str, table: str) -> str:
    """Return the headers of the table itself.

    A table with its own header is kept even if it is empty.
    """
    return "".join(line for line, header in _lines_with_headers(text) if header == (table,))


def _lines_with_headers(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Yield each line with the name of the table that it begins, or None."""
    open_quote, depth = "", 0
    for line in text.splitlines(keepends=True):
        match = _HEADER.match(line.removeprefix("\ufeff")) if not open_quote and not depth else None
        if match:
            yield line, tuple(part.strip().strip("\"'") for part in match["name"].split("."))
            continue
        yield line, None
        open_quote, depth = _state_after(line, open_quote, depth)


def _state_after(line: str, open_quote: str, depth: int) -> tuple[str, int]:
    """Return the quote and the number of brackets that are open at the end of a line."""
    for match in _TOKEN.finditer(line):
        symbol = match[0]
        if open_quote:
            open_quote = "" if symbol == open_quote else open_quote
        elif symbol in ('"""', "'''"):
            open_quote = symbol
        elif symbol in "[{":
            depth += 1
        elif symbol in "]}":
            depth -= 1
    return open_quote, depth
