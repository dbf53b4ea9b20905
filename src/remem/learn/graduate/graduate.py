"""Propose lines for MEMORY.md, from statements in notes and facts.

Statements that MEMORY.md or USER.md already contains, or that the owner declined or erased, are not
proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.errors import InvalidInput, NotAllowed, counted, quoted
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
    """The dependencies of a graduation; `today` is the date in the owner's time zone."""

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
            proposals=tuple(line for line in findings.lines if isinstance(line, ProposedLine)),
            looked_at=findings.clusters,
            declined=findings.declined,
            waiting=tuple(
                line for line in findings.lines if explain and isinstance(line, PostponedLine)
            ),
            problems=tuple(self._problems),
        )

    def change(self, ids: Sequence[str]) -> FileChange:
        """Return the change that adds the proposals with these ids to MEMORY.md.

        Proposals that were declined may be named too.
        """
        by_id = {line.id: line for line in self._find(include_declined=True).lines}
        proposals = [_require_proposal(by_id, id_) for id_ in dict.fromkeys(ids)]
        _require_no_contradiction(proposals)
        before = self._memory_md()
        lines = [
            LineToAdd(proposal.text, proposal.category, proposal.day) for proposal in proposals
        ]
        after = apply_edit(before, self._shape(before).edit(lines))
        if not before.strip():  # no blank lines before the first section
            after = after.strip() + b"\n"
        graduated_ids = ", ".join(proposal.id for proposal in proposals)
        description = f"{counted(len(proposals), 'line')} graduated: {graduated_ids}"
        return FileChange(MEMORY_MD, description, before, after)

    def decline(self, ids: Sequence[str]) -> list[ProposedLine]:
        """Decline proposals; they are not made again, even with different case or spacing."""
        by_id = {line.id: line for line in self._find().lines}
        proposals = [_require_proposal(by_id, id_) for id_ in dict.fromkeys(ids)]

        def operation(tx: Transaction) -> None:
            for proposal in proposals:
                tx.put_record(_DECLINED, proposal.id, self.today)

        self.store.write(operation)
        return proposals

    def _find(self, *, include_declined: bool = False) -> _Findings:
        self._problems.clear()
        in_notes = list(
            sightings_in_notes(
                self.layout, self.extractor, self.today, self._problems, self.on_progress
            )
        )
        known_facts = FactFiles(self.layout)()
        self._problems.extend(known_facts.problems)
        clusters = cluster_sightings([*in_notes, *sightings_in_facts(known_facts)])
        curated_lines, shape = self._curated_lines(), self._shape(self._memory_md())
        findings = _Findings(len(clusters))
        with self.store.read() as snapshot:
            for cluster in clusters:
                text = cluster.latest.text
                if curated_lines.says(text) or snapshot.tombstones(wording_hash=folded_hash(text)):
                    continue
                if not include_declined and _is_declined(snapshot, cluster):
                    findings.declined += 1
                    continue
                findings.lines.append(_judge(cluster, snapshot, curated_lines, shape, self.today))
        return findings

    def _curated_lines(self) -> CuratedLines:
        files = [owners_file(self.layout, name, self._problems) for name in _ALWAYS_LOADED]
        return curated_lines((file.path, file.text) for file in files if file is not None)

    def _memory_md(self) -> bytes:
        content = owners_file(self.layout, MEMORY_MD, self._problems)
        return content.data if content else b""

    def _shape(self, data: bytes) -> MemoryShape:
        text = data.decode(errors="replace")
        document = SourceDocument(MEMORY_MD, text, self.today, curated=True)
        statements = self.extractor.extract(document).statements
        return MemoryShape(data, {item.lines[0]: item.category for item in statements})


@dataclass
class _Findings:
    """How many clusters were found and declined, and the verdict on each of the others.

    Those that MEMORY.md or USER.md already contains, or that were erased, have no verdict.
    """

    clusters: int
    declined: int = 0
    lines: list[ProposedLine | PostponedLine] = field(default_factory=list)


def _judge(
    cluster: Cluster,
    snapshot: Snapshot,
    curated_lines: CuratedLines,
    shape: MemoryShape,
    today: str,
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
        contradicts=curated_lines.contradiction_of(latest.text),
    )


def _entry_use(cluster: Cluster, snapshot: Snapshot) -> EntryUse:
    """Return how often the entry of the cluster has been used, if it has one."""
    note_lines = tuple(sighting.note_line for sighting in cluster.sightings if sighting.note_line)
    entries = snapshot.select(Where(state="any", from_lines=note_lines)) if note_lines else []
    latest = cluster.latest
    fingerprint = fingerprint_of(latest.text)
    for trust in _TRUSTED:
        entries += snapshot.duplicates("same", latest.category, trust, fingerprint)
    live = [entry for entry in entries if entry.live]
    return EntryUse(
        uses=max((entry.uses for entry in live), default=0),
        reinforced=max((entry.strength - 1 for entry in live), default=0),
    )


def _require_proposal(lines: Mapping[str, ProposedLine | PostponedLine], id_: str) -> ProposedLine:
    """Return the proposal with this id; raise InvalidInput if there is none."""
    candidate = lines.get(id_)
    if not isinstance(candidate, ProposedLine):
        raise InvalidInput(
            f"no proposal has the id {quoted(id_)}",
            hint=candidate.why_not if candidate else "`remem graduate` lists the proposals",
        )
    return candidate


def _require_no_contradiction(proposals: Sequence[ProposedLine]) -> None:
    """Refuse a line that MEMORY.md or USER.md contradicts."""
    for proposal in proposals:
        if proposal.contradicts:
            raise NotAllowed(
                f"{proposal.contradicts} contradicts {proposal.id}",
                hint="change or remove that line first",
            )


def _is_declined(snapshot: Snapshot, cluster: Cluster) -> bool:
    return any(snapshot.record(_DECLINED, id_) is not None for id_ in cluster.ids)
