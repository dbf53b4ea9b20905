"""Which facts were rewritten or removed, although facts are only ever superseded? What was seen
before (by remem, in a backup, in git) is compared with what stands now; what is missing comes
back as superseded, beside the fact that took its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any, Final

from remem.core.fact import SUPERSEDED, Fact
from remem.core.fact_edit import next_id, with_fact
from remem.core.likeness import relation, wording
from remem.core.words import fold, words
from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.maintenance.knowledge.job import Knowing
from remem.notes.fact_files import Known, facts_in
from remem.notes.fact_record import SeenFact

_SPELLING: Final = 0.75
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Lost:
    """A wording that no file has any more; `now` is the fact that stands under its id."""

    seen: SeenFact
    now: Fact | None

    @property
    def what(self) -> str:
        return f"{self.seen.id} in {self.seen.path} was {'rewritten' if self.now else 'removed'}"


def lost_wordings(
    seen: Iterable[SeenFact], known: Known, erased: Callable[[int], bool] = lambda _: False
) -> list[Lost]:
    """What was seen once and stands nowhere. A file that is broken now is not judged, a
    spelling that was mended is no other fact, and what the owner erased stays away."""
    present = {fold(each.fact) for each in known.facts}
    broken = {file.path for file in known.files if file.trouble}
    by_id = {(each.path, each.id): each for each in known.facts}
    found: dict[tuple[str, str, str], Lost] = {}
    for each in seen:
        if fold(each.fact) in present or each.path in broken:
            continue
        now = by_id.get((each.path, each.id))
        if now is not None and _same_fact(each.fact, now.fact):
            continue
        before = found.get(each.key)
        if before is not None and (before.seen.superseded_by or not each.superseded_by):
            continue
        if not (known.erased(each.fact) or erased(wording(each.fact))):
            found[each.key] = Lost(each, now)
    return list(found.values())


def told(lost: Sequence[Lost]) -> Iterator[Finding]:
    if not lost:
        return
    some = "; ".join(each.what for each in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    facts = "1 earlier fact is" if len(lost) == 1 else f"{len(lost)} earlier facts are"
    yield Finding(
        "main",
        "facts",
        "damage",
        f"{facts} gone: {some}{more}",
        "facts are superseded, never rewritten: nobody can tell any more what was true before",
        f"{REPAIR} puts the earlier words back, as superseded; what stands now stays",
    )


def bring_back(job: Knowing, lost: Sequence[Lost]) -> int:
    """Put each behind the facts of its file; doing it again adds nothing. One that was removed
    has its own id again: others may name it."""
    with job.alone():
        theirs = {each.seen.id for each in lost}
        return sum(_brought_back(job, each, theirs) for each in lost)


def _brought_back(job: Knowing, lost: Lost, theirs: Set[str]) -> bool:
    path, taken = lost.seen.path, job.known().ids | theirs
    added: list[bool] = []

    def edit(text: str) -> str:
        """May run again, on bytes that a person has just saved."""
        file = facts_in(text, path)
        here = file.facts
        added.append(fold(lost.seen.fact) not in {fold(fact.fact) for fact in here})
        if not added[-1]:
            return text
        own = lost.seen.id
        free = lost.now is None and own and own not in file.ids
        id_ = own if free else next_id(file.ids, PurePosixPath(path).parent.name, taken)
        return with_fact(text, _fields(lost, id_))

    job.change(path, edit)
    return added[-1]


def _fields(lost: Lost, id_: str) -> dict[str, Any]:
    seen = lost.seen
    fields: dict[str, Any] = {"id": id_, "fact": seen.fact}
    for name in ("category", "timestamp", "source"):
        if value := getattr(seen, name):
            fields[name] = value
    fields["status"] = SUPERSEDED
    if successor := lost.now.id if lost.now is not None else seen.superseded_by:
        fields["supersededBy"] = successor
    if seen.origin:
        fields["origin"] = seen.origin
    return fields


def _same_fact(old: str, new: str) -> bool:
    """Whether nothing is lost: only a spelling was mended, or words were added."""
    if relation(new, old) in ("same", "extends"):
        return True
    before, after = words(old), words(new)
    if len(before) != len(after):
        return False
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if len(changed) > max(1, len(before) // 10):
        return False
    return all(_mended(a, b) for a, b in changed)


def _mended(old: str, new: str) -> bool:
    """A number, or another word, is another fact."""
    plain = old.isalpha() and new.isalpha() and min(len(old), len(new)) >= 4
    return plain and SequenceMatcher(None, old, new).ratio() >= _SPELLING
