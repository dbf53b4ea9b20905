"""Summaries, and graduation of lines to MEMORY.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from remem.app.audit import Audited
from remem.errors import NotAllowed
from remem.model.scope import MAIN
from remem.text.timestamps import parse_time

if TYPE_CHECKING:
    from remem.files.edit_journal import Change, EditJournal, Undone
    from remem.learn.graduate.graduate import GraduationJob
    from remem.learn.graduate.result import Applied, Declined, Graduation
    from remem.learn.synthesize.plan import Synthesis


class Synthesises(Audited):
    """Pages from facts, MEMORY.md and the notes; all of them are main's."""

    def synthesize(
        self,
        entities: Sequence[str] = (),
        progress: Callable[[str], None] = lambda _page: None,
    ) -> Synthesis:
        """Write the summaries of entities, of all where none is named, and then also
        `main/longterm.md` and `main/daily-synced.md`. What a person wrote in them is kept."""
        from remem.learn.synthesize.synthesize import SynthesisJob, synthesise

        self._of_main("summaries tell the owner's facts")
        parts = self._parts
        job = SynthesisJob(
            parts.layout,
            parts.store,
            parts.extractor(),
            self._today(),
            parts.chat(),
            parts.qmd,
            progress,
        )
        return synthesise(job, entities)

    def graduate(
        self, *, explain: bool = False, progress: Callable[[str], None] = lambda _note: None
    ) -> Graduation:
        """What has earned a place in MEMORY.md, with its reasons; nothing is changed.
        `explain` tells of everything else why it has not."""
        return self._graduating(progress)(explain=explain)

    def graduation(self, ids: Sequence[str]) -> Change:
        """What the proposals with these ids would make of MEMORY.md."""
        self._may_graduate()
        return self._graduating().change(ids)

    def graduate_apply(self, change: Change) -> Applied:
        """Write them into MEMORY.md, unless it was edited since the change was made."""
        from remem.files import atomic
        from remem.learn.graduate.result import Applied

        self._may_graduate()
        layout = self._parts.layout
        if not change.before:
            atomic.create(layout.root / change.path, b"")
        kept = self._graduations().apply(change).relative_to(layout.root).as_posix()
        return Applied(change.description, change.diff, kept)

    def graduate_decline(self, ids: Sequence[str]) -> Declined:
        """These shall not be proposed again."""
        from remem.learn.graduate.result import Declined

        self._may_graduate()
        return Declined(tuple(self._graduating().decline(ids)))

    def graduate_undo(self) -> Undone:
        """Take what was applied last out of MEMORY.md; edits made since then stay."""
        self._may_graduate()
        return self._graduations().undo()

    def _graduating(self, tell: Callable[[str], None] = lambda _note: None) -> GraduationJob:
        from remem.learn.graduate.graduate import GraduationJob

        self._of_main("MEMORY.md belongs to the owner")
        parts = self._parts
        return GraduationJob(parts.layout, parts.store, parts.extractor(), self._today(), tell)

    def _graduations(self) -> EditJournal:
        from remem.files.edit_journal import EditJournal

        return EditJournal(self._parts.layout, self.scope, "graduate")

    def _may_graduate(self) -> None:
        self._of_main("MEMORY.md belongs to the owner")
        self._owner_only("changes MEMORY.md", "remem graduate --apply")

    def _of_main(self, what: str) -> None:
        if self.scope != MAIN:
            raise NotAllowed(f"{what}: main alone", hint="omit --session")

    def _today(self) -> str:
        return parse_time(self._now()).astimezone(self._parts.zone).date().isoformat()
