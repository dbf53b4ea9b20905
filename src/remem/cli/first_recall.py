"""The recall at the end of `remem setup`, which shows that the memory answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.terminal import fitted, say, terminal_width
from remem.files import atomic
from remem.text.markdown import one_line
from remem.text.words import STOP_WORDS, fold

if TYPE_CHECKING:
    from remem.app.workspace import Workspace

_MAX_TOKENS: Final = 300
_MAX_RESULTS: Final = 3
_MAX_LINE_LENGTH: Final = 90
_MAX_QUESTION_WORDS: Final = 5
_MAX_QUESTION_LENGTH: Final = 40
_PUNCTUATION: Final = "*_`:#|/-–—.,;()[]\"'"
_BULLET: Final = re.compile(r"^(?:[-*+]|\d+[.)])\s+")


def show_first_recall(target: CommandTarget, files: Sequence[Path]) -> None:
    """Recall something that the memory contains: an entry, or else a line of the given files."""
    with opened(target) as workspace:
        question = _question(workspace, files)
        if not question:
            next_step(target, "store 'Something to remember.'", "the first memory")
            return
        answer = workspace.recall(question, token_budget=_MAX_TOKENS)
    command = target.command(f"recall {json.dumps(question, ensure_ascii=False)}")
    say("\na first recall:", bold=True)
    say(f"$ {command}", fold=False)
    width = min(terminal_width() or _MAX_LINE_LENGTH, _MAX_LINE_LENGTH)
    for entry in answer.entries[:_MAX_RESULTS]:
        text = one_line(without_bullet(entry.content), _MAX_LINE_LENGTH)
        say(fitted(f"  {entry.score:.2f}  {entry.category}  {text}", width).rstrip(), fold=False)
    next_step(target, "index", "shows what every conversation begins with")


def _question(workspace: Workspace, files: Sequence[Path]) -> str:
    """Return a few words of the first line of the index, of the latest entry, or of the files."""
    if lines := workspace.index().lines:
        return words_of(workspace.entry(lines[0].entry).content)
    if entries := workspace.entries(limit=1):
        return words_of(entries[0].content)
    return next(filter(None, map(words_of, _statements(files))), "")


def words_of(text: str) -> str:
    """Return the longest words of a text, in their order: what a person would search for."""
    words = dict.fromkeys(word.strip(_PUNCTUATION) for word in text.split())
    content_words = [word for word in words if word and fold(word) not in STOP_WORDS]
    longest = sorted(content_words, key=len, reverse=True)[:_MAX_QUESTION_WORDS]
    question = " ".join(word for word in content_words if word in longest)
    return question[:_MAX_QUESTION_LENGTH].strip()


def _statements(paths: Sequence[Path]) -> Iterator[str]:
    """Yield the list items of Markdown files, and of those in folders."""
    for path in paths:
        for file in sorted(path.glob("*.md")) if path.is_dir() else [path]:
            lines = (atomic.read(file) or b"").decode(errors="replace").splitlines()
            yield from (line.strip() for line in lines if _BULLET.match(line.strip()))


def without_bullet(line: str) -> str:
    """Return a line without the mark of a list item."""
    return _BULLET.sub("", line.strip())
