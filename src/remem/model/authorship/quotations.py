"""Find sentences that are, or contain, a long quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from remem.model.authorship.pieces import pattern

_MIN_LENGTH: Final = 30
_MIN_WORDS: Final = 5
_MIN_CJK_LENGTH: Final = 11
_MAX_SEARCHED_AFTER: Final = 60
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_QUOTATION: Final = re.compile(
    r"“[^“”\"]*[”\"]|‚[^‚‘’]*[‘’]|„[^“”„\"]*[“”\"]|«[^«»]*»|»[^«»]*«|‹[^‹›]*›|「[^「」]*」|『[^『』]*』|《[^《》]*》|"
    r"‘[^‘’]*(?:’(?=\w)[^‘’]*)*’(?!\w)|\"[^\"]*\"|＂[^＂]*＂|''[^']{10,}''|"
    r"(?<![\w'])'(?=\w)[^'\n]*(?:'(?=\w)[^'\n]*)*'(?!\w)|``[^`]+``|`[^`]+`"
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？]|\n")


QuotationKind = Literal["plain", "contains", "quotation"]


def split_at_quotations(text: str) -> Iterator[tuple[str, QuotationKind]]:
    """Split a text into pieces of whole sentences, each with its kind.

    A piece without a long quotation is "plain". A sentence with one is a "quotation" if it names
    the quotation's author or has no words before it, and otherwise "contains" one.
    """
    at = 0
    for start, end, kind in _quoting_sentences(text):
        if start > at and (before := text[at:start].strip()):
            yield before, "plain"
        if quoting := text[max(at, start) : end].strip():
            yield quoting, kind
        at = max(at, end)
    if rest := text[at:].strip():
        yield rest, "plain"


def _quoting_sentences(text: str) -> Iterator[tuple[int, int, QuotationKind]]:
    at = 0
    for start, end in _spans(text):
        if start < at:
            continue
        begin = max((m.end() for m in _SENTENCE_END.finditer(text, at, start)), default=at)
        sentence_end = _SENTENCE_END.search(text, end)
        stop = sentence_end.end() if sentence_end else len(text)
        lead, after = text[begin:start].strip(), text[end:stop][:_MAX_SEARCHED_AFTER]
        is_quotation = not lead.strip("-*•> ") or _is_attributed(lead) or _is_attributed(after)
        if _closes(text[start:end]) and not _is_attributed(after):
            stop = end  # the quotation ends its sentence
        yield begin, stop, "quotation" if is_quotation else "contains"
        at = stop


def _closes(quotation: str) -> bool:
    return quotation.rstrip("\"'”“»«’」』›‹` ").endswith((".", "!", "?", "。", "！", "？"))


def _is_attributed(words: str) -> bool:
    """Return whether the words around a quotation attribute it to somebody else."""
    says = pattern("says").search(words)
    return says is not None and pattern("self").search(words[: says.start()]) is None


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the positions of long quotations."""
    return [match.span() for match in _QUOTATION.finditer(text) if _is_long(match[0])]


def _is_long(quotation: str) -> bool:
    if _CJK.search(quotation):
        return len(quotation) >= _MIN_CJK_LENGTH
    return len(quotation) >= _MIN_LENGTH or len(quotation.split()) >= _MIN_WORDS
