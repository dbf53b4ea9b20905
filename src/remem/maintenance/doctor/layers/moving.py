"""How does chatter leave MEMORY.md? Into the notes of its days first, then out of the file: a kill
in between leaves a line in both places, and the next run finds it noted.

The change of MEMORY.md is one step of the audit's journal, which takes it back byte for byte. The
notes keep their lines: they are a timeline, and only grow.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.audit.apply import Change, Journal
from remem.audit.edits import Edit, edited
from remem.core.daily_note import behind
from remem.core.scope import MAIN
from remem.errors import InvalidInput
from remem.maintenance.doctor.layers.chatter import MEMORY_MD, Chatter, chatter
from remem.maintenance.rewriting import rewrite
from remem.notes import files
from remem.notes.domain_text import show
from remem.notes.layout import Layout
from remem.notes.locks import alone
from remem.ports import Extractor

_POINT: Final = re.compile(r"\s*[-*+•]\s+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """The change of MEMORY.md, and which lines go to the note of which day."""

    change: Change
    notes: dict[str, tuple[str, ...]]

    @property
    def diff(self) -> str:
        moved = (f"+++ {day}.md\n+{line}" for day, lines in self.notes.items() for line in lines)
        return "\n".join([self.change.diff, *moved])


def proposed(layout: Layout, rules: Extractor, today: str) -> Proposal | None:
    """What moving would change; None where there is no chatter."""
    data = files.read(layout.root / MEMORY_MD)
    try:
        found = chatter((data or b"").decode(), rules, today)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{MEMORY_MD} is not UTF-8 at byte {error.start}", hint="mend it first"
        ) from error
    if not found or data is None:
        return None
    lines = frozenset(n for each in found for n in range(each.statement.start, _end(each) + 1))
    count = "1 line" if len(found) == 1 else f"{len(found)} lines"
    after = edited(data, Edit(lines))
    change = Change(MEMORY_MD, f"moved {count} to the notes of their days", data, after)
    return Proposal(change, _by_day(found, today))


def move(layout: Layout, proposal: Proposal) -> Path:
    """Carry it out; returns where the earlier bytes of MEMORY.md are kept."""
    for day, lines in proposal.notes.items():
        _append(layout, day, lines)
    return Journal(layout, MAIN).apply(proposal.change)


def _bare(line: str) -> str:
    return _POINT.sub("", line).strip()


def _end(each: Chatter) -> int:
    return each.statement.end


def _by_day(found: Sequence[Chatter], today: str) -> dict[str, tuple[str, ...]]:
    """A line without a date, or of a day to come, is noted today."""
    days: defaultdict[str, list[str]] = defaultdict(list)
    for each in found:
        day = each.day if each.day and each.day <= today else today
        days[day].append(_whole(each))
    return {day: tuple(lines) for day, lines in sorted(days.items())}


def _whole(each: Chatter) -> str:
    """All that the line says, its marks and comments too, but for secrets; what opens a comment
    that nobody closes would hide the rest of the note."""
    from remem.core.secrets import redact  # hundreds of patterns, which nothing else here needs

    text = redact(" ".join(each.statement.text.split())).text
    return text if text.count("<!--") == text.count("-->") else show(text)


def _append(layout: Layout, day: str, lines: Sequence[str]) -> None:
    path = layout.memory / f"{day}.md"
    files.refuse_links(layout.root, path)

    def grown(latest: bytes | None) -> bytes:
        """A line that stood twice is noted twice; one that is noted already is not noted again."""
        data = latest or b""
        there = Counter(map(_bare, data.decode(errors="replace").splitlines()))
        for line, times in Counter(lines).items():
            for _ in range(times - there[_bare(line)]):
                data += behind(data, line, "", day)
        return data

    with alone(layout.state_folder(MAIN) / "flush.lock"):
        rewrite(layout, path, grown)
