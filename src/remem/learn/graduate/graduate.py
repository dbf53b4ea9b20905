"""Propose lines for MEMORY.md.

Statements in notes and facts are clustered and judged. Statements that MEMORY.md or USER.md
already contains, or that the owner declined, are not proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.errors import InvalidInput, NotAllowed, quoted
from remem.files.edit_journal import FileChange
from remem.files.facts import FactFiles
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.learn.graduate.candidates import (
    Cluster,
    EntryUse,
    OnProgress,
    cluster_sightings,
    id_of,
    judge,
    sightings_in_facts,
    sightings_in_notes,
)
from remem.learn.graduate.placement import CuratedLines, LineToAdd, MemoryShape, curated_lines
from remem.learn.graduate.result import Graduation, PostponedLine, ProposedLine
from remem.model.entry import Trust
from remem.model.host_loading import MEMORY_MD
from remem.model.statement import SourceDocument
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.models import Extractor
from remem.ports.records import Where
from remem.ports.state import Namespace
from remem.text.line_edits import apply_edit
from remem.text.similarity import fingerprint_of, folded_hash

_ALWAYS_LOADED: Final = (MEMORY_MD, "USER.md")
_DECLINED: Final[Namespace[str]] = Namespace("declined", str)
"""The day on which a proposal was declined, by its id."""
_TRUSTED: Final[tuple[Trust, ...]] = ("owner", "agent")


@dataclass(frozen=True, slots=True)
class GraduationJob:
    """The dependencies of a graduation; `today` is the owner's day."""

    layout: Layout
    store: Store
    extractor: Extractor
    today: str
    on_progress: OnProgress = lambda _note: None
    _problems: list[str] = field(default_factory=list)

    def __call__(self, *, explain: bool = False) -> Graduation:
        """Return the current proposals and, with `explain`, what is not proposed and why."""
        findings = self._find()
        return Graduation(
            proposals=tuple(
                graduate for graduate in findings.judged if isinstance(graduate, ProposedLine)
            ),
            looked_at=findings.clusters,
            declined=findings.declined,
            waiting=tuple(
                waiting for waiting in findings.judged if isinstance(waiting, PostponedLine)
            )
            if explain
            else (),
            problems=tuple(self._problems),
        )

    def change(self, ids: Sequence[str]) -> FileChange:
        """Return the change to MEMORY.md for the proposals with these ids, even if they were
        declined."""
        known = {item.id: item for item in self._find(include_declined=True).judged}
        proposals = [_proposed(known, id_) for id_ in dict.fromkeys(ids)]
        _require_no_contradiction(proposals)
        before = self._memory()
        lines = [
            LineToAdd(graduate.text, graduate.category, graduate.day) for graduate in proposals
        ]
        after = apply_edit(before, self._shape(before).edit(lines))
        if not before.strip():  # no blank lines before the first section
            after = after.strip() + b"\n"
        count = f"{len(proposals)} {'line' if len(proposals) == 1 else 'lines'}"
        ids_ = ", ".join(graduate.id for graduate in proposals)
        return FileChange(MEMORY_MD, f"{count} graduated: {ids_}", before, after)

    def decline(self, ids: Sequence[str]) -> list[ProposedLine]:
        """Decline proposals; they are not made again, even with different case or spacing."""
        known = {item.id: item for item in self._find().judged}
        proposals = [_proposed(known, id_) for id_ in dict.fromkeys(ids)]

        def operation(tx: Transaction) -> None:
            for graduate in proposals:
                tx.put_record(_DECLINED, graduate.id, self.today)

        self.store.write(operation)
        return proposals

    def _find(self, *, include_declined: bool = False) -> _Findings:
        self._problems.clear()
        facts = [
            *sightings_in_notes(
                self.layout, self.extractor, self.today, self._problems, self.on_progress
            )
        ]
        known = FactFiles(self.layout)()
        self._problems.extend(known.problems)
        clusters = cluster_sightings([*facts, *sightings_in_facts(known)])
        curated, shape = self._curated(), self._shape(self._memory())
        findings = _Findings(len(clusters))
        with self.store.read() as snapshot:
            for cluster in clusters:
                text = cluster.latest.text
                if curated.says(text) or snapshot.tombstones(wording_hash=folded_hash(text)):
                    continue
                if not include_declined and _is_declined(snapshot, cluster):
                    findings.declined += 1
                    continue
                findings.judged.append(_judge(cluster, snapshot, curated, shape, self.today))
        return findings

    def _curated(self) -> CuratedLines:
        files = [owners_file(self.layout, name, self._problems) for name in _ALWAYS_LOADED]
        return curated_lines((file.path, file.text) for file in files if file is not None)

    def _memory(self) -> bytes:
        content = owners_file(self.layout, MEMORY_MD, self._problems)
        return content.data if content else b""

    def _shape(self, data: bytes) -> MemoryShape:
        text = data.decode(errors="replace")
        document = SourceDocument(MEMORY_MD, text, self.today, curated=True)
        statements = self.extractor.extract(document).statements
        return MemoryShape(data, {item.lines[0]: item.category for item in statements})


@dataclass
class _Findings:
    clusters: int
    declined: int = 0
    judged: list[ProposedLine | PostponedLine] = field(default_factory=list)


def _judge(
    cluster: Cluster, snapshot: Snapshot, curated: CuratedLines, shape: MemoryShape, today: str
) -> ProposedLine | PostponedLine:
    latest, evidence = cluster.latest, tuple(sighting.place for sighting in cluster.sightings)
    id_ = id_of(latest.text)
    reasons, why_not = judge(cluster, _entry_use(cluster, snapshot), today)
    if not reasons:
        return PostponedLine(id_, latest.text, latest.category, why_not, evidence)
    return ProposedLine(
        id=id_,
        text=latest.text,
        category=latest.category,
        reasons=reasons,
        evidence=evidence,
        section=shape.section_of(latest.category),
        day=latest.day,
        contradicts=curated.denies(latest.text),
    )


def _entry_use(cluster: Cluster, snapshot: Snapshot) -> EntryUse:
    """Return how often the entry of the cluster has been used, if it has one."""
    lines = tuple(sighting.line for sighting in cluster.sightings if sighting.line)
    entries = snapshot.select(Where(state="any", from_lines=lines)) if lines else []
    latest = cluster.latest
    fingerprint = fingerprint_of(latest.text)
    for trust in _TRUSTED:
        entries += snapshot.duplicates("same", latest.category, trust, fingerprint)
    live = [entry for entry in entries if entry.live]
    return EntryUse(
        uses=max((entry.uses for entry in live), default=0),
        reinforced=max((entry.strength - 1 for entry in live), default=0),
    )


def _proposed(statements: Mapping[str, ProposedLine | PostponedLine], id_: str) -> ProposedLine:
    candidate = statements.get(id_)
    if not isinstance(candidate, ProposedLine):
        raise InvalidInput(
            f"no proposal has the id {quoted(id_)}",
            hint=candidate.why_not if candidate else "`remem graduate` lists the proposals",
        )
    return candidate


def _require_no_contradiction(graduates: Sequence[ProposedLine]) -> None:
    """Refuse a line that MEMORY.md or USER.md contradicts."""
    for graduate in graduates:
        if graduate.contradicts:
            raise NotAllowed(
                f"{graduate.contradicts} contradicts {graduate.id}",
                hint="change or remove that line first",
            )


def _is_declined(snapshot: Snapshot, cluster: Cluster) -> bool:
    return any(snapshot.record(_DECLINED, id_) is not None for id_ in cluster.ids)
