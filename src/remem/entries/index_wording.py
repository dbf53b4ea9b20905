"""Shorten the owner's words for a line of the index, at the end of a sentence or a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from remem.extract.headings import says_finished
from remem.text.markdown import one_line
from remem.text.similarity import sentences

SHORT_LINE: Final = 170
LONG_LINE: Final = 300
"""Characters of a line; Chinese, Japanese and Korean need half as many."""

_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_PART: Final = re.compile(r"(?<=;)\s|\s(?=[-–—→(+]\s?\S)|(?=（)|(?<=[；])")
"""Where a sentence may end early: what is before it is a statement by itself."""
_CLAUSE: Final = re.compile(r"(?<=,)\s|(?<=[，：、])")
_COLON: Final = re.compile(r":\s|：")
_MIN_VALUE: Final = 24
"""Characters that must follow a label for a part to say something about it."""
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(（])(?:e\.g|i\.e|incl|approx|vs|etc|ca|cf|z\. ?B|evtl|ggf|usw|d\. ?h|bzw|inkl|"
    r"p\. ?ex|p\. ?ej|т\. ?е|т\. ?д|напр)\.$",
    re.IGNORECASE,
)
_WHOLE: Final = 1.5
"""A sentence may be longer than a line by this factor before it is cut."""
_INDIVISIBLE: Final = 2.5
"""The same for a sentence that has no part to end at."""
_EMPTY: Final = re.compile(r"\W*")
_EDGES: Final = " ,;:-–—→，；：、("
_NUMBER_OR_DATE: Final = re.compile(r"[\d\s./:年月日-]+")


def max_length(text: str, length: int) -> int:
    """Return the length of a line in characters, for the script that a text is written in."""
    return length // 2 if 3 * len(_CJK.findall(text)) > len(text) else length


def pieces_of(text: str, length: int) -> list[str]:
    """Divide a long text into pieces of whole sentences, each about as long as a line."""
    limit = max_length(text, length)
    if len(text) <= limit:
        return [text]
    pieces: list[str] = []
    for sentence in _sentences(text):
        introduced = bool(pieces) and pieces[-1].rstrip("*_ ").endswith((":", "："))
        if introduced or (pieces and len(pieces[-1]) + len(sentence) < limit):
            pieces[-1] += f" {sentence}"
        else:
            pieces.append(sentence)
    return pieces or [text]


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; the full stop of an abbreviation does not end one."""
    begun = ""
    for sentence in sentences(text):
        begun = f"{begun} {sentence}" if begun else sentence
        if not _ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun


def shortened(text: str, length: int = SHORT_LINE) -> str:
    """Return the beginning of a text: whole sentences, or a clause that can stand alone.

    Only if there is neither is the text cut at a clause or a word, and ends in “…”.
    """
    line = one_line(text, len(text) + 1)
    limit = max_length(line, length)
    if len(line) <= limit:
        return line
    first = pieces_of(line, length)[0]
    if len(first) <= _WHOLE * limit:
        return first
    label = _COLON.search(first)
    least = max(limit // 3, label.end() + _MIN_VALUE if label else 0)
    if end := _last_end(_PART, first[: int(_WHOLE * limit)], least):
        return first[:end].rstrip(_EDGES)
    if len(first) <= _INDIVISIBLE * limit:
        return first
    head = line[: limit - 1]
    end = _last_end(_CLAUSE, head, limit // 2) or head.rfind(" ")
    return (head[:end] if end > limit // 2 else head).rstrip(_EDGES) + "…"


def breaks_off(line: str) -> bool:
    """Whether a line was cut in the middle of a sentence, or only introduces others."""
    return line.endswith(("…", ":", "："))


def _last_end(pattern: re.Pattern[str], text: str, least: int) -> int:
    """Return the last end of a part that is long enough and outside brackets, or 0."""
    ends = [match.start() for match in pattern.finditer(text)]
    return max((end for end in ends if end >= least and _is_closed(text[:end])), default=0)


def _is_closed(text: str) -> bool:
    return all(text.count(one) == text.count(other) for one, other in ("()", "（）", "[]", "“”"))


def row_words(cells: Sequence[tuple[str, str]]) -> str:
    """Return a table row as a statement: its subject first, without empty cells.

    In a table of two columns, the second is the value of the first. A row that says that its
    subject is finished has no words.
    """
    if any(says_finished(value) for _, value in cells[1:]):
        return ""
    filled = [(name, value) for name, value in cells if not _EMPTY.fullmatch(value)]
    subject = next((cell for cell in filled if not _NUMBER_OR_DATE.fullmatch(cell[1])), None)
    if subject is None:
        return ""
    others = [f"{name}: {value}" if name else value for name, value in _without(filled, subject)]
    if len(cells) == 2 and others and subject == cells[0]:
        return f"{subject[1]}: {cells[1][1]}"
    return f"{subject[1]} — {'; '.join(others)}" if others else subject[1]


def _without(
    cells: Sequence[tuple[str, str]], subject: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    return (cell for cell in cells if cell is not subject)
