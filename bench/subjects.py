"""The systems under test: a workspace with a conversation, asked through the public API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, Literal, Protocol

from bench.conversations import Conversation, Question, Turn
from bench.plain_bm25 import PlainBM25
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.model.entry import Origin
from remem.ports.models import Embedder

Via = Literal["store", "search", "bm25"]
DEPTH: Final = 50
UNLIMITED: Final = 10_000_000
_MAX_CANDIDATES: Final = 400
_FIRST_LINE: Final = 3  # below a heading and a blank line


@dataclass(frozen=True, slots=True)
class Setting:
    """How a conversation is stored in a memory; all other settings are the defaults.

    An `isolated` turn has a speaker and no neighbours, one of `notes` only its text. With `quick`
    the model makes quick vectors only.
    """

    via: Via = "store"
    isolated: bool = False
    keyword_only: bool = False
    without: tuple[str, ...] = ()
    notes: bool = False
    quick: bool = False


class Subject(Protocol):
    """A memory of one conversation."""

    def ask(self, asked: Question) -> list[list[str]]:
        """The turns of each result, best first."""

    def close(self) -> None: ...


Models = Embedder | Sequence[Embedder] | None


def opened_for(folder: Path, setting: Setting, embedder: Models) -> Workspace:
    return open_workspace(
        folder,
        background=False,
        embedder=None if setting.keyword_only else embedder,
        keywords_only=setting.keyword_only,
        without_signals=setting.without,
    )


def build(folder: Path, conversation: Conversation, setting: Setting, embedder: Models) -> Subject:
    """Return a new memory with the conversation, fully indexed."""
    if setting.via == "bm25":
        return _Baseline(conversation)
    memory = opened_for(folder, setting, embedder)
    try:
        if setting.via == "store":
            return Stored(memory, conversation, setting)
        return Written(memory, folder, conversation)
    except BaseException:
        memory.close()
        raise


class Stored:
    """A memory in which every turn is an entry."""

    def __init__(self, memory: Workspace, conversation: Conversation, setting: Setting) -> None:
        self._memory = memory
        receipts = memory.store_many(
            {
                "category": "fact",
                "content": turn.content,
                "created_at": turn.date or None,
                "origin": _origin(i, turn, setting),
            }
            for i, turn in enumerate(conversation.turns)
        )
        memory.maintenance.embed_pending()
        self._turns: dict[str, list[str]] = {}
        for turn, receipt in zip(conversation.turns, receipts, strict=True):
            self._turns.setdefault(receipt.id, []).append(turn.id)
        self._length = {turn.id: len(turn.content) for turn in conversation.turns}

    def ask(self, asked: Question) -> list[list[str]]:
        answer = self._memory.recall(
            asked.query, limit=DEPTH, token_budget=UNLIMITED, now=asked.date or None
        )
        return [self._turns.get(entry.id, []) for entry in answer.entries]

    def weighed(
        self, asked: Question, limit: int = _MAX_CANDIDATES
    ) -> list[tuple[list[str], Mapping[str, float]]]:
        """The turns of every result, with the share of every signal in its score."""
        answer = self._memory.recall(
            asked.query, limit=limit, token_budget=UNLIMITED, now=asked.date or None, why=True
        )
        return [(self._turns.get(entry.id, []), entry.why or {}) for entry in answer.entries]

    def within(
        self, asked: Question, budget: int, whole: float
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The turns of which the share `whole` or more is in an answer, and those with any part."""
        answer = self._memory.recall(asked.query, token_budget=budget, now=asked.date or None)
        kept, seen = set[str](), set[str]()
        for entry in answer.entries:
            for turn in self._turns.get(entry.id, []):
                seen.add(turn)
                if len(entry.content) >= whole * self._length[turn]:
                    kept.add(turn)
        return frozenset(kept), frozenset(seen)

    def close(self) -> None:
        self._memory.close()


def _origin(number: int, turn: Turn, setting: Setting) -> Origin | None:
    if setting.notes:
        return None
    if setting.isolated:
        return Origin(f"turn {number}", None, turn.speaker, turn.role)
    return Origin(turn.session, number, turn.speaker, turn.role)


class Written:
    """A memory in which every session is a Markdown file with one line per turn.

    With `embed_seconds`, vectors are made only for that long.
    """

    def __init__(
        self,
        memory: Workspace,
        folder: Path,
        conversation: Conversation,
        *,
        embed_seconds: float | None = None,
    ) -> None:
        self._memory = memory
        sessions: dict[str, list[Turn]] = {}
        for turn in conversation.turns:
            sessions.setdefault(turn.session, []).append(turn)
        self._turns: dict[tuple[str, int], str] = {}
        self._lines: dict[str, str] = {}
        for session, turns in sessions.items():
            name = "".join(letter if letter.isalnum() else "-" for letter in session)
            path = f"memory/{turns[0].date[:10] or '1970-01-01'}-{name}.md"
            lines = [" ".join(turn.content.split()) for turn in turns]
            (folder / path).write_text("\n".join([f"# {session}", "", *lines, ""]), "utf-8")
            self._turns |= {(path, _FIRST_LINE + i): turn.id for i, turn in enumerate(turns)}
            self._lines |= {turn.id: line for turn, line in zip(turns, lines, strict=True)}
        _embed(memory, embed_seconds)

    def ask(self, asked: Question) -> list[list[str]]:
        found = self._memory.search(asked.query, max_results=DEPTH)
        return [
            [
                self._turns[hit.path, line]
                for line in range(hit.start_line, hit.end_line + 1)
                if (hit.path, line) in self._turns
            ]
            for hit in found.results
        ]

    def seen(self, asked: Question, limit: int) -> list[str]:
        """The turns of which nine tenths are in the snippets of the first results."""
        found = self._memory.search(asked.query, max_results=limit)
        snippets = "\n".join(hit.snippet for hit in found.results)
        return [
            turn for turn, line in self._lines.items() if line[: len(line) * 9 // 10] in snippets
        ]

    def close(self) -> None:
        self._memory.close()


class _TimeIsOver(Exception):
    """Enough vectors were made."""


def _embed(memory: Workspace, seconds: float | None) -> None:
    """Read the files and make vectors, for some seconds or until none is missing."""
    memory.refresh()
    if seconds == 0:
        return
    deadline = None if seconds is None else perf_counter() + seconds

    def check_time(_made: int) -> None:
        if deadline is not None and perf_counter() > deadline:
            raise _TimeIsOver

    with suppress(_TimeIsOver):
        memory.refresh(with_vectors=True, vector_progress=check_time)


class _Baseline:
    """Plain BM25 over the turns, without a memory."""

    def __init__(self, conversation: Conversation) -> None:
        self._index = PlainBM25(conversation)

    def ask(self, asked: Question) -> list[list[str]]:
        return [[turn] for turn in self._index(asked, DEPTH)]

    def close(self) -> None:
        """Nothing is open."""


def ranking(results: Sequence[Sequence[str]]) -> list[str]:
    """The distinct turns of all results, at most `DEPTH`."""
    return list(dict.fromkeys(turn for result in results for turn in result))[:DEPTH]
