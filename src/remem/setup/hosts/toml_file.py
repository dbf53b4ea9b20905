"""How does remem come into a host's TOML settings, and out of them?

One table is put behind the rest of the text. A parser that knows TOML confirms each time that
nothing else has changed its meaning; where it does not, the file is refused.
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
from remem.setup.hosts.targets import Before, Unknown, is_blank, refused, text_of
from remem.text.json_edit import line_end

_HEADER: Final = re.compile(r"\s*\[\[?\s*(?P<name>[^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_TOKEN: Final = re.compile(
    r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\\.', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """Settings in TOML, and one table of them: `table.name`."""

    path: Path
    table: str
    name: str
    values: Mapping[str, Any]
    ours: Callable[[Any], bool]

    def added(self, data: bytes | None) -> bytes:
        text = text_of(data or b"", self.path)
        document = self._document(text)
        there = self._there(document)
        if there == self.values:
            return data or b""
        if there is not None and not self.ours(there):
            raise NotAllowed(
                f"{self.path} has a [{self.table}.{self.name}] already that this workspace "
                f"did not write: {there}",
                hint="disconnect it from its own workspace, or take it out by hand",
            )
        if there is not None:
            text = self._without(text)
        wanted = copy.deepcopy(self._document(text))
        wanted.setdefault(self.table, {})[self.name] = dict(self.values)
        return self._confirmed(text + self._block(text), wanted, "add these lines").encode()

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        text = text_of(data, self.path)
        there = self._there(self._document(text))
        if there is not None and self.ours(there):
            text = self._without(text)
        if not isinstance(before, Unknown) and is_blank(before) and is_blank(text.encode()):
            return before
        return text.encode()

    def _there(self, document: Mapping[str, Any]) -> Any:
        servers = document.get(self.table, {})
        if not isinstance(servers, dict):
            raise refused(self.path, f"has a {self.table} that is no table")
        return servers.get(self.name)

    def _document(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text.removeprefix("\ufeff"))
        except tomllib.TOMLDecodeError as error:
            raise refused(self.path, f"is not TOML: {error}") from error

    def _lines(self) -> list[str]:
        values = [f"{key} = {_shown(value)}" for key, value in self.values.items()]
        return [f"[{self.table}.{self.name}]", *values]

    def _block(self, text: str) -> str:
        eol = line_end(text)
        gap = 0 if not text.strip("\ufeff") else 1 if text.endswith("\n") else 2
        return eol * gap + "".join(line + eol for line in self._lines())

    def _without(self, text: str) -> str:
        wanted = copy.deepcopy(self._document(text))
        del wanted[self.table][self.name]
        if not wanted[self.table] and not self._document(_only_headers(text, self.table)):
            del wanted[self.table]
        return self._confirmed(self._cut(text), wanted, "take out these lines")

    def _cut(self, text: str) -> str:
        """Without the lines of our table, and the blank line that stands before it.

        What a person remarked between them stays.
        """
        kept: list[str] = []
        within = False
        for line, header in _lines_with_headers(text):
            if header is not None:
                within = header[:2] == (self.table, self.name)
                if within and kept and not kept[-1].strip():
                    kept.pop()
            if not within or (header is None and _says_nothing(line)):
                kept.append(line)
        return "".join(kept)

    def _confirmed(self, text: str, wanted: Mapping[str, Any], by_hand: str) -> str:
        try:
            if self._document(text) == wanted:
                return text
        except FileError:
            pass  # told below, with what to do about it
        lines = "\n".join(self._lines())
        raise FileError(
            f"{self.path} is written in a way that remem cannot edit",
            hint=f"{by_hand} yourself; it was not touched:\n{lines}",
        )


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_shown(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _only_headers(text: str, table: str) -> str:
    """The headers that name the table itself: then it stays when it is empty."""
    return "".join(line for line, header in _lines_with_headers(text) if header == (table,))


def _lines_with_headers(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Each line, and the name of the table that it begins, if it does."""
    open_quote, depth = "", 0
    for line in text.splitlines(keepends=True):
        match = _HEADER.match(line.removeprefix("\ufeff")) if not open_quote and not depth else None
        if match:
            yield line, tuple(part.strip().strip("\"'") for part in match["name"].split("."))
            continue
        yield line, None
        open_quote, depth = _state_after(line, open_quote, depth)


def _state_after(line: str, open_quote: str, depth: int) -> tuple[str, int]:
    """Whether a text of several lines, or brackets, are open at the end of a line."""
    for match in _TOKEN.finditer(line):
        sign = match[0]
        if open_quote:
            open_quote = "" if sign == open_quote else open_quote
        elif sign in ('"""', "'''"):
            open_quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
    return open_quote, depth
