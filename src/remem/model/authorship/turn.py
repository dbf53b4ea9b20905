"""Divide the turns of a conversation into their speaker's words and pasted text.

Text that shows signs of somebody else's writing is left out and counted, and the text after it is
in doubt. A statement in the rest is the speaker's own if every other sentence of the turn is clear
too (see `evidence`). Only what is certainly the speaker's own may become memory without review. In
a room of several people, turns are not divided, because everything belongs to the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.model.authorship.division import LONG_TURN, USED_OF_LONG_TURN, divide
from remem.model.authorship.layout import MAX_READ, with_plain_signs, without_elements
from remem.model.authorship.lines import TurnLines
from remem.model.authorship.pieces import (
    CODE,
    LETTER,
    NO_PROSE,
    Authorship,
    MessagePiece,
    pattern,
    reason,
)
from remem.model.lesson import Utterance
from remem.text.words import flatten

CONTINUES: Final = "the message may be a text that was asked for or announced"
WORKED_ON: Final = "the next message asks to work on a text"
REPEATED: Final = "the agent wrote it after it had read pasted text"
_MAX_PARTS: Final = 3
_MAX_SHORT_TURN: Final = 200
_MAX_BARE_REQUEST: Final = 40
_MAX_SHORT_ANSWER: Final = 160


def authorship(turns: Sequence[Utterance]) -> list[Authorship]:
    """Return the pieces of every turn of a conversation; a paste may extend over several turns."""
    results: list[Authorship] = []
    before = _PreviousTurns()
    last_user_turn: int | None = None
    for number, turn in enumerate(turns):
        if turn.shared:
            results.append(Authorship((MessagePiece(whole_turn(turn.text)),)))
        elif turn.role == "assistant":
            doubt = REPEATED if before.has_paste else None
            results.append(_with_doubt(divide(turn).result(), doubt))
            before = _after_answer(turn.text, before)
        else:
            divided_turn, before = _divide_persons_turn(turn, before)
            results.append(divided_turn)
            if last_user_turn is not None and _asks_for_work(turn.text, divided_turn):
                results[last_user_turn] = _with_doubt(results[last_user_turn], WORKED_ON)
            last_user_turn = number
    return results


def whole_turn(text: str) -> str:
    """Return a turn without text between tags; of a very long turn, only the beginning."""
    whole = flatten(without_elements(text[:MAX_READ])) if "</" in text else text
    return whole if len(whole) <= LONG_TURN else whole[:USED_OF_LONG_TURN]


def foreign_lines(text: str) -> dict[int, str]:
    """Return the numbers of the lines of a note that somebody else wrote, each with the reason.

    Code and letter-like lines do not count, because people lay out their own notes in this way.
    """
    lines = TurnLines(with_plain_signs(text).split("\n"))
    reasons: dict[int, str] = {}
    reach = kind = ""
    for at, line in enumerate(lines.lines):
        if (reach == "paragraph" and not line.strip()) or line.lstrip().startswith("#"):
            reach = ""
        new = lines.foreign_text_at(at, first=False) if line.strip() and not reach else None
        if new is not None and new.doubt is None and new.kind not in (CODE, LETTER):
            reach, kind = new.reach, new.kind
        if reach and line.strip():
            reasons[at + 1] = reason(kind)
            reach = "" if reach == "line" else reach
    return reasons


@dataclass(frozen=True, slots=True)
class _PreviousTurns:
    """The state of the turns so far, which suggests whether the next one is a pasted text."""

    has_paste: bool = False  # the last person's turn contained foreign text
    ends_in_paste: bool = False  # it ended within that text
    announces_text: bool = False  # it ended by introducing a text
    expected_parts: int = 0  # how many more turns may be the announced text
    asked_for_text: bool = False  # the agent asked for a text


def _after_answer(answer: str, before: _PreviousTurns) -> _PreviousTurns:
    """Return the state after an agent's answer.

    After a long answer, or one that reports success, no further part of a text is expected.
    """
    waiting = len(answer) <= _MAX_SHORT_ANSWER and not pattern("finished").match(answer)
    asks_for_paste = pattern("paste_please").search(answer[-600:]) is not None
    return replace(
        before,
        asked_for_text=asks_for_paste,
        expected_parts=before.expected_parts if waiting else 0,
    )


def _divide_persons_turn(
    turn: Utterance, before: _PreviousTurns
) -> tuple[Authorship, _PreviousTurns]:
    text = turn.multiline or turn.text
    continues = before.ends_in_paste and pattern("continued").match(text) is not None
    division = divide(turn, foreign=continues or before.announces_text)
    result = division.result()
    if before.asked_for_text or before.expected_parts:
        result = _with_doubt(result, CONTINUES)
    return result, _PreviousTurns(
        has_paste=any(kind not in NO_PROSE for kind in result.foreign),
        ends_in_paste=continues or division.ends_in_paste,
        announces_text=division.announces_text,
        expected_parts=_MAX_PARTS
        if _is_about_text(text, result)
        else max(0, before.expected_parts - 1),
    )


def _is_about_text(text: str, authorship: Authorship) -> bool:
    """Return whether a short turn is about a text that is not in it."""
    if authorship.foreign or len(text) > _MAX_SHORT_TURN:
        return False
    return any(pattern(name).search(text) for name in ("message", "work_on_text"))


def _asks_for_work(text: str, authorship: Authorship) -> bool:
    """Return whether a turn only asks for work on an earlier text: "translate to Italian"."""
    if authorship.foreign or len(text) > _MAX_BARE_REQUEST:
        return False
    return pattern("work_on_text").search(text) is not None


def _with_doubt(authorship: Authorship, doubt: str | None) -> Authorship:
    if doubt is None:
        return authorship
    return replace(
        authorship,
        pieces=tuple(replace(piece, doubt=piece.doubt or doubt) for piece in authorship.pieces),
    )
