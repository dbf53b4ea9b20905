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
from remem.model.entry import PATH_SEPARATOR, Entry, headings_in
from remem.text.line_status import is_placeholder, is_stamp, is_template, line_status
from remem.text.markdown import BULLET, is_fence, one_line
from remem.text.words import content_words, fold, words

MAX_LINE_LENGTH: Final = 170
MAX_LINE_LENGTH_CJK: Final = 85
"""Chinese, Japanese and Korean need about half as many characters."""
MIGRATED_SOURCE: Final = "migration"
"""The source of entries that were made from files."""

_MAX_LINES: Final = 3
_DONE: Final = "done"
_REPEAT_SHARE: Final = 0.7
_END: Final = re.compile(rf"{PATH_SEPARATOR}|: ?(?=\S|$)")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_NO_DIGITS: Final = str.maketrans("", "", "0123456789")
_MARKUP: Final = re.compile(r"\*\*|`|^\s*(?:>\s*)+", re.MULTILINE)
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
    """A line of the index; `lead` is the heading that it is under, if that adds anything."""

    text: str
    lead: str = ""


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


def lines_of(entry: Entry) -> Sequence[Line]:
    """The lines of an entry: a few for a statement of a file, one for a stored memory, none if it
    is done or has no content."""
    if _DONE in entry.tags:
        return ()
    rule = entry.category in ("instruction", "preference")
    return _lines(entry.content, entry.context or "", entry.source == MIGRATED_SOURCE, rule)


@lru_cache(maxsize=1024)
def _lines(content: str, context: str, migrated: bool, rule: bool) -> Sequence[Line]:
    """Cached, because the index is made after every store and few entries change in between."""
    if line_status(content) != "current":
        return ()
    if not migrated:
        text = _plain(one_line(content, 2 * MAX_LINE_LENGTH))
        return (Line(shortened(text)),) if _is_meaningful(text, rule) else ()
    headings = headings_in(context)
    lead, body = _without_path(content, headings)
    lead = lead or _topic(headings, body)
    if _TITLE.search(lead):
        lead = ""
    parts = map(shortened, _meaningful(_parts(body), rule))
    return tuple(Line(text, lead) for text in list(_joined(parts))[:_MAX_LINES])


def shortened(text: str) -> str:
    """The beginning of a text, cut between two words."""
    line = one_line(text, len(text) + 1)
    limit = _max_length(line)
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
        """Whether most words of a text are in one earlier line. A name or number that the line
        lacks makes it another statement, however similar the rest is."""
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


def _without_path(content: str, headings: Sequence[str]) -> tuple[str, str]:
    """The nearest of the headings that earlier versions of migration prepended, and the text after
    them."""
    titles = [_letters(heading) for heading in headings] if ": " in content[:240] else []
    first, newline, rest = content.partition("\n")
    lead = ""
    while end := _end_of_title(first, titles):
        lead, mark = first[: end.start()].strip(), end[0]
        first = first[end.end() :].lstrip()
        if mark != PATH_SEPARATOR:
            return lead, first + newline + rest
    if lead and ": " in first:  # the bullet that contains the statement
        parents, first = first.split(": ", 1)
        lead = parents.rsplit(PATH_SEPARATOR, 1)[-1]
    return lead, first + newline + rest


def _end_of_title(text: str, titles: Sequence[str]) -> re.Match[str] | None:
    """The end of the longest prefix that is a heading, or most of one: migration left out its
    date and its markup."""
    found = None
    for end in _END.finditer(text[:240]):
        letters = _letters(text[: end.start()])
        if any(letters in title and 2 * len(letters) > len(_undated(title)) for title in titles):
            found = end
    return found


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    return _NO_LETTER.sub("", fold(text))


def _undated(title: str) -> str:
    return title.translate(_NO_DIGITS)


def _plain(text: str) -> str:
    return _OPEN_BOX.sub("", _MARKUP.sub("", text).strip())


def _parts(body: str) -> Iterator[str]:
    """The bullets and paragraphs of a text, each on one line, without code."""
    part, code = "", False
    for line in body.split("\n"):
        if is_fence(line):
            code = not code
        elif code:
            continue
        elif bullet := BULLET.match(line):
            yield _plain(part)
            part = line[bullet.end() :]
        else:
            part = f"{part}\n{line}"
    yield _plain(part)


def _meaningful(parts: Iterable[str], rule: bool) -> Iterator[str]:
    """The parts with content; a label that introduces others is joined to the first of them."""
    label = ""
    for part in parts:
        if part.endswith((":", "：")) and "\n" not in part:
            label = part
        elif _is_meaningful(part, rule):
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
        if line and len(line) + len(part) + 2 <= _max_length(line + part):
            line += f"; {part}"
        else:
            if line:
                yield line
            line = part
    if line:
        yield line


def _max_length(text: str) -> int:
    return MAX_LINE_LENGTH_CJK if 3 * len(_CJK.findall(text)) > len(text) else MAX_LINE_LENGTH


def _names(text: str) -> Iterator[str]:
    """Words with a digit, or with a capital letter within a sentence."""
    for match in re.finditer(r"[^\W_]+", text):
        word = match[0]
        inside = match.start() > 0 and text[match.start() - 1] in " (@#/-"
        if any(character.isdigit() for character in word) or (inside and word[0].isupper()):
            yield from words(word)
