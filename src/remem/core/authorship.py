"""Which words of a turn did its speaker write, and which were pasted into it?

Every way of learning from a conversation asks here. A turn is divided into pieces that are plainly
its speaker's, pieces in doubt, each with the reason, and what somebody else wrote, which is left out
and counted. Where main's owner speaks, only plain pieces may become memory by themselves. In a room
of several people whatever was said is the room's own data, and is not divided.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.core import leads, quotations
from remem.core.elements import without_elements
from remem.core.lesson import Said
from remem.core.paste_marks import mark
from remem.core.pasted_lines import AFTER, CODE, DOCUMENT, LETTER, LETTERLIKE, LOG, PROMPT, Lines

FOREIGN: Final = "somebody else's words: "
ELEMENT: Final = "text between tags"
BEYOND: Final = "the end of a long message"
CONTINUED: Final = "the next part of a paste"

LONG: Final = "the message is as long as pasted text"
HIDDEN: Final = "the message contains invisible characters, as copied text does"
QUOTES: Final = "it contains a long quotation"
CONTINUES: Final = "the message may be a text that was asked for or announced"
WORKED_ON: Final = "the message asks to work on the text before"
REPEATED: Final = "the agent wrote it after it had read pasted text"

LOOKED_AT: Final = 20_000
_LONG_TURN: Final = 2_000
_READ_OF_A_LONG_TURN: Final = 600
_MANY_PARAGRAPHS: Final = 4
_MANY_WITH: Final = 600
_TWO_WITH: Final = 1_200
_PARTS: Final = 3
_THANKS: Final = 60
_SHORT_LINE: Final = 80
_FENCED: Final = "fenced text"
_BREAK: Final = "\x01"
_HIDDEN: Final = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
_FENCE: Final = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\Z)", re.DOTALL | re.MULTILINE
)
_PROSE: Final = re.compile(
    r"(?:[^\W\d_]+[,']? ){6,}[^\W\d_]+[.!?]|[\u3040-\u30ff\u4e00-\u9fff]{8,}"
)
_PLAIN: Final = str.maketrans(
    {"：": ":", "＞": ">", "﹕": ":", "\u00a0": " ", "\u3000": " ", "﹥": ">"}
)


_NO_PROSE: Final = frozenset({CODE, LOG})


@dataclass(frozen=True, slots=True)
class Piece:
    """Words as one line; `doubt` says why they may not be the speaker's own."""

    text: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Authorship:
    """The pieces of a turn in their order; `foreign` counts what was left out, by its reason."""

    pieces: tuple[Piece, ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...]:
        """What is plainly the speaker's."""
        return tuple(each.text for each in self.pieces if each.doubt is None)


def reason(what: str) -> str:
    """How it is counted that such text was left out."""
    return what if what in _NO_PROSE else f"{FOREIGN}{what}"


def authorship(said: Sequence[Said]) -> list[Authorship]:
    """For each turn of a conversation, in its order; a paste may run over several turns."""
    found: list[Authorship] = []
    before = _Before()
    for turn in said:
        if turn.shared:
            found.append(Authorship((Piece(undivided(turn.text)),)))
        elif turn.role == "assistant":
            doubt = REPEATED if before.pasted else None
            found.append(_doubted(_divide(turn, foreign=False).result(), doubt))
            before = replace(
                before, asked=mark("paste_please").search(turn.text[-600:]) is not None
            )
        else:
            spoken, before = _person(turn, before)
            found.append(spoken)
    return found


def undivided(text: str) -> str:
    """A turn without what is between tags; of several pages only the beginning."""
    whole = " ".join(without_elements(text[:LOOKED_AT]).split()) if "</" in text else text
    return whole if len(whole) <= _LONG_TURN else whole[:_READ_OF_A_LONG_TURN]


def foreign_lines(text: str) -> dict[int, str]:
    """The lines of a note, counted from 1, that only quote somebody: why. A note is laid out as its
    writer likes, so that its layout says nothing."""
    lines = Lines(text.translate(_PLAIN).split("\n"))
    found: dict[int, str] = {}
    reach = what = ""
    for at, line in enumerate(lines.lines):
        if (reach == "paragraph" and not line.strip()) or line.lstrip().startswith("#"):
            reach = ""
        if not reach and line.strip() and (new := lines.mark(at, first=False)):
            if new.doubt is None and new.what not in (CODE, LETTER):
                reach, what = new.reach, new.what
        if reach and line.strip():
            found[at + 1] = reason(what)
            reach = "" if reach == "line" else reach
    return found


@dataclass(frozen=True, slots=True)
class _Before:
    """What the turns before say about the next one."""

    pasted: bool = False  # the last person's turn held foreign text
    ran_on: bool = False  # it ended within that text
    announced: int = 0  # how many turns may still be parts of a paste
    opened: bool = False  # it ended by introducing a text
    asked: bool = False  # the agent asked for a text


def _person(turn: Said, before: _Before) -> tuple[Authorship, _Before]:
    text = turn.layout or turn.text
    goes_on = before.ran_on and mark("continued").match(text) is not None
    done = _divide(turn, foreign=goes_on or before.opened)
    found = done.result()
    if before.announced or before.asked:
        found = _doubted(found, CONTINUES)
    ran_on = goes_on or done.ran_on
    announced = mark("announced").search(text) is not None
    return found, _Before(
        pasted=any(each not in _NO_PROSE for each in found.foreign),
        ran_on=ran_on,
        announced=_PARTS if announced else max(0, before.announced - 1),
        opened=done.opened,
    )


def _doubted(found: Authorship, doubt: str | None) -> Authorship:
    if doubt is None:
        return found
    return replace(
        found, pieces=tuple(replace(each, doubt=each.doubt or doubt) for each in found.pieces)
    )


class _Division:
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
        self._original = text.split("\n")
        self._lines = Lines([_plain(line) for line in self._original])

    def read(self, *, foreign: bool) -> None:
        if foreign:
            self._to_end = CONTINUED
            self.foreign[FOREIGN + CONTINUED] += 1
        for at, line in enumerate(self._original):
            self._read_line(at, line)
        self._end_run()
        if self._to_end is not None:
            self._keep_last_paragraph()
        elif self._request is not None:
            self._doubt_before(self._request, WORKED_ON)
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
        follows = any(each.strip() for each in self._original[at + 1 :])
        cut = leads.cut_in(_plain(line), follows=follows)
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
        for words, kind in quotations.units(text):
            if kind == "quoted":
                self.foreign[f"{FOREIGN}a quotation"] += 1
            else:
                self.pieces.append(Piece(words, self.doubt or (QUOTES if kind else None)))

    def _keep_last_paragraph(self) -> None:
        """What stands last may be the owner's again: it is not lost, and it is in doubt."""
        self.ran_on = True
        paragraphs: list[list[str]] = [[]]
        ended = False
        for line in self._left:
            plain = _plain(line).strip()
            if plain in ("", _BREAK) or set(plain) <= set("-–—_=*# "):
                paragraphs.append([])
            elif mark("ends").match(plain) and len(plain) <= 60:
                ended = True
                paragraphs = [[]]
            else:
                paragraphs[-1].append(line)
        filled = [each for each in paragraphs if each]
        last = filled if ended else filled[-1:] if len(filled) > 1 else []
        self.doubt = AFTER
        for paragraph in last:
            lines = Lines([_plain(line) for line in paragraph])
            plain_ones = [
                line
                for at, line in enumerate(paragraph)
                if (found := lines.mark(at, first=True)) is None or found.doubt
            ]
            if len(plain_ones) == len(paragraph):
                self._run.extend(plain_ones)
                self._end_run()

    def _doubt_before(self, count: int, doubt: str) -> None:
        self.pieces[:count] = [
            replace(each, doubt=each.doubt or doubt) for each in self.pieces[:count]
        ]

    def _doubt_whole(self) -> None:
        whole = "\n".join(self._lines.lines)
        own = "\n".join(each.text for each in self.pieces)
        length = sum(len(each.text) for each in self.pieces)
        paragraphs = len([each for each in re.split(r"\n\s*\n", whole) if each.strip()])
        doubt = None
        if self._lines.farewell is not None and self._to_end is None:
            doubt = LETTERLIKE
        elif mark("prompt").search(own):
            doubt = PROMPT
        elif self._to_end is None and self._has_footer():
            doubt = DOCUMENT
        elif length > _LONG_TURN or (
            self._to_end is None
            and (
                (paragraphs >= _MANY_PARAGRAPHS and length > _MANY_WITH)
                or (paragraphs > 1 and length > _TWO_WITH)
            )
        ):
            doubt = LONG
        if doubt is not None:
            self._doubt_before(len(self.pieces), doubt)

    def _has_footer(self) -> bool:
        lines = [line.strip() for line in self._lines.lines if line.strip()]
        return len(lines) > 2 and any(
            len(line) <= _SHORT_LINE and mark("footer").search(line) for line in lines
        )

    def result(self) -> Authorship:
        return Authorship(tuple(self.pieces), dict(self.foreign))


def _divide(turn: Said, *, foreign: bool) -> _Division:
    raw = (turn.layout or turn.text).replace(_BREAK, "").replace("\r\n", "\n")
    text = _HIDDEN.sub("", raw[:LOOKED_AT])
    bare = without_elements(text, _BREAK) if "</" in text else text
    fenced = _FENCE.sub(_behind_fence, bare)
    done = _Division(fenced)
    if bare != text:
        done.foreign[FOREIGN + ELEMENT] += 1
    if fenced != bare:
        done.foreign[reason(_FENCED if _BREAK in fenced else CODE)] += 1
    done.read(foreign=foreign)
    if len(raw) > LOOKED_AT:
        done.foreign[FOREIGN + BEYOND] += 1
    if _HIDDEN.search(raw[:LOOKED_AT].removeprefix("\ufeff")):
        done._doubt_before(len(done.pieces), HIDDEN)
    done.pieces = _masked(_shortened(done), turn.text)
    return done


def _behind_fence(fence: re.Match[str]) -> str:
    """Behind code the speaker goes on; behind fenced prose it may be the paste that goes on."""
    return f"\n\n{_BREAK}\n\n" if _PROSE.search(fence[0]) else "\n\n"


def _shortened(done: _Division) -> list[Piece]:
    """Of several pages only the beginning."""
    if sum(len(each.text) for each in done.pieces) <= _LONG_TURN:
        return done.pieces
    kept, length = list[Piece](), 0
    for each in done.pieces:
        kept.append(replace(each, text=each.text[: _READ_OF_A_LONG_TURN - length]))
        length += len(each.text)
        if length >= _READ_OF_A_LONG_TURN:
            break
    done.foreign[FOREIGN + BEYOND] += 1
    return kept


def _masked(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """Some secrets show only when lines are joined: a turn's one line is masked again, and what is
    taken from its lines must not undo that."""
    return [_mask(each) if each.text not in text else each for each in pieces]


def _mask(piece: Piece) -> Piece:
    from remem.core.secrets import redact  # hundreds of patterns, seldom needed here

    return replace(piece, text=redact(piece.text).text)


def _plain(line: str) -> str:
    return line.translate(_PLAIN)
