"""Find the items to judge that are not lines: memories in review, duplicates, contradictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.duplicates import lexical_duplicates
from remem.admin.curate.habits import Habits
from remem.admin.curate.lines import is_decided, live_entries
from remem.admin.curate.result import CurationItem
from remem.entries.pending_facts import held_fact
from remem.entries.receipt import as_intended
from remem.model.contradictions import contradictions
from remem.model.entry import Entry, are_under_different_headings, headings_in
from remem.model.verdict import Topic, Verdict
from remem.ports.entries import Snapshot
from remem.ports.records import Where
from remem.text.markdown import one_line
from remem.text.statements import text_statement
from remem.text.untrusted import fence_untrusted

DUPLICATE_SIGN: Final = "="
CONTRADICTION_SIGN: Final = "!"
_MAX_TEXT_LENGTH: Final = 240


@dataclass(frozen=True, slots=True)
class Doubts:
    """Finds entries in review, and pairs of entries that are in doubt, in one scope.

    `nonce` returns a random text for the fence around untrusted text.
    """

    snapshot: Snapshot
    verdicts: Sequence[Verdict]
    habits: Habits
    nonce: Callable[[], str]

    def items_of_topic(self, topic: Topic) -> Iterator[CurationItem]:
        """Yield the items of a topic; none for the topics of lines."""
        match topic:
            case "contradiction":
                return self._contradictions()
            case "review":
                return self._review()
            case "duplicate":
                return self._duplicates()
            case _:
                return iter(())

    def items(self) -> Iterator[str]:
        """Yield the names of the items of all topics."""
        topics: tuple[Topic, ...] = ("contradiction", "duplicate", "review")
        return (item.item for topic in topics for item in self.items_of_topic(topic))

    def _review(self) -> Iterator[CurationItem]:
        for waiting in self.snapshot.select(Where(state="current", trust="untrusted")):
            if is_decided(self.verdicts, "review", waiting) or held_fact(self.snapshot, waiting.id):
                continue  # a fact in review is confirmed with `remem review`
            entry = as_intended(self.snapshot, waiting)
            habit = self.habits.usual_answer("review", entry)
            yield CurationItem(
                item=waiting.id,
                topic="review",
                text=fence_untrusted(_doubtful_text(waiting), self.nonce()),
                where=f"{entry.category}, stored {waiting.created_at[:10]}",
                proposed=habit.answer if habit else "drop",
                why=habit.why if habit else "an entry that nobody has confirmed should be dropped",
            )

    def _duplicates(self) -> Iterator[CurationItem]:
        entries = {entry.id: entry for entry in live_entries(self.snapshot)}
        statements = [text_statement(entry.id, entry.content) for entry in entries.values()]
        for pair in lexical_duplicates(statements):
            a, b = entries[pair.a.path], entries[pair.b.path]  # the paths are ids of entries
            if are_under_different_headings(pair.a.plain_text, a.context, b.context):
                continue
            if not is_decided(self.verdicts, "duplicate", a, b):
                keep, drop = sorted((a, b), key=_worth, reverse=True)
                yield _pair_item("duplicate", keep, drop, "merge", "both say nearly the same thing")

    def _contradictions(self) -> Iterator[CurationItem]:
        entries = {entry.id: entry for entry in live_entries(self.snapshot)}
        statements = [
            text_statement(entry.id, entry.content, headings_in(entry.context))
            for entry in entries.values()
        ]
        for clash in contradictions(statements):
            a, b = entries[clash.a.path], entries[clash.b.path]  # the paths are ids of entries
            if not is_decided(self.verdicts, "contradiction", a, b):
                newer, older = sorted((a, b), key=lambda entry: entry.created_at, reverse=True)
                yield _pair_item("contradiction", newer, older, "keep", clash.reason)


def _pair_item(topic: Topic, a: Entry, b: Entry, proposed_answer: str, reason: str) -> CurationItem:
    sign = DUPLICATE_SIGN if topic == "duplicate" else CONTRADICTION_SIGN
    return CurationItem(
        item=f"{a.id}{sign}{b.id}",
        topic=topic,
        text=one_line(a.content, _MAX_TEXT_LENGTH),
        where=f"{_origin_text(a)} | {_origin_text(b)}",
        proposed=proposed_answer,
        other=one_line(b.content, _MAX_TEXT_LENGTH),
        why=reason,
    )


def _doubtful_text(entry: Entry) -> str:
    """Return the parts of an untrusted entry that its source may have written, to be fenced."""
    lines = [one_line(entry.content, _MAX_TEXT_LENGTH), one_line(entry.context or "", 120)]
    lines += [f"from {one_line(origin.source, 80)}" for origin in entry.origins[:1]]
    return "\n".join(filter(None, lines))


def _worth(entry: Entry) -> tuple[bool, int, str]:
    """Return the worth of one of two duplicates; the one with the higher worth is kept.

    That is the owner's entry, or else the longer one, or else the one with the higher id.
    """
    return entry.trust == "owner", len(entry.content), entry.id


def _origin_text(entry: Entry) -> str:
    """Return where an entry comes from: `preference, MEMORY.md:12, Rules`."""
    parts: list[str] = [entry.category]
    if entry.origins:
        origin = entry.origins[0]
        line = f":{origin.position}" if origin.position is not None else ""
        parts.append(f"{origin.source}{line}")
    else:
        parts.append(f"stored {entry.created_at[:10]} by {entry.trust}")
    _, *below_title = headings_in(entry.context) or [""]
    parts += [one_line(heading, 40) for heading in below_title[-1:]]
    return ", ".join(parts)
