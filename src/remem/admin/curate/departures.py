"""Find the lines that verdicts on others have pushed off the page, and the reasons.

The page is the index as it will be with all proposals applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remem.admin.curate.batch import CurationView
from remem.admin.curate.lines import LINE_SIGN, CandidateLine, line_key
from remem.entries.index_repeats import SeenLines
from remem.model.verdict import Verdict


def departures(
    before: CurationView, after: CurationView, verdicts: Sequence[Verdict]
) -> Iterator[str]:
    """Yield the lines that are no longer on the page, except those that a verdict dropped."""
    remaining = {after.names.name(line.item) for line in after.page}
    for line in (*before.page, *before.hidden):
        name = before.names.name(line.item)
        if name not in remaining and not any(_drops(verdict, line) for verdict in verdicts):
            reason = _pair_reason(line, after, verdicts) or _reason(line, after)
            yield f"{name} {reason}: {line.text}"


def _drops(verdict: Verdict, line: CandidateLine) -> bool:
    if verdict.answer != "drop" or verdict.topic != "index":
        return False
    id_, _, key = line.item.partition(LINE_SIGN)
    return verdict.entries[0] == id_ and (
        verdict.line is None or not key or line_key(verdict.line) == key
    )


def _pair_reason(
    line: CandidateLine, after: CurationView, verdicts: Sequence[Verdict]
) -> str | None:
    """Return the reason if a verdict merged the line's entry into another one or replaced it."""
    for verdict in verdicts:
        if verdict.survivor and line.entry in verdict.entries and line.entry != verdict.survivor:
            items = [other.item for other in after.page if other.entry == verdict.survivor]
            name = after.names.name(next(iter(items), verdict.survivor))
            return f"{'merged into' if verdict.answer == 'merge' else 'replaced by'} {name}"
    return None


def _reason(line: CandidateLine, after: CurationView) -> str:
    for other in after.page:
        known = SeenLines()
        known.add(other.text)
        if known.repeats(line.text):
            return f"covered by {after.names.name(other.item)}"
    items_without_room = {other.item for other in after.without_room}
    if line.item in items_without_room or after.tokens + after.cost(line) > after.limit:
        return "no room"
    return "other lines come first"
