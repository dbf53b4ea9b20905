"""Divides the turns of a conversation into their speaker's words and what was pasted.

Text with the marks of somebody else's writing is left out and counted, and what follows it is in
doubt. Of the rest, a statement is the speaker's own if every other sentence of the turn is clear
too (`evidence`). Only what is plainly their own may become memory without review. In a room of
several people everything is the room's own data, and is not divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.model.authorship.division import LONG_TURN, READ_OF_A_LONG_TURN, divide
from remem.model.authorship.layout import MAX_READ, plain, without_elements
from remem.model.authorship.lines import Lines
from remem.model.authorship.pieces import (
    CODE,
    LETTER,
    NO_PROSE,
    Authorship,
    Piece,
    pattern,
    reason,
)
from remem.model.lesson import Utterance

CONTINUES: Final = "the message may be a text that was asked for or announced"
WORKED_ON: Final = "the next message asks to work on a text"
REPEATED: Final = "the agent wrote it after it had read pasted text"
_MAX_PARTS: Final = 3
_MAX_SHORT_TURN: Final = 200
_MAX_BARE_REQUEST: Final = 40
_MAX_SHORT_ANSWER: Final = 160


def authorship(said: Sequence[Utterance]) -> list[Authorship]:
    """The pieces of every turn of a conversation; a paste may run over several turns."""
    found: list[Authorship] = []
    before = _Before()
    last_spoken: int | None = None
    for number, turn in enumerate(said):
        if turn.shared:
            found.append(Authorship((Piece(undivided(turn.text)),)))
        elif turn.role == "assistant":
            doubt = REPEATED if before.pasted else None
            found.append(_doubted(divide(turn).result(), doubt))
            before = _answered(turn.text, before)
        else:
            spoken, before = _person(turn, before)
            found.append(spoken)
            if last_spoken is not None and _asks_for_work(turn.text, spoken):
                found[last_spoken] = _doubted(found[last_spoken], WORKED_ON)
            last_spoken = number
    return found


def undivided(text: str) -> str:
    """A turn without its elements; only the beginning of a turn of several pages."""
    whole = " ".join(without_elements(text[:MAX_READ]).split()) if "</" in text else text
    return whole if len(whole) <= LONG_TURN else whole[:READ_OF_A_LONG_TURN]


def foreign_lines(text: str) -> dict[int, str]:
    """The lines of a note, counted from 1, that only quote somebody, with the reason.

    Notes are laid out as their writers like, so the layout says nothing.
    """
    lines = Lines(plain(text).split("\n"))
    found: dict[int, str] = {}
    reach = kind = ""
    for at, line in enumerate(lines.lines):
        if (reach == "paragraph" and not line.strip()) or line.lstrip().startswith("#"):
            reach = ""
        new = lines.mark(at, first=False) if line.strip() and not reach else None
        if new is not None and new.doubt is None and new.kind not in (CODE, LETTER):
            reach, kind = new.reach, new.kind
        if reach and line.strip():
            found[at + 1] = reason(kind)
            reach = "" if reach == "line" else reach
    return found


@dataclass(frozen=True, slots=True)
class _Before:
    """What the turns so far say about the next one."""

    pasted: bool = False  # the last person's turn contained foreign text
    ran_on: bool = False  # it ended within that text
    opened: bool = False  # it ended by introducing a text
    expected: int = 0  # the number of turns that may still be an announced text
    asked: bool = False  # the agent asked for a text


def _answered(answer: str, before: _Before) -> _Before:
    """After a long answer, or one that reports success, no text is expected any more."""
    waiting = len(answer) <= _MAX_SHORT_ANSWER and not pattern("finished").match(answer)
    asked = pattern("paste_please").search(answer[-600:]) is not None
    return replace(before, asked=asked, expected=before.expected if waiting else 0)


def _person(turn: Utterance, before: _Before) -> tuple[Authorship, _Before]:
    text = turn.layout or turn.text
    goes_on = before.ran_on and pattern("continued").match(text) is not None
    done = divide(turn, foreign=goes_on or before.opened)
    found = done.result()
    if before.asked or before.expected:
        found = _doubted(found, CONTINUES)
    announces = pattern("announced").search(text) is not None or _is_about_text(text, found)
    return found, _Before(
        pasted=any(kind not in NO_PROSE for kind in found.foreign),
        ran_on=goes_on or done.ran_on,
        opened=done.opened,
        expected=_MAX_PARTS if announces else max(0, before.expected - 1),
    )


def _is_about_text(text: str, found: Authorship) -> bool:
    """Whether a short turn speaks of a text that is not in it."""
    if found.foreign or len(text) > _MAX_SHORT_TURN:
        return False
    return any(pattern(name).search(text) for name in ("message", "work_on_text"))


def _asks_for_work(text: str, found: Authorship) -> bool:
    """Whether a turn only asks for work on a text that came before: "translate to Italian"."""
    if found.foreign or len(text) > _MAX_BARE_REQUEST:
        return False
    return pattern("work_on_text").search(text) is not None


def _doubted(found: Authorship, doubt: str | None) -> Authorship:
    if doubt is None:
        return found
    return replace(
        found, pieces=tuple(replace(piece, doubt=piece.doubt or doubt) for piece in found.pieces)
    )
