"""Compare the statements in the owner's files with the text that conversations start with.

A statement is a bullet, paragraph or table row with content. A text has the statement if most of
the statement's words are in one line of the text or in two consecutive lines.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from itertools import pairwise
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.host_loading import CURATED_FILES, omitted_parts
from remem.text.line_status import is_placeholder, is_stamp, is_template, line_status
from remem.text.markdown import lines_of, outline
from remem.text.statements import strip_markup
from remem.text.words import content_words, words

_PRESENT_SHARE: Final = 0.6
_MAX_WORDS: Final = 24
"""Statements with more words are recognised by this many first words."""
_MIN_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class LoadedStatement:
    """A statement that a host loads: its file, its first line, its text and its headings.

    `text` has no markup; `source` is the same text with its markup.
    """

    path: str
    line: int
    text: str
    headings: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class LoadedStatements:
    """The statements that a host loads today, compared with a start text.

    `kept` is the number of those in the start text; `missing` are the others. For comparison,
    `kept_by_cutting` is the number of those in as many tokens from the beginning of the files. The
    shares are those of the worth of all statements.
    """

    total: int
    kept: int
    kept_by_cutting: int
    missing: tuple[LoadedStatement, ...]
    share_kept: float = 0.0
    share_kept_by_cutting: float = 0.0


def compare_with_start(
    texts: Mapping[str, str],
    start: str,
    tokens: int,
    count: Callable[[str], int],
    *,
    dropped_lines: Container[tuple[str, int]] = (),
    worth_of: Callable[[LoadedStatement], float] = lambda _statement: 1.0,
) -> LoadedStatements:
    """Compare the owner's files with a start text of `tokens` tokens.

    `texts` are the files that a host loads, by name. Statements that begin at one of the
    `dropped_lines`, given by path and number, do not count, because the owner does not want them in
    the index. Nor do statements with a negative worth.
    """
    cut = omitted_parts({name: len(text) for name, text in texts.items()})
    loaded = {
        name: texts[name][: cut[name].head] + "\n" + texts[name][cut[name].tail :]
        for name in CURATED_FILES
        if name in texts
    }
    statements = [
        statement
        for name in loaded
        for statement in _statements(name, texts[name], loaded[name])
        if (statement.path, statement.line) not in dropped_lines and worth_of(statement) >= 0
    ]
    start_text = LoadedText(start)
    beginning = LoadedText(_first_tokens("\n".join(loaded.values()), tokens, count))
    kept = [statement for statement in statements if start_text.has(statement.text)]
    kept_by_cutting = [statement for statement in statements if beginning.has(statement.text)]
    total_worth = sum(map(worth_of, statements)) or 1.0
    return LoadedStatements(
        len(statements),
        len(kept),
        len(kept_by_cutting),
        tuple(statement for statement in statements if statement not in kept),
        sum(map(worth_of, kept)) / total_worth,
        sum(map(worth_of, kept_by_cutting)) / total_worth,
    )


def _statements(path: str, text: str, loaded: str) -> list[LoadedStatement]:
    """Return the statements of a file, each once, that are in the part that a host loads."""
    statements: dict[frozenset[str], LoadedStatement] = {}
    for block in outline(text):
        if block.kind not in ("bullet", "text", "row") or not _has_content(block.text):
            continue
        plain = strip_markup(block.text)
        key = frozenset(content_words(plain))
        if len(key) >= _MIN_WORDS and block.text.split("\n", 1)[0] in loaded:
            statement = LoadedStatement(path, block.start, plain, block.headings, block.text)
            statements.setdefault(key, statement)
    return list(statements.values())


def _has_content(text: str) -> bool:
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return not empty and line_status(text) == "current"


class LoadedText:
    """A text that conversations start with, in which statements can be looked up."""

    def __init__(self, text: str) -> None:
        words_of_lines = [frozenset(words(line)) for line in lines_of(text) if line.strip()]
        self._lines = [
            *words_of_lines,
            *(first | second for first, second in pairwise(words_of_lines)),
        ]

    def has(self, statement: str) -> bool:
        """Return whether most words of a statement are in a line, or in two consecutive lines."""
        statement_words = set(list(dict.fromkeys(content_words(statement)))[:_MAX_WORDS])
        return any(
            len(statement_words & line) >= _PRESENT_SHARE * len(statement_words)
            for line in self._lines
        )


def _first_tokens(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of a text that costs at most `tokens`."""
    if count(text) <= tokens:
        return text
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(text[:middle]) <= tokens else (low, middle)
    return text[:low]
