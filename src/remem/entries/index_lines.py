"""The lines that an entry gives the index: the owner's words, shortened but never reworded.

What says nothing is left out here: empty form fields, template prose, edit stamps, code, and
whatever is marked as done or superseded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remem.model.entry import Entry
from remem.model.statement import PATH, headings_in
from remem.text.line_status import standing_of
from remem.text.placeholders import is_placeholder, is_stamp, is_template
from remem.text.untrusted import flat
from remem.text.words import fold, words

LONGEST: Final = 170
LONGEST_CJK: Final = 85
"""Chinese, Japanese and Korean say as much in half the characters."""
MIGRATED: Final = "migration"
"""The source of entries that were made from files."""

_MOST_LINES: Final = 3
_DONE: Final = "done"
_SAME: Final = 0.7
_BULLET: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_END: Final = re.compile(rf"{PATH}|: ?(?=\S|$)")
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
    """A line of the index; `lead` is the heading that it stands under, where that adds a word."""

    text: str
    lead: str = ""


@lru_cache(maxsize=4096)
def standing_under(context: str) -> int | None:
    """How early a section's lines are taken: 0 for most, 1 for deeply nested sections, 2 for
    those of a day; None for sections of what is finished, which are left out."""
    headings = headings_in(context)
    if any(_FINISHED.search(heading) for heading in headings):
        return None
    if any(_DATED.search(heading) for heading in headings):
        return 2
    return 1 if len(headings) > 2 else 0


def lines_of(entry: Entry) -> Sequence[Line]:
    """What an entry says. A statement of a file may take a few lines, what was stored takes one;
    what is done or says nothing takes none."""
    if _DONE in entry.tags:
        return ()
    rule = entry.category in ("instruction", "preference")
    return _lines(entry.content, entry.context or "", entry.source == MIGRATED, rule)


@lru_cache(maxsize=1024)
def _lines(content: str, context: str, migrated: bool, rule: bool) -> Sequence[Line]:
    """Kept, because the index is made after every store and few entries change between."""
    if standing_of(content) != "current":
        return ()
    if not migrated:
        text = _plain(flat(content, 2 * LONGEST))
        return (Line(shortened(text)),) if _says_something(text, rule) else ()
    lead, body = _without_path(content, headings_in(context))
    if _TITLE.search(lead):
        lead = ""
    parts = map(shortened, _telling(_parts(body), rule))
    return tuple(Line(text, lead) for text in list(_joined(parts))[:_MOST_LINES])


def shortened(text: str) -> str:
    """The beginning of a text, cut between two words."""
    line = flat(text, len(text) + 1)
    longest = _longest(line)
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    space = head.rfind(" ")
    return (head[:space] if space > longest // 2 else head).rstrip(" ,;:-–—") + "…"


class Known:
    """The lines that were taken already, to tell what would only repeat one of them."""

    def __init__(self) -> None:
        self._holders: dict[str, list[int]] = {}
        self._count = 0

    def repeats(self, text: str) -> bool:
        """Whether most words of a text stand in one earlier line. A name or number of its own
        makes it another statement, however alike the rest is."""
        said = _words(text)
        shared: dict[int, int] = {}
        for word in said:
            for line in self._holders.get(word, ()):
                shared[line] = shared.get(line, 0) + 1
        close = [line for line, count in shared.items() if count >= _SAME * len(said)]
        if not close:
            return not said
        own = set(_names(text))
        return any(all(line in self._holders.get(name, ()) for name in own) for line in close)

    def add(self, text: str) -> None:
        for word in _words(text):
            self._holders.setdefault(word, []).append(self._count)
        self._count += 1


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


def _without_path(content: str, headings: Sequence[str]) -> tuple[str, str]:
    """The nearest heading of those that migration put in front, and the words after them."""
    titles = [_letters(heading) for heading in headings] if ": " in content[:240] else []
    first, newline, rest = content.partition("\n")
    lead = ""
    while end := _end_of_title(first, titles):
        lead, mark = first[: end.start()].strip(), end[0]
        first = first[end.end() :].lstrip()
        if mark != PATH:
            return lead, first + newline + rest
    if lead and ": " in first:  # a bullet that the statement is nested in
        parents, first = first.split(": ", 1)
        lead = parents.rsplit(PATH, 1)[-1]
    return lead, first + newline + rest


def _end_of_title(text: str, titles: Sequence[str]) -> re.Match[str] | None:
    """Where the longest beginning ends that is a heading, or most of one: migration left out
    its date and its marks."""
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
        if _FENCE.match(line):
            code = not code
        elif code:
            continue
        elif bullet := _BULLET.match(line):
            yield _plain(part)
            part = line[bullet.end() :]
        else:
            part = f"{part}\n{line}"
    yield _plain(part)


def _telling(parts: Iterable[str], rule: bool) -> Iterator[str]:
    """The parts that say something; what introduces others goes with the first of them."""
    label = ""
    for part in parts:
        if part.endswith((":", "：")) and "\n" not in part:
            label = part
        elif _says_something(part, rule):
            yield f"{label} {part}" if label else part
            label = ""


def _says_something(text: str, rule: bool) -> bool:
    """A tick in front of a rule is a bullet; elsewhere it says that something is done."""
    if text.startswith("~~") or text.endswith(_TICK) or (text.startswith(_TICK) and not rule):
        return False
    idle = is_placeholder(text) or is_template(text) or is_stamp(text)
    return not idle and standing_of(text) == "current"


def _joined(parts: Iterator[str]) -> Iterator[str]:
    """Short parts of one statement share a line."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) + 2 <= _longest(line + part):
            line += f"; {part}"
        else:
            if line:
                yield line
            line = part
    if line:
        yield line


def _longest(text: str) -> int:
    return LONGEST_CJK if 3 * len(_CJK.findall(text)) > len(text) else LONGEST


def _names(text: str) -> Iterator[str]:
    """Words that carry a digit, or a capital letter within a sentence."""
    for match in re.finditer(r"[^\W_]+", text):
        word = match[0]
        inside = match.start() > 0 and text[match.start() - 1] in " (@#/-"
        if any(each.isdigit() for each in word) or (inside and word[0].isupper()):
            yield from words(word)
