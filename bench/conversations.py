"""Read conversations and questions from JSON Lines."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from remem.errors import InvalidInput, quoted


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance; `session` is the sitting that it belongs to."""

    id: str
    session: str
    date: str
    speaker: str
    role: str
    text: str

    @property
    def content(self) -> str:
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that hold its evidence."""

    id: str
    query: str
    date: str
    category: str
    gold_turns: frozenset[str]
    gold_sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One memory to build, and the questions to ask of it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path, limit: int | None = None) -> list[Conversation]:
    """The conversations of a file, which may be gzipped; at most the first `limit`."""
    found: list[Conversation] = []
    for number, line in enumerate(_lines(path), start=1):
        if limit is not None and len(found) == limit:
            break
        try:
            found.append(_conversation(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                f"line {number} of {path} is not a conversation: {type(error).__name__}: {error}",
                hint="each line is an object with id, turns and questions",
            ) from error
    if not found:
        raise InvalidInput(f"{path} has no conversations")
    return found


def merged(conversations: Sequence[Conversation]) -> Conversation:
    """Merge all conversations into one memory; ids and sessions are prefixed."""
    turns, questions = list[Turn](), list[Question]()
    for conversation in conversations:
        at = conversation.id
        turns += [
            replace(turn, id=f"{at}/{turn.id}", session=f"{at}/{turn.session}")
            for turn in conversation.turns
        ]
        questions += [
            replace(
                asked,
                gold_turns=frozenset(f"{at}/{id_}" for id_ in asked.gold_turns),
                gold_sessions=frozenset(f"{at}/{id_}" for id_ in asked.gold_sessions),
            )
            for asked in conversation.questions
        ]
    return Conversation("merged", tuple(turns), tuple(questions))


def _lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            yield from (line for line in file if line.strip())
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{quoted(str(path), 200)} cannot be read: {error}",
            hint="name a .jsonl or .jsonl.gz file, or set REMEM_BENCH to its folder",
        ) from error


def _conversation(value: dict[str, Any]) -> Conversation:
    turns = tuple(_turn(turn) for turn in value["turns"])
    return Conversation(str(value["id"]), turns, tuple(map(_question, value["questions"])))


def _turn(value: dict[str, Any]) -> Turn:
    names = ("id", "session", "date", "speaker", "role", "text")
    return Turn(*(str(value.get(name, "")) for name in names))


def _question(value: dict[str, Any]) -> Question:
    return Question(
        id=str(value["id"]),
        query=value["query"],
        date=value.get("date", ""),
        category=value.get("category", ""),
        gold_turns=frozenset(value.get("gold_turns", ())),
        gold_sessions=frozenset(value["gold_sessions"]),
    )
