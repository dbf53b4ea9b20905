"""Which sentences of a text quote somebody at length, in any kind of quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.core.paste_marks import mark

_LONG: Final = 30
_WORDS: Final = 5
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LONG_CJK: Final = 10
_LONGEST_TITLE: Final = 80
_LOOKED_BEHIND: Final = 60
_MARKS: Final = (
    r"“[^“”\"]*[”\"]|‚[^‚‘’]*[‘’]|„[^“”„\"]*[“”\"]|«[^«»]*»|»[^«»]*«|‹[^‹›]*›|「[^「」]*」|『[^『』]*』|《[^《》]*》|"
    r"‘[^‘’]*(?:’(?=\w)[^‘’]*)*’(?!\w)|\"[^\"]*\"|＂[^＂]*＂|''[^']{10,}''|"
    r"(?<![\w'])'(?=\w)[^'\n]*(?:'(?=\w)[^'\n]*)*'(?!\w)|``[^`]+``|`[^`]+`"
)
_UNCLOSED: Final = re.compile(r"[“„«「『‘](?=\S)|(?:^|(?<=\s))\"(?=\w)")
_ENDS: Final = re.compile(r"[.!?](?=\s)|[。！？]|\n")


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(_MARKS)


def units(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces at the ends of sentences, each with what it is: "" without a long
    quotation, "inside" if one is part of the sentence, "quoted" if it is nothing else.

    The pieces are the whole text in its order, without what is between them."""
    at = 0
    for start, end, kind in _quoting(text):
        if start > at and (before := text[at:start].strip()):
            yield before, ""
        if quoting := text[max(at, start) : end].strip():
            yield quoting, kind
        at = max(at, end)
    if rest := text[at:].strip():
        yield rest, ""


def _quoting(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    for start, end in _spans(text):
        if start < at:
            continue
        begin = max((m.end() for m in _ENDS.finditer(text, at, start)), default=at)
        done = _ENDS.search(text, end)
        stop = done.end() if done else len(text)
        lead, behind = text[begin:start].strip(), text[end:stop][:_LOOKED_BEHIND]
        quoted = not lead.strip("-*•> ") or _says(lead) or _says(behind)
        if _closes(text[start:end]) and not _says(behind):
            stop = end  # the quotation ends its sentence
        yield begin, stop, "quoted" if quoted else "inside"
        at = stop


def _closes(quotation: str) -> bool:
    return quotation.rstrip("\"'”“»«’」』›‹` ").endswith((".", "!", "?", "。", "！", "？"))


def _says(words: str) -> bool:
    """Whether the words around a quotation say whose it is, and it is not the speaker's."""
    says = mark("says").search(words)
    return says is not None and mark("self").search(words[: says.start()]) is None


def _spans(text: str) -> list[tuple[int, int]]:
    """Where long quotations are; one that is never closed goes to the end."""
    found = [m.span() for m in _marks().finditer(text)]
    long = [span for span in found if _is_long(text[span[0] : span[1]])]
    open_ = next(
        (
            m.start()
            for m in _UNCLOSED.finditer(text)
            if not any(a <= m.start() < b for a, b in found)
        ),
        None,
    )
    if open_ is not None and _is_long(text[open_:]):
        long = [span for span in long if span[0] < open_]
        long.append((open_, len(text)))
    return long


def _is_long(quotation: str) -> bool:
    if _is_title(quotation):
        return False
    if _CJK.search(quotation):
        return len(quotation) > _LONG_CJK
    return len(quotation) >= _LONG or len(quotation.split()) >= _WORDS


def _is_title(quotation: str) -> bool:
    """Whether it names a work: its words are written large, and it is no sentence."""
    inside = quotation[1:-1].strip()
    if not inside or len(inside) > _LONGEST_TITLE or inside[-1] in ".!?:;,":
        return False
    words = [each for each in inside.split() if len(each) > 3]
    return len(words) > 1 and all(each[0].isupper() or each[0].isdigit() for each in words)
