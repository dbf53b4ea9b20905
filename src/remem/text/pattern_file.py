"""Regular expressions and word lists in TOML files, next to the code that uses them.

A pattern may be broken into lines: line breaks and indentation are removed, so a line that has to
begin with a space begins with `[ ]`. An array of patterns means any of them. `{name}` stands for
the pattern `name` in the table `parts` of the same file. Case is ignored, except inside `(?-i:…)`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).parents[1]
_PART: Final = re.compile(r"\{([a-z_]+)\}")


class PatternFile:
    """The values of one file; each pattern is compiled when it is first used."""

    def __init__(self, text: str) -> None:
        import tomllib  # slow to import

        self._values: dict[str, Any] = tomllib.loads(text)
        self._parts: dict[str, str] = {}
        for name, source in self._values.get("parts", {}).items():
            self._parts[name] = f"(?:{self._expand(source)})"
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a value as it is in the file."""
        return self._values[name]

    def words(self, name: str) -> frozenset[str]:
        """Return the words of a value, which is a text with spaces or line breaks between them."""
        return frozenset(self._values[name].split())

    def regex(self, name: str) -> re.Pattern[str]:
        """Return a compiled pattern of the file."""
        if name not in self._compiled:
            self._compiled[name] = self.compile(self._values[name])
        return self._compiled[name]

    def compile(
        self, source: str | list[str], flags: re.RegexFlag = re.IGNORECASE
    ) -> re.Pattern[str]:
        """Compile a pattern written in the same syntax as the patterns in the file."""
        return re.compile(self._expand(source), flags)

    def _expand(self, source: str | list[str]) -> str:
        if isinstance(source, list):
            return "|".join(f"(?:{self._expand(pattern)})" for pattern in source)
        joined = "".join(line.lstrip() for line in source.splitlines())
        return _PART.sub(lambda part: self._parts[part[1]], joined)


@cache
def pattern_file(name: str) -> PatternFile:
    """Return a pattern file of the package, such as "extract/patterns/guards"; it is read once."""
    return PatternFile((_PACKAGE / f"{name}.toml").read_text(encoding="utf-8"))
