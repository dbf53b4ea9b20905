"""Divide a turn, line by line, into the speaker's words, doubtful words and pasted text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.model.authorship.layout import BREAK, MAX_READ, prepare, with_plain_signs
from remem.model.authorship.leads import first_cut
from remem.model.authorship.lines import AFTER_PASTE, LETTERLIKE, PROMPT, TurnLines
from remem.model.authorship.pieces import (
    CONTINUED,
    INTRODUCED,
    PAGE,
    QUOTED,
    TOO_LONG,
    Authorship,
    MessagePiece,
    pattern,
    reason,
)
from remem.model.authorship.quotations import split_at_quotations
from remem.model.lesson import Utterance

LONG: Final = "the message is as long as pasted text"
DISGUISED: Final = "the message contains invisible or disguised characters"
QUOTES: Final = "it contains a long quotation"

LONG_TURN: Final = 2_000
USED_OF_LONG_TURN: Final = 600
_MAX_LINE: Final = 2 * LONG_TURN
_MAX_END_MARK: Final = 80


class Division:
    """Reads the lines of a turn and divides them into pieces.

    `foreign` counts the pasted texts that were left out, by reason. `doubt` applies to the pieces
    that follow. `announces_text` means that the turn ends by introducing a text, and
    `ends_in_paste` that pasted text continues up to its end.
    """

    def __init__(self, text: str) -> None:
        self.pieces: list[MessagePiece] = []
        self.foreign: Counter[str] = Counter()
        self.doubt: str | None = None
        self.announces_text = False
        self.ends_in_paste = False
        self._own_lines: list[str] = []
        self._foreign_tail: list[str] = []  # the lines of a paste that continues to the end
        self._kind_to_end: str | None = None
        self._kind_in_paragraph: str | None = None
        self._original = [line[:_MAX_LINE] for line in text.split("\n")]
        self._lines = TurnLines([with_plain_signs(line) for line in self._original])

    def read(self, *, foreign: bool) -> None:
        """Read all lines; `foreign` means that the turn begins within pasted text."""
        if foreign:
            self._kind_to_end = CONTINUED
            self.foreign[reason(CONTINUED)] += 1
        for at, line in enumerate(self._original):
            self._read_line(at, line)
            if (
                sum(map(len, self._own_lines)) + sum(len(piece.text) for piece in self.pieces)
                > _MAX_LINE
            ):
                break  # a message this long is in doubt, and only its beginning is used
        self._end_own_lines()
        if self._kind_to_end is not None:
            self._keep_last_paragraph()
        if doubt := self._doubt_about_message():
            self.doubt_all(doubt)

    def _read_line(self, at: int, line: str) -> None:
        bare = line.strip()
        if self._kind_to_end is not None:
            self._foreign_tail.append(line)
        elif bare == BREAK:
            self._end_own_lines()
            self.doubt = self.doubt or AFTER_PASTE
        elif not bare:
            self._end_own_lines()
            if self._kind_in_paragraph:
                self._kind_in_paragraph, self.doubt = None, self.doubt or AFTER_PASTE
        elif self._kind_in_paragraph is None:
            self._read_outside_paste(at, line)

    def _read_outside_paste(self, at: int, line: str) -> None:
        first = not self._own_lines and not self.pieces
        foreign = self._lines.foreign_text_at(at, first=first)
        if foreign is None:
            self._read_words(at, line)
        elif foreign.doubt is None:
            self._end_own_lines()
            self.foreign[reason(foreign.kind)] += 1
            if foreign.reach == "end":
                self._kind_to_end = foreign.kind
            elif foreign.reach == "paragraph":
                self._kind_in_paragraph = foreign.kind
        else:
            self._end_own_lines()
            doubt_before = self.doubt
            self.doubt = doubt_before or foreign.doubt
            self._read_words(at, line)
            if foreign.reach == "paragraph":
                self._end_own_lines()
                self.doubt = doubt_before

    def _read_words(self, at: int, line: str) -> None:
        """Read a line of prose, in the middle of which somebody else's text may begin."""
        cut = first_cut(with_plain_signs(line))
        if cut is None:
            self._own_lines.append(line)
            return
        self._own_lines.append(line[: cut.at])
        self._end_own_lines()
        rest = line[cut.at :]
        if cut.doubt is not None:
            self.doubt = self.doubt or cut.doubt
            self._read_words(at, rest)
        elif not rest.strip() and not any(text.strip() for text in self._original[at + 1 :]):
            self.announces_text = True
        else:
            self.foreign[reason(INTRODUCED)] += 1
            if cut.paragraph and rest.strip():
                self._kind_in_paragraph = INTRODUCED
            else:
                self._kind_to_end = INTRODUCED

    def _end_own_lines(self) -> None:
        text = " ".join(line.strip() for line in self._own_lines).strip()
        self._own_lines.clear()
        if not text:
            return
        for words, kind in split_at_quotations(text):
            if kind == "quotation":
                self.foreign[reason(QUOTED)] += 1
            else:
                doubt = QUOTES if kind == "contains" else None
                self.pieces.append(MessagePiece(words, self.doubt or doubt))

    def _keep_last_paragraph(self) -> None:
        """Keep the last paragraph as doubtful, because the owner may have written it after a paste.

        If the paste ends with a mark, keep all paragraphs after the mark.
        """
        self.ends_in_paste = True
        paragraphs: list[list[str]] = [[]]
        has_end_mark = False
        for line in self._foreign_tail:
            bare = with_plain_signs(line).strip()
            if bare in ("", BREAK) or set(bare) <= set("-–—_=*# "):
                paragraphs.append([])
            elif pattern("ends").match(bare) and len(bare) <= _MAX_END_MARK:
                has_end_mark = True
                paragraphs = [[]]
            else:
                paragraphs[-1].append(line)
        filled = [paragraph for paragraph in paragraphs if paragraph]
        is_page_or_mail = filled and (self._kind_to_end == PAGE or _is_mail_header(filled[0]))
        if is_page_or_mail and not has_end_mark:
            del filled[0]  # the header or title, not yet the text
        last = filled if has_end_mark else filled[-1:] if len(filled) > 1 else []
        self.doubt = AFTER_PASTE
        for paragraph in last:
            lines = TurnLines([with_plain_signs(line) for line in paragraph])
            own_lines = [
                line
                for at, line in enumerate(paragraph)
                if (foreign := lines.foreign_text_at(at, first=True)) is None or foreign.doubt
            ]
            if len(own_lines) == len(paragraph):
                self._own_lines.extend(own_lines)
                self._end_own_lines()

    def doubt_all(self, doubt: str) -> None:
        """Put all pieces that are not yet in doubt under this doubt."""
        self.pieces = [replace(piece, doubt=piece.doubt or doubt) for piece in self.pieces]

    def _doubt_about_message(self) -> str | None:
        """Return why the message as a whole may be somebody else's."""
        own = "\n".join(piece.text for piece in self.pieces)
        if self._lines.farewell is not None and not self._kind_to_end:
            return LETTERLIKE
        if pattern("prompt").search(own):
            return PROMPT
        return LONG if sum(len(piece.text) for piece in self.pieces) > LONG_TURN else None

    def result(self) -> Authorship:
        """Return the pieces, and the counts of what was left out."""
        return Authorship(tuple(self.pieces), dict(self.foreign))


def divide(turn: Utterance, *, foreign: bool = False) -> Division:
    """Divide a turn; `foreign` means that it continues pasted text of the turn before."""
    text = turn.multiline or turn.text
    prepared = prepare(text)
    division = Division(prepared.text)
    division.foreign.update(reason(kind) for kind in prepared.removed)
    division.read(foreign=foreign)
    if len(text) > MAX_READ:
        division.foreign[reason(TOO_LONG)] += 1
    if prepared.disguised:
        division.doubt_all(DISGUISED)
    division.pieces = _mask_secrets(_shorten(division), turn.text)
    return division


def _shorten(division: Division) -> list[MessagePiece]:
    """Return the pieces of a turn; of a very long message, only the beginning."""
    if sum(len(piece.text) for piece in division.pieces) <= LONG_TURN:
        return division.pieces
    pieces, length = list[MessagePiece](), 0
    for piece in division.pieces:
        pieces.append(replace(piece, text=piece.text[: USED_OF_LONG_TURN - length]))
        length += len(piece.text)
        if length >= USED_OF_LONG_TURN:
            break
    division.foreign[reason(TOO_LONG)] += 1
    return pieces


def _mask_secrets(pieces: Sequence[MessagePiece], text: str) -> list[MessagePiece]:
    """Mask the secrets in the pieces, which come from the text with its line breaks.

    Secrets are already masked in `text`, the turn as one line. Pieces that do not occur in it may
    have secrets that were only recognised there.
    """
    if all(piece.text in text for piece in pieces):
        return list(pieces)
    from remem.text.secrets.mask import redact  # hundreds of patterns, rarely needed here

    return [replace(piece, text=redact(piece.text).text) for piece in pieces]


def _is_mail_header(paragraph: Sequence[str]) -> bool:
    """Return whether a paragraph is the header of a mail."""
    return all(
        pattern("header").match(with_plain_signs(line).strip("*_> |-")) for line in paragraph
    )
