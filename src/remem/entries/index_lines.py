"""The lines of an entry in the index: the owner's words, shortened but never reworded.

Lines without content are left out: empty form fields, template prose, edit stamps, code, and
statements that are marked as done or superseded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remem.extract.headings import topic_of
from remem.model.entry import Entry, headings_in
from remem.text.line_status import is_placeholder, is_stamp, is_template, line_status
from remem.text.markdown import BULLET, is_fence, one_line
from remem.text.words import content_words, words

SHORT_LINE: Final = 170
LONG_LINE: Final = 300
"""Characters of a line; Chinese, Japanese and Korean need half as many."""
MIGRATED_SOURCE: Final = "migration"
"""The source of entries that were made from files."""

_MAX_LINES: Final = 12
_MIN_OWN_WORDS: Final = 6
_DONE: Final = "done"
_REPEAT_SHARE: Final = 0.7
_MARKUP: Final = re.compile(r"\*\*|`|^\s*(?:>\s*)+", re.MULTILINE)
_QUOTE: Final = re.compile(r"^\s*(?:>\s*)+")
_FULL_STOPS: Final = (".", "!", "?", "。", "！", "？", "**", ":", "：")
_LABELLED: Final = re.compile(r"[A-Z][\w &/-]{2,30}: ")
_OPEN_BOX: Final = re.compile(r"^\[ \]\s+")
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_TICK: Final = "✅"
_TITLE: Final = re.compile(
    r"\b(?:USER|MEMORY)(?:\.md)?\b|about your human|long[- ]term memory", re.IGNORECASE
)
_DATED: Final = re.compile(r"20\d\d[-/.年]\s?\d|\b\d{1,2}[./]\d{1,2}[./]20\d\d")
_FINISHED: Final = re.compile(
    r"\b(?:completed|finished|done|archived?|changelog|erledigt|abgeschlossen|archiv|"
    r"terminée?s?|concluíd[ao]s?|completad[ao]s?|выполнено|завершен[оаы]?|завершён\w*|архив)\b"
    r"|已完成|已归档|归档|完了|アーカイブ|완료",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the index; `lead` is the heading that it is under, if the line needs it to be
    understood. `source` are the words that it was made from, with their markup."""

    text: str
    lead: str = ""
    source: str = ""


@lru_cache(maxsize=4096)
def section_order(context: str) -> int | None:
    """The order in which a section's lines are added: 0 for most, 1 for deeply nested sections, 2
    for dated ones; None for finished sections, which are left out."""
    headings = headings_in(context)
    if any(_FINISHED.search(heading) for heading in headings):
        return None
    if any(_DATED.search(heading) for heading in headings):
        return 2
    return 1 if len(headings) > 2 else 0


def lines_of(entry: Entry, length: int = SHORT_LINE) -> Sequence[Line]:
    """The lines of an entry: a few for a statement of a file, one for a stored memory, none if it
    is done or has no content."""
    if _DONE in entry.tags:
        return ()
    rule = entry.category in ("instruction", "preference")
    migrated = entry.source == MIGRATED_SOURCE
    return _lines(entry.content, entry.context or "", migrated, rule, length)


@lru_cache(maxsize=1024)
def _lines(content: str, context: str, migrated: bool, rule: bool, length: int) -> Sequence[Line]:
    """Cached, because the index is made after every store and few entries change in between."""
    if line_status(content) != "current":
        return ()
    if not migrated:
        text = _plain(one_line(content, 2 * LONG_LINE))
        return (Line(shortened(text, length)),) if _is_meaningful(text, rule) else ()
    headings = headings_in(context)
    lead = _topic(headings, content)
    if _TITLE.search(lead):
        lead = ""
    parts = list(_joined(_meaningful(_parts(content), rule)))[:_MAX_LINES]
    texts = [(shortened(_plain(part), length), part) for part in parts]
    return tuple(Line(text, lead if _needs_lead(text) else "", part) for text, part in texts)


def shortened(text: str, length: int = SHORT_LINE) -> str:
    """The beginning of a text, cut between two words."""
    line = one_line(text, len(text) + 1)
    limit = _max_length(line, length)
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ,;:-–—") + "…"


class SeenLines:
    """The lines added so far, to recognise those that only repeat one of them."""

    def __init__(self) -> None:
        self._lines_with: dict[str, list[int]] = {}
        self._count = 0

    def repeats(self, text: str) -> bool:
        """Whether most words of a text are in one earlier line. If the text has a name or number
        that the line lacks, it is a different statement, however similar the rest is."""
        text_words = _words(text)
        shared: dict[int, int] = {}
        for word in text_words:
            for line in self._lines_with.get(word, ()):
                shared[line] = shared.get(line, 0) + 1
        close = [line for line, count in shared.items() if count >= _REPEAT_SHARE * len(text_words)]
        if not close:
            return not text_words
        names = set(_names(text))
        return any(all(line in self._lines_with.get(name, ()) for name in names) for line in close)

    def add(self, text: str) -> None:
        for word in _words(text):
            self._lines_with.setdefault(word, []).append(self._count)
        self._count += 1


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


def _topic(headings: Sequence[str], body: str) -> str:
    """The nearest heading that names a topic and adds words to the text; the first heading is the
    title of the file."""
    present = set(words(body))
    for title in reversed(headings[1:] or headings):
        if topic := topic_of(title):
            own = content_words(topic)
            missing = [word for word in own if word not in present]
            return topic if 2 * len(missing) > len(own) else ""
    return ""


def _needs_lead(text: str) -> bool:
    """Whether a line is too short to be understood without its heading."""
    return len(content_words(text)) < _MIN_OWN_WORDS


def _plain(text: str) -> str:
    return _OPEN_BOX.sub("", _MARKUP.sub("", text).strip())


def _parts(body: str) -> Iterator[str]:
    """The bullets, paragraphs and one-line sentences of a text, without code."""
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
    """Whether a line is complete, rather than continued on the next one."""
    last = part.rsplit("\n", 1)[-1].strip()
    if not last or not following.strip():
        return bool(last)
    return (
        last.endswith(_FULL_STOPS) or following.startswith("**") or bool(_LABELLED.match(following))
    )


def _meaningful(parts: Iterable[str], rule: bool) -> Iterator[str]:
    """The parts with content; a label that introduces other parts is joined to the first of
    them."""
    label = ""
    for part in parts:
        if _plain(part).endswith((":", "：")) and "\n" not in part:
            label = part
        elif _is_meaningful(_plain(part), rule):
            yield f"{label} {part}" if label else part
            label = ""


def _is_meaningful(text: str, rule: bool) -> bool:
    """Whether a part has content. A tick before a rule is a bullet; elsewhere it means done."""
    if text.startswith("~~") or text.endswith(_TICK) or (text.startswith(_TICK) and not rule):
        return False
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return not empty and line_status(text) == "current"


def _joined(parts: Iterator[str]) -> Iterator[str]:
    """Join short parts of one statement into one line."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) + 2 <= _max_length(line + part, SHORT_LINE):
            line += f"; {part}"
        else:
            if line:
                yield line
            line = part
    if line:
        yield line


def _max_length(text: str, length: int) -> int:
    return length // 2 if 3 * len(_CJK.findall(text)) > len(text) else length


def _names(text: str) -> Iterator[str]:
    """Words with a digit, or with a capital letter within a sentence."""
    for match in re.finditer(r"[^\W_]+", text):
        word = match[0]
        inside = match.start() > 0 and text[match.start() - 1] in " (@#/-"
        if any(character.isdigit() for character in word) or (inside and word[0].isupper()):
            yield from words(word)
