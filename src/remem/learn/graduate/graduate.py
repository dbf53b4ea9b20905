"""How is it found out what has earned its place? See what was said, join it, judge it, and leave
out what MEMORY.md says or the owner has declined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.audit.apply import Change
from remem.audit.edits import edited
from remem.audit.load_rules import MEMORY_MD
from remem.core.entry import Category, Trust
from remem.core.likeness import fingerprint, wording
from remem.core.statement import Document
from remem.errors import InvalidInput, NotAllowed, shown
from remem.maintenance.graduation.clusters import Cluster, clustered, id_of
from remem.maintenance.graduation.judging import Kept, judged
from remem.maintenance.graduation.placing import Line, Shape
from remem.maintenance.graduation.result import Graduate, Graduation, Waiting
from remem.maintenance.graduation.said import Curated, curated
from remem.maintenance.graduation.sightings import Tell, in_facts, in_notes
from remem.notes.audited import owners_file
from remem.notes.fact_files import FactFiles
from remem.notes.layout import Layout
from remem.ports import Extractor, Snapshot, Store, Transaction

_ALWAYS_LOADED: Final = (MEMORY_MD, "USER.md")
_TRUSTED: Final[tuple[Trust, ...]] = ("owner", "agent")


@dataclass(frozen=True, slots=True)
class Graduating:
    """What a graduation works with; `today` is the owner's."""

    layout: Layout
    store: Store
    extractor: Extractor
    today: str
    tell: Tell = lambda _note: None
    _troubles: list[str] = field(default_factory=list)

    def __call__(self, *, explain: bool = False) -> Graduation:
        """What is proposed now; with `explain` also what is not, and why."""
        found = self._found()
        return Graduation(
            proposals=tuple(each for each in found.judged if isinstance(each, Graduate)),
            looked_at=found.clusters,
            declined=found.declined,
            waiting=tuple(each for each in found.judged if isinstance(each, Waiting))
            if explain
            else (),
            troubles=tuple(self._troubles),
        )

    def change(self, ids: Sequence[str]) -> Change:
        """What the proposals with these ids would make of MEMORY.md; one that was declined may
        be taken after all."""
        known = {each.id: each for each in self._found(declined_too=True).judged}
        chosen = [_proposed(known, id_) for id_ in dict.fromkeys(ids)]
        _require_settled(chosen)
        before = self._memory()
        lines = [Line(each.text, each.category, each.day) for each in chosen]
        after = edited(before, self._shape(before).edit(lines))
        if not before.strip():  # there was nothing to stand behind
            after = after.strip() + b"\n"
        count = f"{len(chosen)} {'line' if len(chosen) == 1 else 'lines'}"
        return Change(
            MEMORY_MD, f"{count} graduated: {', '.join(e.id for e in chosen)}", before, after
        )

    def decline(self, ids: Sequence[str]) -> list[Graduate]:
        """Proposals that shall not come back, in whatever case or spacing."""
        known = {each.id: each for each in self._found().judged}
        chosen = [_proposed(known, id_) for id_ in dict.fromkeys(ids)]

        def operation(tx: Transaction) -> None:
            for each in chosen:
                tx.keep_note(_declined(each.id), self.today)

        self.store.write(operation)
        return chosen

    def _found(self, *, declined_too: bool = False) -> _Found:
        self._troubles.clear()
        seen = [*in_notes(self.layout, self.extractor, self.today, self._troubles, self.tell)]
        known = FactFiles(self.layout)()
        self._troubles.extend(known.troubles)
        clusters = clustered([*seen, *in_facts(known)])
        said, shape = self._said(), self._shape(self._memory())
        found = _Found(len(clusters))
        with self.store.read() as snapshot:
            for cluster in clusters:
                text = cluster.latest.text
                if said.says(text) or snapshot.erased(None, wording(text)):
                    continue
                if not declined_too and _is_declined(snapshot, cluster):
                    found.declined += 1
                    continue
                found.judged.append(_judged(cluster, snapshot, said, shape, self.today))
        return found

    def _said(self) -> Curated:
        files = [owners_file(self.layout, name, self._troubles) for name in _ALWAYS_LOADED]
        return curated((each.path, each.text) for each in files if each is not None)

    def _memory(self) -> bytes:
        found = owners_file(self.layout, MEMORY_MD, self._troubles)
        return found.data if found else b""

    def _shape(self, data: bytes) -> Shape:
        text = data.decode(errors="replace")
        said = self.extractor.extract(
            Document(MEMORY_MD, text, self.today, curated=True)
        ).statements
        kinds: dict[int, Category] = {each.lines[0]: each.category for each in said}
        return Shape(data, kinds)


@dataclass
class _Found:
    clusters: int
    declined: int = 0
    judged: list[Graduate | Waiting] = field(default_factory=list)


def _judged(
    cluster: Cluster, snapshot: Snapshot, said: Curated, shape: Shape, today: str
) -> Graduate | Waiting:
    latest, evidence = cluster.latest, tuple(each.place for each in cluster.sightings)
    id_, verdict = id_of(latest.text), judged(cluster, _kept(cluster, snapshot), today)
    if not verdict.reasons:
        return Waiting(id_, latest.text, latest.category, verdict.why_not, evidence)
    section = shape.section_of(Line(latest.text, latest.category, latest.day))
    return Graduate(
        id=id_,
        text=latest.text,
        category=latest.category,
        reasons=verdict.reasons,
        evidence=evidence,
        section=section,
        day=latest.day,
        contradicts=said.denies(latest.text),
    )


def _kept(cluster: Cluster, snapshot: Snapshot) -> Kept:
    """What became of its entry, if it has become one."""
    lines = [each.line for each in cluster.sightings if each.line]
    entries = snapshot.taken_from(lines) if lines else []
    latest = cluster.latest
    print_ = fingerprint(latest.text)
    for trust in _TRUSTED:
        entries += [each.entry for each in snapshot.same_as(latest.category, trust, print_)]
    live = [each for each in entries if each.live]
    return Kept(
        uses=max((each.uses for each in live), default=0),
        reinforced=max((each.strength - 1 for each in live), default=0),
    )


def _proposed(known: Mapping[str, Graduate | Waiting], id_: str) -> Graduate:
    found = known.get(id_)
    if not isinstance(found, Graduate):
        raise InvalidInput(
            f"nothing is proposed with the id {shown(id_)}",
            hint=found.why_not if found else "`remem graduate` lists the proposals",
        )
    return found


def _require_settled(chosen: Sequence[Graduate]) -> None:
    """A line that MEMORY.md contradicts is not put beside it."""
    for each in chosen:
        if each.contradicts:
            raise NotAllowed(
                f"{each.contradicts} says otherwise than {each.id}",
                hint="change or remove that line first",
            )


def _is_declined(snapshot: Snapshot, cluster: Cluster) -> bool:
    return any(snapshot.note(_declined(id_)) for id_ in cluster.ids)


def _declined(id_: str) -> str:
    return f"declined:{id_}"
