"""Validation, activation, rollback and the start text of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from remem.app.files import Files
from remem.app.open_room import Opens
from remem.errors import InvalidInput, NotAllowed, StoreError
from remem.model.scope import MAIN
from remem.text.timestamps import parse_time

if TYPE_CHECKING:
    from remem.disclose.start import Recent, Start
    from remem.entries.index import Index
    from remem.files.start_files import Flush
    from remem.model.entry import Entry
    from remem.search.answer.answer import Answer
    from remem.setup.activate import Activated, RolledBack
    from remem.setup.validate.result import Validation


class Activation(Files, Opens):
    """The path from files that are there to a memory that is used, and back."""

    def start(self) -> Start:
        """The text that a host puts into a new conversation of this session."""
        from remem.entries.reinforcement import clear_notice

        notice = self._notice()
        started = self._start(notice)
        if not notice or notice not in started.text or not self._store.writable:
            return started
        try:
            self._store.write(clear_notice)
        except StoreError as error:
            return replace(started, trouble=(*started.trouble, str(error)))
        return started

    def _start(self, notice: str = "") -> Start:
        from remem.disclose import start  # a recall has no use for it

        trouble: list[str] = []
        counter = self._parts.counter
        if self.scope == MAIN:
            index = self._index_within(start.INDEX_BUDGET, trouble)
            recent = replace(self._recent(trouble), notice=notice)
            return start.build_main_start(index, recent, counter, trouble)
        from remem.files.start_files import read_gate

        gate = read_gate(self._parts.layout, self.scope, trouble)
        budget = start.group_budget(gate.budget if gate else None, self._parts.config.memory_budget)
        index = self._index_within(budget // 2 if gate else budget, trouble)
        return start.build_group_start(index, gate, counter, budget, trouble, notice=notice)

    def _notice(self) -> str:
        """What faded since the last start, if it was not reported yet."""
        from remem.entries.reinforcement import pending_notice

        try:
            with self._store.read() as snapshot:
                return pending_notice(snapshot)
        except StoreError:  # the index says why there is nothing
            return ""

    def validate(self, progress: Callable[[str], None] = lambda _step: None) -> Validation:
        """The five checks that a memory must pass before it is activated."""
        from remem.setup.validate.validate import Queries, validate  # seldom needed

        self._main_only("validated")
        self._upkeep.before_recall()
        asking = Queries(
            search=self.search,
            recall=self._recall_unseen,
            get=self.get,
            index=self.index,
            has_entries_of=self._has_entries_of,
            find=self._find,
            entries=self._some_entries,
        )
        config = self._parts.config
        return validate(
            self._parts.layout, config.extra_paths, asking, self._parts.self_test, progress
        )

    def activate(
        self,
        approve: Callable[[str], bool] = lambda _diff: True,
        progress: Callable[[str], None] = lambda _step: None,
    ) -> Activated:
        """Add the section on this memory to AGENTS.md, if every check passes and `approve` agrees
        to the change, which it is given as a unified diff."""
        from remem.setup import activate

        self._owner_only("activates a memory", "remem activate")
        self._main_only("activated")
        layout, id_ = self._parts.layout, self._parts.random_bytes(4).hex()
        diff = activate.planned_diff(layout, id_)
        if diff:
            _require(self.validate(progress))
            if not approve(diff):
                return activate.Activated(activate.FILE, changed=False)
        return activate.activate(layout, id_)

    def rollback(self) -> RolledBack:
        """Take the section out again, and give AGENTS.md back byte for byte."""
        from remem.setup import activate

        self._owner_only("rolls an activation back", "remem rollback")
        self._main_only("rolled back")
        return activate.roll_back(self._parts.layout)

    def _main_only(self, done: str) -> None:
        if self.scope != MAIN:
            raise NotAllowed(f"only main is {done}", hint="omit --session")

    def _recall_unseen(self, query: str) -> Answer:
        """Recall as everybody has it, but not remembered as having been asked."""
        from remem.search.query.question import parse_request
        from remem.setup.validate.result import ReadOnlyView

        recall = replace(self._recall, store=ReadOnlyView(self._store), usage_log=None)
        return recall(parse_request(query, {}), self._now())

    def _has_entries_of(self, file: str) -> bool:
        with self._store.read() as snapshot:
            return bool(snapshot.stated_in(file))

    def _find(self, ids: Sequence[str]) -> list[Entry]:
        with self._store.read() as snapshot:
            return snapshot.find(ids)

    def _some_entries(self) -> list[Entry]:
        """Live entries, spread over all that there are."""
        with self._store.read() as snapshot:
            rows = snapshot.rows()
            found = snapshot.locate(rows[:: max(1, len(rows) // 40)])
        return [found[row] for row in sorted(found) if found[row].live]

    def _recent(self, trouble: list[str]) -> Recent:
        from remem.disclose.start import Recent
        from remem.files.start_files import day_notes, routing_lines, speaks_chinese

        layout = self._parts.layout
        today = parse_time(self._now()).astimezone(self._parts.zone).date()
        days = (today, today - timedelta(days=1))
        return Recent(
            today=today,
            routing=routing_lines(layout, trouble),
            flush=self._last_flush(trouble),
            chinese=speaks_chinese(layout),
            notes=[note for day in days for note in day_notes(layout, day, trouble)],
        )

    def _last_flush(self, trouble: list[str]) -> Flush | None:
        """The time as the owner's clock shows it; what is none stays as it is."""
        from remem.files.start_files import last_flush

        self.finish_flush()
        flush = last_flush(self._parts.layout, trouble)
        if flush is None or flush.at is None:
            return flush
        try:
            local = parse_time(flush.at).astimezone(self._parts.zone)
        except InvalidInput:
            return flush
        return replace(flush, at=f"{local:%Y-%m-%d %H:%M}")

    def _index_within(self, most: int, trouble: list[str]) -> Index | None:
        """The index; a store that refuses does not take the rest of the start along."""
        from remem.entries.index import make_index

        target = min(self._parts.config.index_tokens, most)
        try:
            self._upkeep.before_read()
            with self._store.read() as snapshot:
                return make_index(snapshot, self._parts.counter, target)
        except StoreError as error:
            trouble.append(str(error))
            return None


def _require(validation: Validation) -> None:
    failed = [check for check in validation.checks if not check.passed]
    if failed:
        failures = "; ".join(f"{check.number}. {check.name}: {check.summary}" for check in failed)
        raise NotAllowed(
            f"the memory is not ready to be activated ({failures})",
            hint="`remem validate` tells the reasons",
        )
