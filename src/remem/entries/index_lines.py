"""The lines of an entry in the index: the owner's words, shortened but never reworded.

Lines without content are left out: empty form fields, template prose, edit stamps, code, and
statements that are marked as done or superseded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from remem.entries.index_wording import SHORT_LINE, max_length, pieces_of, row_words, shortened
from remem.extract.headings import is_finished
from remem.extract.line_marks import named_cells
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, headings_in
from remem.text.line_status import is_placeholder, is_stamp, is_template, line_status
from remem.text.markdown import BULLET, is_fence, one_line
from remem.text.similarity import folded_hash, sentences

MIGRATED_SOURCE: Final = "migration"
"""The source of entries that were made from files."""

_MAX_LINES: Final = 12
_MAX_STORED_LENGTH: Final = 600
_MAX_JOINED: Final = 60
_DONE: Final = "done"
_MARKUP: Final = re.compile(r"\*\*|`|^\s*(?:>\s*)+", re.MULTILINE)
_QUOTE: Final = re.compile(r"^\s*(?:>\s*)+")
_FULL_STOPS: Final = (".", "!", "?", "。", "！", "？", "**", ":", "：")
_LABELLED: Final = re.compile(r"[A-Z][\w &/-]{2,30}: ")
_SUBJECT: Final = re.compile(r"\W*\*\*([^*\n]{2,40})\*\*|([^:：\n]{2,40}?)(?:[:：]| [-–—] )")
_HAS_DETAILS: Final = re.compile(r"[^\n]+\n\s*(?:[-*+•]|\d+[.)])\s")
"""A bullet with nested ones below it."""
_OPEN_BOX: Final = re.compile(r"^\[ \]\s+")
_TICK: Final = "✅"
_DATED: Final = re.compile(r"20\d\d[-/.年]\s?\d|\b\d{1,2}[./]\d{1,2}[./]20\d\d")


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A line of the index.

    `lead` is the name of the bullet that the line is a detail of; it is shown in front of it.
    `source` are the words that the line was made from, with their markup; `continues` says that it
    is a later part of a long statement.
    """

    text: str
    lead: str = ""
    source: str = ""
    continues: bool = False

    @property
    def key(self) -> int:
        """The hash by which a verdict recognises the line.

        It is the key of the first sentence, which is the same whether or not the line is shortened.
        """
        return _key_of(self.source or self.text)


@lru_cache(maxsize=4096)
def _key_of(source: str) -> int:
    """Return the key of a line; cached, because a page asks for it ten times."""
    return folded_hash(next(iter(sentences(source)), source))


@lru_cache(maxsize=4096)
def section_order(context: str) -> int | None:
    """Return the rank in which a section's lines are added.

    It is 0 for most sections, 1 for deeply nested ones and 2 for dated ones. It is None for
    finished sections, which are left out.
    """
    headings = headings_in(context)
    if any(is_finished(heading) for heading in headings):
        return None
    if any(_DATED.search(heading) for heading in headings):
        return 2
    return 1 if len(headings) > 2 else 0


def lines_of(entry: Entry, length: int = SHORT_LINE) -> Sequence[EntryLine]:
    """Return the lines of an entry: a few for a statement of a file, one for a stored memory.

    An entry that is done or has no content has no lines.
    """
    if _DONE in entry.tags:
        return ()
    rule = entry.category in ("instruction", "preference")
    migrated = entry.source == MIGRATED_SOURCE
    return _lines(entry.content, migrated, rule, length)


@lru_cache(maxsize=1024)
def _lines(content: str, migrated: bool, rule: bool, length: int) -> Sequence[EntryLine]:
    """Return the lines; cached, because few entries change between two indexes."""
    if line_status(content) != "current":
        return ()
    if not migrated:
        text = _plain(one_line(content, _MAX_STORED_LENGTH))
        return (EntryLine(shortened(text, length)),) if _is_meaningful(text, rule) else ()
    if cells := named_cells(content):
        if not (words_of_row := row_words(cells)):
            return ()
        return (EntryLine(shortened(_plain(words_of_row), length), "", content),)
    lines: list[EntryLine] = []
    parts = list(_joined(_meaningful(_parts(content), rule)))
    subject = _subject(parts[0]) if len(parts) > 1 and _HAS_DETAILS.match(content) else ""
    for number, part in enumerate(parts):
        first, *others = pieces_of(part, length)
        text = shortened(_plain(first), length)
        if number and subject:
            lines.append(EntryLine(text, subject, first))
        else:
            lines.append(EntryLine(text, "", first))
        for piece in others:
            text = shortened(_plain(piece), length)
            lines.append(EntryLine(text, _subject(part), piece, continues=True))
    return tuple(lines[:_MAX_LINES])


def _subject(part: str) -> str:
    """Return the name that a statement begins with, such as `**Harbour site** - in use`."""
    match = _SUBJECT.match(part)
    return _plain(match[1] or match[2]).rstrip(":： ") if match else ""


def _plain(text: str) -> str:
    return _OPEN_BOX.sub("", _MARKUP.sub("", text).strip())


def _parts(body: str) -> Iterator[str]:
    """Yield the bullets, paragraphs and one-line sentences of a text, without code."""
    part, code = "", False
    for raw in body.split("\n"):
        line = _QUOTE.sub("", raw)
        if is_fence(line):
            code = not code
        elif code:
            continue
        elif (bullet := BULLET.match(line)) or _ends_line(part, line):
            yield part.strip()
            part = line[bullet.end() :] if bullet else line
        else:
            part = f"{part}\n{line}"
    yield part.strip()


def _ends_line(part: str, following: str) -> bool:
    """Return whether a line is complete, rather than continued on the next one."""
    last = part.rsplit("\n", 1)[-1].strip()
    if not last or not following.strip():
        return bool(last)
    return (
        last.endswith(_FULL_STOPS) or following.startswith("**") or bool(_LABELLED.match(following))
    )


def _meaningful(parts: Iterable[str], rule: bool) -> Iterator[str]:
    """Yield the parts with content.

    A label that introduces other parts is joined to the first of them.
    """
    label = ""
    for part in parts:
        if _plain(part).endswith((":", "：")) and "\n" not in part:
            label = part
        elif _is_meaningful(_plain(part), rule):
            yield f"{label} {part}" if label else part
            label = ""


def _is_meaningful(text: str, rule: bool) -> bool:
    """Return whether a part has content.

    A tick before a rule is a bullet; elsewhere it means done.
    """
    if text.startswith("~~") or text.endswith(_TICK) or (text.startswith(_TICK) and not rule):
        return False
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return not empty and line_status(text) == "current"


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Join short parts of one statement into one line."""
    line = ""
    for part in parts:
        length = len(line) + len(part) + 2
        if line and len(part) <= _MAX_JOINED and length <= max_length(line + part, SHORT_LINE):
            line += f"{' ' if line.endswith(('.', '!', '?')) else '; '}{part}"
        else:
            if line:
                yield line
            line = part
    if line:
        yield line
