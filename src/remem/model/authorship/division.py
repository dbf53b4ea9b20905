"""One turn, divided by its lines into its speaker's words, doubtful ones and pasted text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.model.authorship.layout import BREAK, MAX_READ, plain, prepare
from remem.model.authorship.leads import first_cut
from remem.model.authorship.lines import AFTER, LETTERLIKE, PROMPT, Lines
from remem.model.authorship.pieces import (
    CONTINUED,
    PAGE,
    QUOTED,
    TOO_LONG,
    Authorship,
    Piece,
    pattern,
    reason,
)
from remem.model.authorship.quotations import split_at_quotations
from remem.model.lesson import Utterance

LONG: Final = "the message is as long as pasted text"
DISGUISED: Final = "the message contains invisible or disguised characters"
QUOTES: Final = "it contains a long quotation"

LONG_TURN: Final = 2_000
READ_OF_A_LONG_TURN: Final = 600
_MAX_LINE: Final = 2 * LONG_TURN
_LONG_WITH_PARAGRAPHS: Final = {2: 1_200, 4: 600}
"""From this many paragraphs on, a message of this length may be a document."""
_MAX_END_MARK: Final = 80


class Division:
    """A turn while its lines are read."""

    def __init__(self, text: str) -> None:
        self.pieces: list[Piece] = []
        self.foreign: Counter[str] = Counter()
        self.doubt: str | None = None
        self.opened = False
        self.ran_on = False
        self._run: list[str] = []
        self._left: list[str] = []  # lines of what goes on to the end, with its blank lines
        self._to_end: str | None = None
        self._in_paragraph: str | None = None
        self._original = [line[:_MAX_LINE] for line in text.split("\n")]
        self._lines = Lines([plain(line) for line in self._original])

    def read(self, *, foreign: bool) -> None:
        if foreign:
            self._to_end = CONTINUED
            self.foreign[reason(CONTINUED)] += 1
        for at, line in enumerate(self._original):
            self._read_line(at, line)
            if sum(map(len, self._run)) + sum(len(piece.text) for piece in self.pieces) > _MAX_LINE:
                break  # all of it is in doubt, and only the beginning is read
        self._end_run()
        if self._to_end is not None:
            self._keep_last_paragraph()
        if doubt := self._doubt_of_whole():
            self.doubt_all(doubt)

    def _read_line(self, at: int, line: str) -> None:
        bare = line.strip()
        if self._to_end is not None:
            self._left.append(line)
        elif bare == BREAK:
            self._end_run()
            self.doubt = self.doubt or AFTER
        elif not bare:
            self._end_run()
            if self._in_paragraph:
                self._in_paragraph, self.doubt = None, self.doubt or AFTER
        elif self._in_paragraph is None:
            self._read_open(at, line)

    def _read_open(self, at: int, line: str) -> None:
        first = not self._run and not self.pieces
        found = self._lines.mark(at, first=first)
        if found is None:
            self._read_words(at, line)
        elif found.doubt is None:
            self._end_run()
            self.foreign[reason(found.kind)] += 1
            if found.reach == "end":
                self._to_end = found.kind
            elif found.reach == "paragraph":
                self._in_paragraph = found.kind
        else:
            self._end_run()
            before = self.doubt
            self.doubt = before or found.doubt
            self._read_words(at, line)
            if found.reach == "paragraph":
                self._end_run()
                self.doubt = before

    def _read_words(self, at: int, line: str) -> None:
        """A line of running words; something else may begin in its middle."""
        cut = first_cut(plain(line))
        if cut is None:
            self._run.append(line)
            return
        self._run.append(line[: cut.at])
        self._end_run()
        rest = line[cut.at :]
        if cut.doubt is not None:
            self.doubt = self.doubt or cut.doubt
            self._read_words(at, rest)
        elif not rest.strip() and not any(text.strip() for text in self._original[at + 1 :]):
            self.opened = cut.opens
        else:
            self.foreign[reason(cut.kind)] += 1
            if cut.paragraph and rest.strip():
                self._in_paragraph = cut.kind
            else:
                self._to_end = cut.kind

    def _end_run(self) -> None:
        text = " ".join(line.strip() for line in self._run).strip()
        self._run.clear()
        if not text:
            return
        for words, kind in split_at_quotations(text):
            if kind == "quotation":
                self.foreign[reason(QUOTED)] += 1
            else:
                doubt = QUOTES if kind == "contains" else None
                self.pieces.append(Piece(words, self.doubt or doubt))

    def _keep_last_paragraph(self) -> None:
        """Keep the last paragraph as doubtful: after a paste, the owner may go on."""
        self.ran_on = True
        paragraphs: list[list[str]] = [[]]
        ended = False
        for line in self._left:
            bare = plain(line).strip()
            if bare in ("", BREAK) or set(bare) <= set("-–—_=*# "):
                paragraphs.append([])
            elif pattern("ends").match(bare) and len(bare) <= _MAX_END_MARK:
                ended = True
                paragraphs = [[]]
            else:
                paragraphs[-1].append(line)
        filled = [paragraph for paragraph in paragraphs if paragraph]
        if not ended and filled and (self._to_end == PAGE or _is_head(filled[0])):
            del filled[0]  # no part of the text yet
        last = filled if ended else filled[-1:] if len(filled) > 1 else []
        self.doubt = AFTER
        for paragraph in last:
            lines = Lines([plain(line) for line in paragraph])
            plain_ones = [
                line
                for at, line in enumerate(paragraph)
                if (found := lines.mark(at, first=True)) is None or found.doubt
            ]
            if len(plain_ones) == len(paragraph):
                self._run.extend(plain_ones)
                self._end_run()

    def doubt_all(self, doubt: str) -> None:
        self.pieces = [replace(piece, doubt=piece.doubt or doubt) for piece in self.pieces]

    def _doubt_of_whole(self) -> str | None:
        """Why the message as a whole may be somebody else's."""
        own = "\n".join(piece.text for piece in self.pieces)
        if pattern("signed").search(own) or (self._lines.farewell is not None and not self._to_end):
            return LETTERLIKE
        if pattern("prompt").search(own):
            return PROMPT
        return LONG if self._is_long() else None

    def _is_long(self) -> bool:
        length = sum(len(piece.text) for piece in self.pieces)
        if length > LONG_TURN or self._to_end is not None:
            return length > LONG_TURN
        whole = "\n".join(self._lines.lines)
        paragraphs = len([part for part in re.split(r"\n\s*\n", whole) if part.strip()])
        limits = _LONG_WITH_PARAGRAPHS.items()
        return any(paragraphs >= count and length > limit for count, limit in limits)

    def result(self) -> Authorship:
        return Authorship(tuple(self.pieces), dict(self.foreign))


def divide(turn: Utterance, *, foreign: bool = False) -> Division:
    """The pieces of a turn; `foreign` says that it goes on with a text of the turn before."""
    text = turn.layout or turn.text
    prepared = prepare(text)
    done = Division(prepared.text)
    done.foreign.update(reason(kind) for kind in prepared.taken_out)
    done.read(foreign=foreign)
    if len(text) > MAX_READ:
        done.foreign[reason(TOO_LONG)] += 1
    if prepared.disguised:
        done.doubt_all(DISGUISED)
    done.pieces = _masked(_shortened(done), turn.text)
    return done


def _shortened(done: Division) -> list[Piece]:
    """Only the beginning of a message of several pages."""
    if sum(len(piece.text) for piece in done.pieces) <= LONG_TURN:
        return done.pieces
    kept, length = list[Piece](), 0
    for piece in done.pieces:
        kept.append(replace(piece, text=piece.text[: READ_OF_A_LONG_TURN - length]))
        length += len(piece.text)
        if length >= READ_OF_A_LONG_TURN:
            break
    done.foreign[reason(TOO_LONG)] += 1
    return kept


def _masked(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """The pieces without secrets. Some secrets show only when lines are joined: they are masked in
    the turn's one line, and the words of its lines must not undo that."""
    if all(piece.text in text for piece in pieces):
        return list(pieces)
    from remem.text.secrets.mask import redact  # hundreds of patterns, seldom needed here

    return [replace(piece, text=redact(piece.text).text) for piece in pieces]


def _is_head(paragraph: Sequence[str]) -> bool:
    """Whether a paragraph is the head of a mail."""
    return all(pattern("header").match(plain(line).strip("*_> |-")) for line in paragraph)
