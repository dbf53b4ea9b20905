"""Which facts were rewritten or removed, although facts are only ever superseded? What was seen
before (by remem, in a backup, in git) is compared with what stands now; what is missing comes
back as superseded, beside the fact that took its place.

Does search know what the files say? What changed more than a day ago and was not read since is
invisible to whoever looks into the database.

Which facts cannot be read? A file that is broken keeps its bytes, and hides what is behind the
break from every answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any, Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.files.fact_history import SeenFact
from remem.files.facts import NAMES_FILE, FactFile, Known, facts_in
from remem.learn.facts.entities import Knowing
from remem.model.fact import SUPERSEDED, Fact
from remem.model.fact_json import next_id, with_fact
from remem.text.similarity import folded_number, relation
from remem.text.words import fold, words

_NAMED: Final = 4


def stale_search_findings(scope: str, unread: Sequence[str]) -> Iterator[Finding]:
    if not unread:
        return
    some = ", ".join(unread[:_NAMED]) + (" …" if len(unread) > _NAMED else "")
    files = "1 file" if len(unread) == 1 else f"{len(unread)} files"
    yield Finding(
        scope,
        "search",
        "notice",
        f"{files} changed more than a day ago, and search has not read them: {some}",
        "what they say is invisible to a search that does not look at the files first",
        f"{REPAIR}, or the next search, reads them; `remem maintain --install` does so daily",
    )


_BY_HAND: Final = "mend it by hand, or take it from a backup; remem does not touch it until then"


def unreadable_findings(known: Known) -> Iterator[Finding]:
    yield from (_of_file(file) for file in known.files if file.trouble)
    if known.unnamed:
        meaning = "entities go by their folders' names: aliases and merged ones are not known"
        yield Finding("main", NAMES_FILE, "damage", known.unnamed, meaning, _BY_HAND)


def _of_file(file: FactFile) -> Finding:
    what = file.trouble or ""
    if file.refused:
        meaning, repair = "its facts are not told", "put the file itself into its place"
        return Finding("main", file.path, "notice", what, meaning, repair)
    meaning = "what stands behind that place is told by no answer, search or summary"
    return Finding("main", file.path, "damage", what, meaning, _BY_HAND)


_SPELLING: Final = 0.75
_REWRITTEN_NAMED: Final = 3


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
    present = {fold(fact.fact) for fact in known.facts}
    broken = {file.path for file in known.files if file.trouble}
    by_id = {(fact.path, fact.id): fact for fact in known.facts}
    found: dict[tuple[str, str, str], Lost] = {}
    for seen_fact in seen:
        if fold(seen_fact.fact) in present or seen_fact.path in broken:
            continue
        now = by_id.get((seen_fact.path, seen_fact.id))
        if now is not None and _same_fact(seen_fact.fact, now.fact):
            continue
        before = found.get(seen_fact.key)
        if before is not None and (before.seen.superseded_by or not seen_fact.superseded_by):
            continue
        if not (known.erased(seen_fact.fact) or erased(folded_number(seen_fact.fact))):
            found[seen_fact.key] = Lost(seen_fact, now)
    return list(found.values())


def rewritten_findings(lost: Sequence[Lost]) -> Iterator[Finding]:
    if not lost:
        return
    some = "; ".join(each.what for each in lost[:_REWRITTEN_NAMED])
    more = f" and {len(lost) - _REWRITTEN_NAMED} more" if len(lost) > _REWRITTEN_NAMED else ""
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
