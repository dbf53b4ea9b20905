"""Write summaries of facts and notes, and propose lines for MEMORY.md; main only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remem.app.context import SessionContext
from remem.files import atomic
from remem.files.edit_journal import EditJournal, FileChange, UndoneChange
from remem.learn.graduate.graduate import GraduationJob
from remem.learn.graduate.result import DeclinedProposals, GraduatedLines, Graduation
from remem.learn.synthesize.plan import Synthesis
from remem.learn.synthesize.synthesize import SynthesisJob, synthesize
from remem.ports.entries import Store
from remem.ports.models import Chat, Extractor
from remem.search.qmd import Qmd

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SummaryService:
    """Writes summaries, and proposes lines for MEMORY.md and adds them.

    `chat` returns the configured language model, if any; `qmd` is an external search program that
    reads the summaries, if one is configured.
    """

    context: SessionContext
    store: Store
    extractor: Callable[[], Extractor]
    chat: Callable[[], Chat | None]
    qmd: Qmd | None

    def synthesize(self, entities: Sequence[str], progress: Progress) -> Synthesis:
        self.context.require_main("summaries can only be written in main")
        job = SynthesisJob(
            self.context.layout,
            self.store,
            self.extractor(),
            self.context.today().isoformat(),
            self.chat(),
            self.qmd,
            progress,
        )
        return synthesize(job, entities)

    def propose_lines(self, *, explain: bool, progress: Progress) -> Graduation:
        return self._job(progress)(explain=explain)

    def planned_change(self, ids: Sequence[str]) -> FileChange:
        self._require_owner()
        return self._job().change(ids)

    def apply(self, change: FileChange) -> GraduatedLines:
        self._require_owner()
        layout = self.context.layout
        if not change.before:  # MEMORY.md may not exist yet, and only existing files are changed
            atomic.create(layout.root / change.path, b"")
        backup = layout.relative(self._journal().apply(change))
        return GraduatedLines(change.description, change.diff, backup)

    def decline(self, ids: Sequence[str]) -> DeclinedProposals:
        self._require_owner()
        return DeclinedProposals(tuple(self._job().decline(ids)))

    def undo(self) -> UndoneChange:
        self._require_owner()
        return self._journal().undo()

    def _job(self, progress: Progress = lambda _note: None) -> GraduationJob:
        context = self.context
        context.require_main("MEMORY.md can only be changed in main")
        today = context.today().isoformat()
        return GraduationJob(context.layout, self.store, self.extractor(), today, progress)

    def _journal(self) -> EditJournal:
        return EditJournal(self.context.layout, self.context.scope, "graduate")

    def _require_owner(self) -> None:
        self.context.require_main("MEMORY.md can only be changed in main")
        self.context.require_owner("change MEMORY.md", "remem graduate --apply")
