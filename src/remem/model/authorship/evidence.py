"""Judge whether the statements in a turn are the speaker's own.

Not every way to introduce somebody else's text can be listed. So the test is reversed: a statement
counts as the speaker's own if every other sentence of the turn is clear. A sentence is clear if it
is a statement itself, a short reply, or a report that begins with a function word ("I", "the"). Any
other sentence may ask for something about a text, or name the author of a text. A request does no
harm if it says by itself what it is about, or if a paste follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import Final

from remem.model.authorship.pieces import Authorship, pattern
from remem.text.words import flatten

UNCLEAR: Final = "the message also asks for something, or may introduce a text"
BROKEN: Final = "it runs over several lines"

_MIN_WRAPPED_LENGTH: Final = 50
"""A line that is shorter than this ends with a sentence, because it was not wrapped."""
_MIN_REQUEST_WORDS: Final = 4
_MIN_QUESTION_WORDS: Final = 8
_MIN_PASTE_LENGTH: Final = 10
_MAX_REPLY_WORDS: Final = 4
_MAX_LABEL_WORDS: Final = 3
_SENTENCE_END: Final = re.compile(
    r"(?<=[!?…])[\"”’)]*\s+|(?<=\.)(?<!\d\.)(?<!\b[DM]r\.)[\"”’)]*\s+|(?<=[。！？])\s*"
)
_BULLET: Final = re.compile(r"(?:[-*•>]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_PUNCTUATION: Final = " \t.,;!?:…\"'“”‘’*_-–—()[]。，、！？："
_COLONS: Final = (":", "：")
_QUESTION_MARKS: Final = ("?", "？")
# Names of patterns: for words that are about a text, and for words that point at one.
_ABOUT_TEXT: Final = ("message", "came", "work_on_text")
_POINTING: Final = (*_ABOUT_TEXT, "work_on_any", "says", "above")
_POINTING_AT_TEXT: Final = (*_ABOUT_TEXT, "says", "above", "points", "theirs")


class Evidence:
    """A turn and the statements that were found in it; each of them can be judged.

    `layout` is the turn with its line breaks.
    """

    def __init__(self, layout: str, authorship: Authorship, statements: Iterable[str]) -> None:
        self._layout = layout
        self._authorship = authorship
        self._statements = [flatten(statement) for statement in statements]
        self._lines = [_sentences(line) for line in layout.split("\n")]
        self._sentences = [
            (number, part) for number, parts in enumerate(self._lines) for part in parts
        ]

    def doubt(self, statement: str) -> str | None:
        """Return why a statement may not be the speaker's own; None if nothing suggests it."""
        flat = flatten(statement)
        if len(self._sentences) == 1:
            return self._doubt_alone(flat, self._sentences[0][1])
        sentences = enumerate(self._sentences)
        position = next((at for at, (_, part) in sentences if part in flat or flat in part), 0)
        if any(self._casts_doubt(at, position) for at in self._unclear):
            return UNCLEAR
        return BROKEN if self._is_broken(flat) else None

    @cached_property
    def _unclear(self) -> list[int]:
        """The indices of the sentences that are not clear."""
        return [
            at
            for at, (number, part) in enumerate(self._sentences)
            if number not in self._own_list and not self._is_clear(part)
        ]

    def _doubt_alone(self, statement: str, sentence: str) -> str | None:
        """Return the doubt about a statement in the only sentence of its turn."""
        before = sentence.partition(statement)[0]
        points = _has(before, *_POINTING) and not self._is_clear(sentence)
        return UNCLEAR if points or _continues_request(statement) else None

    def _casts_doubt(self, at: int, position: int) -> bool:
        """Return whether the unclear sentence `at` makes the statement at `position` doubtful."""
        line, sentence = self._sentences[at]
        statement_line = self._sentences[position][0]
        if self._is_foreign(line, sentence, statement_line):
            return False
        same_paragraph = self._paragraphs[line] == self._paragraphs[statement_line]
        if same_paragraph and _is_full_question(sentence):
            return False
        if at <= position:
            return True
        return not self._has_paste_below(statement_line) and not self._is_self_contained(sentence)

    def _is_clear(self, sentence: str) -> bool:
        """Return whether a sentence is a statement, a reply or a report."""
        rest = _without_reply(sentence)
        if not rest:
            return True
        shared = [statement for statement in self._statements if _belongs(sentence, statement)]
        if shared:
            first = min(shared, key=lambda statement: max(0, rest.find(statement)))
            before = rest.partition(first)[0] if first in rest else ""
            introduced = not before or _is_cue(before) or _is_report(before)
            return introduced and not _continues_request(first) and not _is_about_work(sentence)
        answers = pattern("answer").match(sentence) and rest[0].islower()
        if answers and len(rest.split()) <= _MAX_REPLY_WORDS and not _asks_for_work(rest):
            return True
        return _is_report(rest)

    def _is_self_contained(self, sentence: str) -> bool:
        """Return whether a request after a statement says by itself what it is about."""
        if pattern("together").match(sentence):
            return True
        is_only_question = len(self._statements) == 1 and _is_question(sentence)
        asks = is_only_question or _begins(sentence, "request")
        if not asks or len(sentence.split()) < _MIN_REQUEST_WORDS:
            return False
        return not _has(sentence, "pronoun", *_POINTING)

    def _is_foreign(self, line: int, sentence: str, statement_line: int) -> bool:
        """Return whether a sentence was left out as pasted text, or is in a text further down."""
        if line == statement_line:
            return False
        return sentence not in self._pieces or line >= self._text_below(statement_line)

    def _has_paste_below(self, statement_line: int) -> bool:
        return any(
            line > statement_line and self._is_foreign(line, part, statement_line)
            for line, part in self._sentences
        )

    def _text_below(self, line: int) -> int:
        """Return the first line below a line that a question or a colon introduces as a text.

        If there is no such line, return the number of lines.
        """
        above = self._lines[line]
        for number in range(line + 1, len(self._lines)):
            if not self._lines[number]:
                continue
            introduced = above and above[-1].endswith((*_COLONS, *_QUESTION_MARKS))
            if introduced and self._unclear_length(number) >= _MIN_PASTE_LENGTH:
                return number
            above = self._lines[number]
        return len(self._lines)

    def _unclear_length(self, start: int) -> int:
        """Return the number of characters in unclear sentences from a line on."""
        unclear = (self._sentences[at] for at in self._unclear)
        return sum(len(_without_reply(part)) for number, part in unclear if number >= start)

    @cached_property
    def _paragraphs(self) -> list[int]:
        """The number of the paragraph that each line belongs to."""
        return list(accumulate(not parts for parts in self._lines))

    @cached_property
    def _pieces(self) -> str:
        return " ".join(flatten(piece.text) for piece in self._authorship.pieces)

    @cached_property
    def _own_list(self) -> set[int]:
        """The lines of a list that the first line introduces as the speaker's own."""
        lines = [line.strip() for line in self._layout.split("\n")]
        if not lines[0].endswith(_COLONS) or not _is_report(lines[0]):
            return set()
        found = set[int]()
        for number, line in enumerate(lines[1:], start=1):
            if line and not _BULLET.match(line):
                break
            found.add(number)
        return found

    def _is_broken(self, statement: str) -> bool:
        """Return whether a statement was joined from short lines, such as the lines of a poem."""
        lines = [flatten(line) for line in self._layout.split("\n")]
        if any(statement in line for line in lines):
            return False
        return any(line and line in statement and len(line) < _MIN_WRAPPED_LENGTH for line in lines)


def _sentences(line: str) -> list[str]:
    bare = flatten(line)
    point = _BULLET.match(bare)
    parts = _SENTENCE_END.split(bare[point.end() :] if point else bare)
    return [part.strip() for part in parts if part.strip(_PUNCTUATION)]


def _without_reply(sentence: str) -> str:
    """Return a sentence without a reply to the agent at its beginning; "" if it is only a reply."""
    reply = pattern("reply").match(sentence)
    rest = sentence[reply.end() :] if reply else sentence
    return rest if rest.strip(_PUNCTUATION) else ""


def _belongs(sentence: str, statement: str) -> bool:
    """Return whether a sentence is part of a statement, and not merely the next sentence."""
    if statement in sentence:
        return True
    before, part, _ = statement.partition(sentence)
    return bool(part) and not before.rstrip().endswith((".", "!", "。", *_QUESTION_MARKS))


def _is_about_work(statement: str) -> bool:
    """Return whether a statement is about work on another's text: "I have to check her ad"."""
    return _has(statement, "theirs") and _has(statement, "work_on_text", "work_on_any", "message")


def _has(text: str, *names: str) -> bool:
    return any(pattern(name).search(text) for name in names)


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(' "”’)*_').endswith(_QUESTION_MARKS)


def _is_full_question(sentence: str) -> bool:
    """Return whether a question says by itself what it is about: it is long and names no text."""
    if len(sentence.split()) < _MIN_QUESTION_WORDS or not _begins(sentence, "asks_you"):
        return False
    return not _has(pattern("this_time").sub("", sentence), *_POINTING_AT_TEXT)


def _asks_for_work(words: str) -> bool:
    return _is_question(words) or _has(words, "work_on_text", "work_on_any")


def _is_cue(words: str) -> bool:
    """Return whether the words before a statement ask to remember it, or name its kind."""
    if pattern("and").fullmatch(words) or _begins(words, "own_lead", "whenever"):
        return True
    label = words.rstrip().endswith((*_COLONS, ",", "，", "、"))
    return label and len(words.split()) <= _MAX_LABEL_WORDS


def _begins(text: str, *names: str) -> bool:
    return any(pattern(name).match(text) for name in names)


def _continues_request(statement: str) -> bool:
    """Return whether a statement begins with a request ("make this shorter We decided …")."""
    if _begins(statement, "rule", "own_lead"):
        return False
    speaker = pattern("speaker").search(statement)
    lead = pattern("this_time").sub("", statement[: speaker.start()] if speaker else "")
    return _has(lead, "points", *_ABOUT_TEXT, "work_on_any") or _begins(lead, "request")


def _is_report(sentence: str) -> bool:
    """Return whether a sentence reports something and is not about a text."""
    if _is_question(sentence):
        return False
    about_me = sentence.endswith((".", "。", *_COLONS)) and _has(sentence, "about_me")
    if about_me or _begins(sentence, "rule", "own_lead"):
        return True
    if _has(sentence, "message", "work_on_text", "theirs"):
        return False
    if _has(sentence, "came") and (_has(sentence, "page") or not _begins(sentence, "speaker")):
        return False
    timeless = pattern("this_time").sub("", sentence)
    if _has(timeless, "verbatim"):
        return False
    if _begins(sentence, "report", "own_clause"):
        return True
    hearsay = _begins(timeless, "hearsay") and not any(colon in sentence for colon in _COLONS)
    return hearsay and not _has(timeless, "points", "page")
