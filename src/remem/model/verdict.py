"""Verdicts on memories, and the choices for the index that follow from them.

A verdict is an answer from the owner, an agent or a model about one or two entries. It is kept
permanently, so that the same question is not asked again. It identifies the entries both by their
ids, which survive edits, and by hashes of their words, which survive a new migration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final, Literal, Self, TypeVar, get_args

from remem.fast_dataclass import dataclass
from remem.model.entry import Category

Answer = Literal["keep", "drop", "pin", "reword", "merge", "recategorise", "order", "page"]
Topic = Literal["index", "line", "review", "duplicate", "contradiction"]
VerdictState = Literal["applied", "proposed", "declined", "undone"]

ANSWERS: Final[tuple[Answer, ...]] = get_args(Answer)
GIVEN_ANSWERS: Final = tuple(answer for answer in ANSWERS if answer not in ("order", "page"))
"""The answers that curation accepts."""
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
OWNER: Final = "owner"
_DONE: Final[dict[Answer, str]] = {
    "drop": "dropped",
    "merge": "merged",
    "page": "kept",
    "pin": "pinned",
    "reword": "reworded",
}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer about entries or a line: its author, its time, its subject and its state.

    - `wordings` are the hashes of the words of `entries`, or of the line if it is not stored.
    - `reason` is why the author answered so; for a line that is not stored, it is its place.
    - `line` is the hash of one line, if an entry has several lines in the index.
    - `text` is the new wording of `reword`, and `category` the new one of `recategorise`.
    - `shown` says that the line was in the index when the verdict was given. With the answer
      `keep`, such a line stays there, and any other line stays out. If one of two entries is merged
      or dropped, it says that only that one was in the index, so that the other takes its place.
    - The answer `page` keeps the index as it is: `entries` are those in the index, `pins` those of
      them that come from notes, `left` the hashes of the lines that are not in the index, and
      `seen` the hashes of the lines that the author saw and did not change.
    - `versions` maps the ids of changed entries to their versions before and after, for undo.
    """

    number: int
    at: str
    author: str
    state: VerdictState
    topic: Topic
    answer: Answer
    entries: tuple[str, ...]
    wordings: tuple[int, ...] = ()
    line: int | None = None
    text: str | None = None
    category: Category | None = None
    reason: str | None = None
    shown: bool = False
    pins: tuple[str, ...] = ()
    left: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    versions: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def in_force(self) -> bool:
        """Whether it was applied and not undone."""
        return self.state == "applied"

    @property
    def survivor(self) -> str | None:
        """The entry of a pair that remains when the other is merged into it or dropped."""
        at = {"merge": 0, "drop": 1}.get(self.answer)
        return self.entries[at] if at is not None and len(self.entries) == 2 else None

    @property
    def subject(self) -> object:
        """The subject; a verdict replaces an earlier proposal on the same subject."""
        if self.answer in ("order", "page"):
            return self.answer
        place = self.reason if self.topic == "line" else None
        return self.topic, frozenset(self.entries), self.line, place


@dataclass(slots=True)
class IndexChoices:
    """The lines that the index must show, hide, reword or reorder.

    Later verdicts override earlier ones.
    """

    pins: dict[str, Verdict] = field(default_factory=dict)
    keeps: set[tuple[str, int | None]] = field(default_factory=set)
    kept_out: dict[tuple[str, int | None], Verdict] = field(default_factory=dict)
    drops: dict[tuple[str, int | None], Verdict] = field(default_factory=dict)
    rewordings: dict[tuple[str, int | None], Verdict] = field(default_factory=dict)
    orders: list[Verdict] = field(default_factory=list)
    _pinned_lines: dict[str, set[int | None]] = field(default_factory=dict)
    _hidden_wordings: set[int] = field(default_factory=set)
    _left: frozenset[int] = frozenset()

    @classmethod
    def from_verdicts(cls, verdicts: Iterable[Verdict], current_ids: Mapping[str, str]) -> Self:
        """Return the choices that follow from the verdicts in force, the oldest first.

        `current_ids` maps the ids of replaced entries to the ids of their replacements.
        """
        choices = cls()
        for verdict in verdicts:
            if verdict.in_force and verdict.survivor and verdict.shown:
                survivor = current_ids.get(verdict.survivor, verdict.survivor)
                choices._pin(replace(verdict, answer="merge", entries=(survivor,)))
            stored = verdict.topic == "line" and verdict.answer in ("reword", "keep")
            stored = stored and bool(verdict.entries)
            if verdict.in_force and (verdict.topic == "index" or verdict.answer == "pin" or stored):
                ids = tuple(current_ids.get(id_, id_) for id_ in verdict.entries)
                choices._add(replace(verdict, entries=ids))
        return choices

    def _add(self, verdict: Verdict) -> None:
        match verdict.answer:
            case "order":
                self.orders.append(verdict)
            case "drop":
                self._drop(verdict)
            case "pin" | "reword":
                self._pin(verdict)
            case "page":
                self._hold_page(verdict)
            case "keep":
                key = (verdict.entries[0], verdict.line)
                if verdict.shown:
                    self.keeps.add(key)
                    self.kept_out.pop(key, None)
                elif not self._pinned_lines.get(key[0]):
                    self.kept_out[key] = verdict

    def _hold_page(self, verdict: Verdict) -> None:
        self.keeps = {(id_, None) for id_ in verdict.entries}
        held = [id_ for id_, known in self.pins.items() if known.answer == "page"]
        for id_ in held:
            del self.pins[id_]
        for id_ in verdict.pins:
            if (id_, None) not in self.drops:
                self.pins.setdefault(id_, verdict)
        self.kept_out.clear()
        self._left = frozenset(verdict.left)

    def _drop(self, verdict: Verdict) -> None:
        id_ = verdict.entries[0]
        self.drops[id_, verdict.line] = verdict
        self.rewordings.pop((id_, verdict.line), None)
        self.keeps.discard((id_, verdict.line))
        self._pinned_lines.get(id_, set()).discard(verdict.line)
        if verdict.line is None or not self._pinned_lines.get(id_):
            self.pins.pop(id_, None)
        if verdict.line is None:
            self._pinned_lines.pop(id_, None)
            self._hidden_wordings.update(verdict.wordings)

    def _pin(self, verdict: Verdict) -> None:
        id_ = verdict.entries[0]
        self._hidden_wordings.difference_update(verdict.wordings)
        for line in (verdict.line, None):
            self.kept_out.pop((id_, line), None)
        for key in [key for key in self.drops if key[0] == id_ and key[1] in (None, verdict.line)]:
            del self.drops[key]
        self.pins[id_] = verdict
        self._pinned_lines.setdefault(id_, set()).add(verdict.line)
        if verdict.answer == "reword":
            self.rewordings[id_, verdict.line] = verdict

    def hides(self, id_: str, wording_hash: int) -> bool:
        """Return whether an entry with this id, or these words, is hidden as a whole."""
        if id_ in self.pins:
            return False
        kept_out = self.kept_out.get((id_, None))
        if kept_out is not None and wording_hash in kept_out.wordings:
            return True
        return (id_, None) in self.drops or wording_hash in self._hidden_wordings

    def pins_line(self, id_: str, line: int) -> bool:
        """Return whether a line must be in the index.

        It must if it or its whole entry is pinned, or if it has to stay there.
        """
        pinned = not self._pinned_lines.get(id_, set()).isdisjoint((line, None))
        return pinned or self.keeps_line(id_, line)

    def keeps_line(self, id_: str, line: int) -> bool:
        """Return whether a line that is in the index must stay there."""
        return (id_, line) in self.keeps or ((id_, None) in self.keeps and line not in self._left)

    def hides_line(self, id_: str, line: int) -> bool:
        """Return whether a line must not be in the index."""
        if (id_, line) in self.drops or (id_, line) in self.kept_out:
            return True
        return line in self._left and not self.pins_line(id_, line)

    def rewording(self, id_: str, wording_hash: int, line: int | None) -> str | None:
        """Return the words to show instead of an entry or line, if a verdict says so.

        Return None if the entry has changed since that verdict.
        """
        verdict = self.rewordings.get((id_, line))
        return verdict.text if verdict is not None and wording_hash in verdict.wordings else None

    def ordered(self, items: Sequence[T], ids: Sequence[str]) -> list[T]:
        """Return items, given with the ids of their entries, in the order that verdicts chose.

        Items that no verdict names keep their positions.
        """
        order = list(range(len(items)))
        for verdict in self.orders:
            rank = {id_: position for position, id_ in enumerate(verdict.entries)}
            slots = [slot for slot, at in enumerate(order) if ids[at] in rank]
            positions = sorted((order[slot] for slot in slots), key=lambda at: rank[ids[at]])
            for slot, at in zip(slots, positions, strict=True):
                order[slot] = at
        return [items[at] for at in order]

    def explain(self, id_: str, line: int | None = None) -> str | None:
        """Return which verdict has an entry shown or hidden, or a line of it; None if none has."""
        verdict = self.drops.get((id_, line)) or self.pins.get(id_)
        if verdict is None:
            return None
        action = _DONE[verdict.answer]
        return f"{action} by {verdict.author} on {verdict.at[:10]} (verdict {verdict.number})"
