"""What do all abilities of a workspace share? Its parts, its upkeep, and how it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from remem.core.scope import MAIN, Scope, Session
from remem.disclosure.entry import Entry
from remem.errors import NotAllowed
from remem.maintenance.freshness import Freshness
from remem.maintenance.projection.run import Projector
from remem.maintenance.upkeep import Upkeep
from remem.notes.conversations import Conversations, end_conversation
from remem.notes.private_places import Places, private_places
from remem.recall.remarks import Remarks
from remem.refresh import Refresh, Sources
from remem.remember.means import Remembering
from remem.workspace.parts import Parts

if TYPE_CHECKING:
    from remem.maintenance.qmd_following import Following
    from remem.notes.fact_files import Known


def refreshing(parts: Parts) -> Refresh:
    """What search reads for a session: its scope's files and, where allowed, transcripts."""
    allowed = str(parts.scope) in parts.config.transcripts
    sources = Sources(
        parts.layout,
        parts.scope,
        parts.config.extra_paths,
        parts.transcripts if allowed else None,
    )
    return Refresh(parts.passages, sources, parts.layout.refresh_lock(parts.scope))


def _following(parts: Parts) -> Following | None:
    if parts.qmd is None or parts.scope != MAIN:
        return None
    from remem.maintenance.qmd_following import Following  # few workspaces have QMD beside them

    return Following(parts.layout, parts.qmd, background=parts.background)


class Opened:
    """A memory, opened for one session; it ends with `close` or its `with` block."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._closed = False
        self._store = parts.store
        self._now = parts.clock
        self._how = Remembering(parts.counter, parts.config.topics, parts.random_bytes)
        files = Projector(
            parts.store,
            parts.layout,
            parts.scope,
            self._how,
            parts.clock,
            parts.config.index_tokens,
        )
        self._upkeep = Upkeep(
            parts.store,
            files,
            parts.embedders,
            parts.clock,
            parts.config.topics,
            parts.background,
        )
        self._freshness = Freshness(
            parts.passages,
            refreshing(parts),
            parts.embedders,
            parts.background,
        )
        self._conversation = Conversations(
            parts.layout, parts.session, parts.conversation, parts.clock
        )
        self._entry = Entry(parts.layout, parts.scope, self._conversation)
        self._remarks = Remarks(parts.store, parts.clock)
        self._qmd = _following(parts)
        self._upkeep.start()
        self._freshness.start()

    @property
    def session(self) -> Session:
        return self._parts.session

    @property
    def scope(self) -> Scope:
        return self._parts.scope

    @property
    def private_places(self) -> Places:
        """What must not be in an answer for this session; the owner may read everything."""
        return () if self.session.kind == "main" else private_places(self._parts.layout.root)

    @property
    def trouble(self) -> list[str]:
        """What does not work at present, and why; empty when all is well."""
        without = self.without_meaning
        reasons = [
            *self._upkeep.trouble(),
            *self._freshness.trouble(),
            *(self._qmd.trouble() if self._qmd else []),
            *([without] if without else []),
        ]
        return list(dict.fromkeys(reasons))

    @property
    def without_meaning(self) -> str | None:
        """Why what is asked is found by its words alone; None where that was chosen."""
        chosen = self._parts.config.embedder == "none"
        without = None if chosen else self._parts.without_model
        return f"keyword only: {without}" if without else None

    @property
    def makes_vectors(self) -> bool:
        """Whether there is a model that can make one."""
        return bool(self._parts.embedders)

    def end_conversation(self) -> None:
        """What this conversation has read no longer counts: it is over, or was compacted."""
        end_conversation(self._parts.layout, self.session, self._parts.conversation)

    def close(self) -> None:
        """Finish what is under way; what is not finished is done on the next open."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._qmd is not None:
                self._qmd.close()
            self._freshness.close()
            self._remarks.close()
            self._upkeep.close()
        finally:
            self._store.close()
            for embedder in (*self._parts.embedders, *self._parts.standby):
                embedder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _brain_changed(self) -> str | None:
        """A search beside this one reads brain/areas again; why it cannot, where that is known."""
        return self._qmd.changed() if self._qmd else None

    def _summaries_follow(self, known: Known, entities: Iterable[str]) -> list[str]:
        """A fact that stands no longer leaves its summary at once: search reads that, too. Why
        one could not follow."""
        from remem.maintenance.synthesis.run import Synthesising, keep_current

        parts = self._parts
        roots = list(dict.fromkeys(known.root(each).id for each in entities))
        today = self._now()[:10]
        return keep_current(
            Synthesising(parts.layout, parts.store, parts.rules(), today), known, roots
        )

    def _owner_only(self, what: str, command: str) -> None:
        if self._parts.trust != "owner":
            raise NotAllowed(f"only the owner {what}", hint=f"use `{command}`")
