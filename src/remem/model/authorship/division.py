"""One turn, divided by its lines into its speaker's words, doubtful ones and pasted text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.model.authorship import leads, marks
from remem.model.authorship.lines import (
    AFTER,
    CODE,
    DOCUMENT,
    LETTERLIKE,
    PAGE,
    PROMPT,
    QUOTED,
    Lines,
)
from remem.model.authorship.marks import mark
from remem.model.authorship.pieces import Authorship, Piece, reason, without_elements
from remem.model.lesson import Utterance

ELEMENT: Final = "text between tags"
BEYOND: Final = "the end of a long message"
CONTINUED: Final = "the next part of a paste"

LONG: Final = "the message is as long as pasted text"
HIDDEN: Final = "the message contains invisible or disguised characters"
QUOTES: Final = "it contains a long quotation"
WORKED_ON: Final = "the message asks to work on the text before"

LOOKED_AT: Final = 20_000
LONG_TURN: Final = 2_000
READ_OF_A_LONG_TURN: Final = 600
_ENOUGH: Final = 2 * LONG_TURN
_MANY_PARAGRAPHS: Final = 4
_MANY_WITH: Final = 600
_TWO_WITH: Final = 1_200
_THANKS: Final = 60
_SHORT_QUESTION: Final = 200
_SHORT_LINE: Final = 80
_FENCED: Final = "fenced text"
_BREAK: Final = "\x01"
_HIDDEN: Final = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
_FENCE: Final = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\Z)", re.DOTALL | re.MULTILINE
)
_LARGE: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3}")
_PROSE: Final = re.compile(
    r"(?:[^\W\d_]+[,']? ){6,}[^\W\d_]+[.!?]|[\u3040-\u30ff\u4e00-\u9fff]{8,}"
)
_PLAIN: Final = str.maketrans(
    {"：": ":", "＞": ">", "﹕": ":", "\u00a0": " ", "\u3000": " ", "﹥": ">"}
    | {code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
)


class Division:
    """A turn while its lines are gone through."""

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
        self._request: int | None = None
        self._original = [line[:_ENOUGH] for line in text.split("\n")]
        self._lines = Lines([plain(line) for line in self._original])

    def read(self, *, foreign: bool) -> None:
        if foreign:
            self._to_end = CONTINUED
            self.foreign[reason(CONTINUED)] += 1
        for at, line in enumerate(self._original):
            self._read_line(at, line)
            if sum(map(len, self._run)) + sum(len(piece.text) for piece in self.pieces) > _ENOUGH:
                break  # so much is in doubt in any case, and only its beginning is read
        self._end_run()
        if self._to_end is not None:
            self._keep_last_paragraph()
        elif self._request is not None:
            self.doubt_before(self._request, WORKED_ON)
        elif not set(self.foreign) - {reason(QUOTED)} and self._asks_at_the_end():
            self.doubt_before(len(self.pieces), WORKED_ON)
        self._doubt_whole()

    def _read_line(self, at: int, line: str) -> None:
        bare = line.strip()
        if self._to_end is not None:
            self._left.append(line)
        elif bare == _BREAK:
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
            self.foreign[reason(found.what)] += 1
            if found.reach == "end":
                self._to_end = found.what
            elif found.reach == "paragraph":
                self._in_paragraph = found.what
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
        follows = any(text.strip() for text in self._original[at + 1 :])
        cut = leads.cut_in(plain(line), follows=follows)
        if cut is None:
            self._run.append(line)
            return
        head, rest = line[: cut.at], line[cut.at :]
        self._run.append(head[: cut.request] if cut.request is not None else head)
        if cut.request is not None:
            self._end_run()
            self._request = len(self.pieces)
            self._run.append(head[cut.request :])
        self._end_run()
        if cut.doubt is not None:
            self.doubt = self.doubt or cut.doubt
            if len(rest.strip()) > _THANKS or follows:
                self._request = None
            if rest.strip():
                self._read_words(at, rest)
            if cut.below and follows and self._to_end is None:
                self._to_end = cut.what
                self.foreign[reason(cut.what)] += 1
            return
        if not rest.strip() and not follows:
            self.opened = cut.opens
            return
        self._request = None
        self.foreign[reason(cut.what)] += 1
        if cut.paragraph and rest.strip():
            self._in_paragraph = cut.what
        else:
            self._to_end = cut.what

    def _end_run(self) -> None:
        text = " ".join(line.strip() for line in self._run).strip()
        self._run.clear()
        if not text:
            return
        for words, kind in marks.units(text):
            if kind == "quoted":
                self.foreign[reason(QUOTED)] += 1
            else:
                self.pieces.append(Piece(words, self.doubt or (QUOTES if kind else None)))

    def _keep_last_paragraph(self) -> None:
        """What stands last may be the owner's again: it is not lost, and it is in doubt."""
        self.ran_on = True
        paragraphs: list[list[str]] = [[]]
        ended = False
        for line in self._left:
            bare = plain(line).strip()
            if bare in ("", _BREAK) or set(bare) <= set("-–—_=*# "):
                paragraphs.append([])
            elif mark("ends").match(bare) and len(bare) <= _SHORT_LINE:
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

    def _asks_at_the_end(self) -> bool:
        """Whether the last paragraph is a question or a request about what is before it."""
        paragraphs = re.split(r"\n[ \t]*\n", "\n".join(self._lines.lines).strip())
        last = paragraphs[-1].strip()
        if len(paragraphs) < 2 or len(last) > _SHORT_QUESTION:
            return False
        if mark("formal").match(paragraphs[0].strip()):
            return True
        work = mark("work_on_text").search(last) or mark("work_on_any").search(last)
        points = mark("pronoun").search(last) is not None
        about = points or work is not None if leads.asks(last) else points and bool(work)
        return about and (max(last) < "\u3040" or leads.asks(last))

    def doubt_before(self, count: int, doubt: str) -> None:
        self.pieces[:count] = [
            replace(piece, doubt=piece.doubt or doubt) for piece in self.pieces[:count]
        ]

    def _doubt_whole(self) -> None:
        whole = "\n".join(self._lines.lines)
        own = "\n".join(piece.text for piece in self.pieces)
        length = sum(len(piece.text) for piece in self.pieces)
        paragraphs = len([part for part in re.split(r"\n\s*\n", whole) if part.strip()])
        doubt = None
        if mark("signed").search(own) or (self._lines.farewell is not None and not self._to_end):
            doubt = LETTERLIKE
        elif mark("prompt").search(own):
            doubt = PROMPT
        elif self._to_end is None and self._has_footer():
            doubt = DOCUMENT
        elif length > LONG_TURN or (self._to_end is None and _is_long(paragraphs, length)):
            doubt = LONG
        if doubt is not None:
            self.doubt_before(len(self.pieces), doubt)

    def _has_footer(self) -> bool:
        lines = [line.strip() for line in self._lines.lines if line.strip()]
        return len(lines) > 2 and any(
            len(line) <= _SHORT_LINE and mark("footer").search(line) for line in lines
        )

    def result(self) -> Authorship:
        return Authorship(tuple(self.pieces), dict(self.foreign))


def divide(turn: Utterance, *, foreign: bool) -> Division:
    raw = (turn.layout or turn.text).replace(_BREAK, "").replace("\r\n", "\n")
    text = _HIDDEN.sub("", raw[:LOOKED_AT])
    bare = without_elements(text, _BREAK) if "</" in text else text
    fenced = _FENCE.sub(_behind_fence, bare)
    done = Division(fenced)
    if bare != text:
        done.foreign[reason(ELEMENT)] += 1
    if fenced != bare:
        done.foreign[reason(_FENCED if _BREAK in fenced else CODE)] += 1
    done.read(foreign=foreign)
    if len(raw) > LOOKED_AT:
        done.foreign[reason(BEYOND)] += 1
    if _HIDDEN.search(raw[:LOOKED_AT].removeprefix("\ufeff")) or _LARGE.search(text):
        done.doubt_before(len(done.pieces), HIDDEN)
    done.pieces = _masked(_shortened(done), turn.text)
    return done


def _is_long(paragraphs: int, length: int) -> bool:
    return length > (_MANY_WITH if paragraphs >= _MANY_PARAGRAPHS else _TWO_WITH) and paragraphs > 1


def _behind_fence(fence: re.Match[str]) -> str:
    """Behind code the speaker goes on; behind fenced prose it may be the paste that goes on."""
    return f"\n\n{_BREAK}\n\n" if _PROSE.search(fence[0]) else "\n\n"


def _shortened(done: Division) -> list[Piece]:
    """Of several pages only the beginning."""
    if sum(len(piece.text) for piece in done.pieces) <= LONG_TURN:
        return done.pieces
    kept, length = list[Piece](), 0
    for piece in done.pieces:
        kept.append(replace(piece, text=piece.text[: READ_OF_A_LONG_TURN - length]))
        length += len(piece.text)
        if length >= READ_OF_A_LONG_TURN:
            break
    done.foreign[reason(BEYOND)] += 1
    return kept


def _masked(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """Some secrets show only when lines are joined: a turn's one line is masked again, and what is
    taken from its lines must not undo that."""
    if all(piece.text in text for piece in pieces):
        return list(pieces)
    from remem.text.secrets.mask import redact  # hundreds of patterns, seldom needed here

    return [replace(piece, text=redact(piece.text).text) for piece in pieces]


def _is_head(paragraph: Sequence[str]) -> bool:
    """Whether a paragraph is the head of a mail."""
    return all(mark("header").match(plain(line).strip("*_> |-")) for line in paragraph)


def plain(line: str) -> str:
    return line.translate(_PLAIN)
