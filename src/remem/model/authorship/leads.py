"""Finds where somebody else's text begins in a line of running words.

It begins after words that introduce it ("Anna wrote: …", "here is the ticket: …", "translate
this: …"), and where a mail, a chat, a page or a letter was pasted into one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from remem.model.authorship.pieces import (
    CHAT,
    FORWARDED,
    INTRODUCED,
    LETTER,
    MAIL,
    PAGE,
    QUOTED,
    ROLES,
    pattern,
    words,
)

ASKED_ABOUT: Final = "it follows a request about a text"
REPORTED: Final = "it is introduced as somebody else's words"

_MAX_LEAD_LENGTH: Final = 240
_MAX_COLONS: Final = 40
_MAX_TOPIC_WORDS: Final = 2
_MAX_TOPIC_CHARACTERS: Final = 6
_SENTENCE_END: Final = re.compile(r"[.!?](?:[\"”’)]*)(?=\s|$)|[。！？]")
_COLON: Final = re.compile(r":(?!//)(?!\d)(?![)(DPp/](?:\s|$))|→|=>")
_QUOTE: Final = re.compile(r"(?<=[.!?:)\]\"”>…,]\s)>+\s?\S|(?:^|\s)>{2,}\s\S")
_DASHES: Final = re.compile(r"[-–—_=*]{2,}\s*")
_FRONT_MATTER: Final = re.compile(r"(?:^|\s)---\s+[\w-]+\s?:\s.{1,2000}?\s---(?:\s|$)")
_CHAT: Final = re.compile(
    r"(?:^|\s)[\[(]\d{1,2}:\d\d(?::\d\d)?[^\])]{0,20}[\])]\s?<?[^\W\d_][^:<>\n]{0,40}[>:]"
)
_ADDRESSED_HEADER: Final = re.compile(r"[^:]{1,12}:\W{0,4}[^@:]{0,60}@")
_CJK: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_BEFORE_ORDERS: Final = ("", "and", "then", "now", "ok", "so", "just", "und", "et", "y", "и")


@dataclass(frozen=True, slots=True)
class Cut:
    """The position in a line from which the words are not plainly the speaker's.

    With a `doubt` they may be theirs. Without one they are somebody else's, to the end of the turn
    or, with `paragraph`, of the paragraph. `opens` means that the text may follow in the next turn.
    """

    at: int
    kind: str
    doubt: str | None = None
    paragraph: bool = False
    opens: bool = False


def first_cut(line: str) -> Cut | None:
    return min(_cuts(line), key=lambda cut: cut.at, default=None)


def _cuts(line: str) -> Iterator[Cut]:
    yield from _flat_mail(line)
    if found := _QUOTE.search(line):
        yield Cut(found.start(), QUOTED)
    for forward in pattern("forwarded").finditer(line):
        begin = max(0, forward.start() - 20)
        if dashes := _DASHES.search(line[begin : forward.start()]):
            yield Cut(begin + dashes.start(), FORWARDED)
    if found := _FRONT_MATTER.search(line):
        yield Cut(found.start(), PAGE)
    if found := pattern("role_inside").search(line):
        yield Cut(found.start(), ROLES)
    if found := _CHAT.search(line):
        yield Cut(found.start(), CHAT)
    yield from _flat_letter(line)
    yield from _lead(line)


def _flat_mail(line: str) -> Iterator[Cut]:
    """Yield the start of a mail in one line: two different headers, or one with an address."""
    found = pattern("header").finditer(line)
    headers = [header for header in found if not header["name"][0].islower()]
    sender = pattern("sender")
    if not any(sender.match(line, header.start("name")) for header in headers):
        return
    start = headers[0].start("name")
    names = {header["name"].lower() for header in headers}
    if len(names) > 1 or _ADDRESSED_HEADER.match(line[start:]):
        yield Cut(start, MAIL)


def _flat_letter(line: str) -> Iterator[Cut]:
    """Yield the start of a letter: a salutation by name, after a sentence or with a farewell."""
    starts = [0] if pattern("farewell_inside").search(line) else []
    starts += [end.end() for end in _SENTENCE_END.finditer(line)]
    for start in starts:
        found = pattern("salutation").match(line[start:])
        if found and found["to"] and not pattern("assistant").match(found["to"]):
            yield Cut(start, LETTER)
            return


def _lead(line: str) -> Iterator[Cut]:
    """Yield the first colon after words that introduce something."""
    for colon in islice(_COLON.finditer(line), _MAX_COLONS):
        begin = max(0, colon.start() - _MAX_LEAD_LENGTH)
        ends = _SENTENCE_END.finditer(line, begin, colon.start())
        lead = line[max((end.end() for end in ends), default=begin) : colon.start()]
        if cut := _judge_lead(lead, colon.end()):
            yield cut
            return


def _judge_lead(lead: str, at: int) -> Cut | None:
    own = pattern("own_lead").match(lead) or pattern("whenever").match(lead)
    says = pattern("says").search(lead)
    if says and not pattern("self").search(lead[: says.start()]):
        if own:
            return Cut(at, INTRODUCED, REPORTED)
        return Cut(at, INTRODUCED, paragraph=True, opens=True)
    if own or lead.strip(" *_-•").lower() in words("own_topics"):
        return None
    page, introduces = pattern("page").search(lead), pattern("introduces").search(lead)
    if page and introduces:
        return Cut(at, INTRODUCED, opens=True)
    on_text = pattern("work_on_text").search(lead)
    verb = on_text or pattern("work_on_any").search(lead)
    if verb and (pattern("asks").search(lead.strip()) or _is_order(lead, verb.start())):
        if on_text or introduces or page:
            return Cut(at, INTRODUCED, opens=True)
        return Cut(at, INTRODUCED, ASKED_ABOUT)
    return None if _is_own_lead(lead) else Cut(at, INTRODUCED, REPORTED)


def _is_own_lead(lead: str) -> bool:
    """Whether the words before a colon name a topic, a kind of statement or the speaker.

    Any other words introduce something that anybody may have written.
    """
    if pattern("came").search(lead):
        return False
    if len(lead.split()) <= _MAX_TOPIC_WORDS and len(_CJK.findall(lead)) <= _MAX_TOPIC_CHARACTERS:
        return True
    if any(pattern(name).search(lead) for name in ("self_speaks", "about_me")):
        return True
    return not words("own_labels").isdisjoint(lead.lower().split())


def _is_order(sentence: str, verb: int) -> bool:
    """Whether the verb comes first, as in an order; in Chinese and Japanese it may be anywhere."""
    before = sentence[:verb].strip(" ,-*•").lower()
    return before in _BEFORE_ORDERS or pattern("cjk_order").search(sentence) is not None
