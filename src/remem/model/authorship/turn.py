"""Divides the turns of a conversation into their speaker's words and what was pasted.

Every way of learning from a conversation asks here. A turn is divided into pieces that are plainly
its speaker's, pieces in doubt, each with the reason, and what somebody else wrote, which is left
out and counted. Where main's owner speaks, only plain pieces may become memory by themselves. In a
room of several people whatever was said is the room's own data, and is not divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.model.authorship.division import LONG_TURN, LOOKED_AT, READ_OF_A_LONG_TURN, divide, plain
from remem.model.authorship.lines import CODE, LETTER, Lines
from remem.model.authorship.marks import mark
from remem.model.authorship.pieces import NO_PROSE, Authorship, Piece, reason, without_elements
from remem.model.lesson import Utterance

CONTINUES: Final = "the message may be a text that was asked for or announced"
REPEATED: Final = "the agent wrote it after it had read pasted text"
_PARTS: Final = 3
_SHORT_TURN: Final = 200
_SHORT_ANSWER: Final = 160


def authorship(said: Sequence[Utterance]) -> list[Authorship]:
    """For each turn of a conversation, in its order; a paste may run over several turns."""
    found: list[Authorship] = []
    before = _Before()
    for turn in said:
        if turn.shared:
            found.append(Authorship((Piece(undivided(turn.text)),)))
        elif turn.role == "assistant":
            doubt = REPEATED if before.pasted else None
            found.append(_doubted(divide(turn, foreign=False).result(), doubt))
            waiting = len(turn.text) <= _SHORT_ANSWER and not mark("finished").match(turn.text)
            waits = before.hands_over if waiting else 0
            asked = mark("paste_please").search(turn.text[-600:]) is not None
            before = replace(before, asked=asked, hands_over=waits)
        else:
            spoken, before = _person(turn, before)
            found.append(spoken)
    return found


def undivided(text: str) -> str:
    """A turn without what is between tags; of several pages only the beginning."""
    whole = " ".join(without_elements(text[:LOOKED_AT]).split()) if "</" in text else text
    return whole if len(whole) <= LONG_TURN else whole[:READ_OF_A_LONG_TURN]


def foreign_lines(text: str) -> dict[int, str]:
    """The lines of a note, counted from 1, that only quote somebody: why. A note is laid out as its
    writer likes, so that its layout says nothing."""
    lines = Lines(plain(text).split("\n"))
    found: dict[int, str] = {}
    reach = what = ""
    for at, line in enumerate(lines.lines):
        if (reach == "paragraph" and not line.strip()) or line.lstrip().startswith("#"):
            reach = ""
        new = lines.mark(at, first=False) if line.strip() and not reach else None
        if new is not None and new.doubt is None and new.what not in (CODE, LETTER):
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
    hands_over: int = 0  # how many turns may still be the text that one was about


def _person(turn: Utterance, before: _Before) -> tuple[Authorship, _Before]:
    text = turn.layout or turn.text
    goes_on = before.ran_on and mark("continued").match(text) is not None
    done = divide(turn, foreign=goes_on or before.opened)
    found = done.result()
    if before.announced or before.asked or before.hands_over:
        found = _doubted(found, CONTINUES)
    ran_on = goes_on or done.ran_on
    announced = mark("announced").search(text) is not None
    return found, _Before(
        pasted=any(kind not in NO_PROSE for kind in found.foreign),
        ran_on=ran_on,
        announced=_PARTS if announced else max(0, before.announced - 1),
        opened=done.opened,
        hands_over=_PARTS if _is_about_text(text, found) else max(0, before.hands_over - 1),
    )


def _is_about_text(text: str, found: Authorship) -> bool:
    """Whether a short turn speaks of a text that is not in it."""
    if found.foreign or len(text) > _SHORT_TURN:
        return False
    return any(mark(name).search(text) for name in ("message", "work_on_text"))


def _doubted(found: Authorship, doubt: str | None) -> Authorship:
    if doubt is None:
        return found
    return replace(
        found, pieces=tuple(replace(piece, doubt=piece.doubt or doubt) for piece in found.pieces)
    )
