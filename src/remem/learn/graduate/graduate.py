"""How is it found out what has earned its place? See what was said, join it, judge it, and leave
out what MEMORY.md says or the owner has declined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.errors import InvalidInput, NotAllowed, shown
from remem.files.edit_journal import Change
from remem.files.facts import FactFiles
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.learn.graduate.candidates import (
    Cluster,
    Kept,
    Tell,
    clustered,
    id_of,
    in_facts,
    in_notes,
    judged,
)
from remem.learn.graduate.placing import Curated, Line, Shape, curated
from remem.learn.graduate.result import Graduate, Graduation, Waiting
from remem.model.entry import Category, Trust
from remem.model.host_loading import MEMORY_MD
from remem.model.statement import Document
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.models import Extractor
from remem.text.line_edits import edited
from remem.text.similarity import fingerprint, folded_number

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
            proposals=tuple(
                graduate for graduate in found.judged if isinstance(graduate, Graduate)
            ),
            looked_at=found.clusters,
            declined=found.declined,
            waiting=tuple(waiting for waiting in found.judged if isinstance(waiting, Waiting))
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
        lines = [Line(graduate.text, graduate.category, graduate.day) for graduate in chosen]
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
            for graduate in chosen:
                tx.keep_note(_declined(graduate.id), self.today)

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
                if said.says(text) or snapshot.erased(None, folded_number(text)):
                    continue
                if not declined_too and _is_declined(snapshot, cluster):
                    found.declined += 1
                    continue
                found.judged.append(_judged(cluster, snapshot, said, shape, self.today))
        return found

    def _said(self) -> Curated:
        files = [owners_file(self.layout, name, self._troubles) for name in _ALWAYS_LOADED]
        return curated((file.path, file.text) for file in files if file is not None)

    def _memory(self) -> bytes:
        found = owners_file(self.layout, MEMORY_MD, self._troubles)
        return found.data if found else b""

    def _shape(self, data: bytes) -> Shape:
        text = data.decode(errors="replace")
        said = self.extractor.extract(
            Document(MEMORY_MD, text, self.today, curated=True)
        ).statements
        kinds: dict[int, Category] = {statement.lines[0]: statement.category for statement in said}
        return Shape(data, kinds)


@dataclass
class _Found:
    clusters: int
    declined: int = 0
    judged: list[Graduate | Waiting] = field(default_factory=list)


def _judged(
    cluster: Cluster, snapshot: Snapshot, said: Curated, shape: Shape, today: str
) -> Graduate | Waiting:
    latest, evidence = cluster.latest, tuple(sighting.place for sighting in cluster.sightings)
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
    lines = [sighting.line for sighting in cluster.sightings if sighting.line]
    entries = snapshot.taken_from(lines) if lines else []
    latest = cluster.latest
    print_ = fingerprint(latest.text)
    for trust in _TRUSTED:
        entries += [located.entry for located in snapshot.same_as(latest.category, trust, print_)]
    live = [entry for entry in entries if entry.live]
    return Kept(
        uses=max((entry.uses for entry in live), default=0),
        reinforced=max((entry.strength - 1 for entry in live), default=0),
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
    for graduate in chosen:
        if graduate.contradicts:
            raise NotAllowed(
                f"{graduate.contradicts} says otherwise than {graduate.id}",
                hint="change or remove that line first",
            )


def _is_declined(snapshot: Snapshot, cluster: Cluster) -> bool:
    return any(snapshot.note(_declined(id_)) for id_ in cluster.ids)


def _declined(id_: str) -> str:
    return f"declined:{id_}"
