"""No entry is deleted: whatever was acknowledged is an entry, one of its versions, or archived.

"Superseded or archived, not deleted"; "list ∪ archive ∪ tombstones = Acked at all times".
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.errors import RememError
from remem.model.entry import CATEGORIES
from tests.deterministic import Deterministic
from tests.mutants.database import keep_no_history
from tests.quick import quick_folder
from tests.tiers import EVERYTHING

WORDS = (
    "The gateway. It moved. In May! 数据中心。 Mara rows\nAnd sings  <!-- x --> ^mem-00000000 ``` -"
)
PIECES = [*WORDS.split(" "), "the GATEWAY.", "\ttab", "é", "e\u0301", "\u200b"]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(" ".join).filter(str.strip)
EXAMPLES = int(os.environ.get("REMEM_LEDGER_EXAMPLES", "30" if EVERYTHING else "10"))


class Ledger(RuleBasedStateMachine):
    """Keeps its own list of what was acknowledged, and looks for all of it after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.root = quick_folder()
        self.days = 0
        self.edits = 0
        self.acknowledged: set[str] = set()
        self.ids: list[str] = []
        self.memory = self.opened()

    def opened(self) -> Workspace:
        return open_workspace(
            self.root,
            background=False,
            clock=lambda: f"{2026 + self.days // 28}-11-{self.days % 28 + 1:02}T00:00:00Z",
            embedder=Deterministic(),
            counter=EstimatedCounter(),
        )

    @rule(content=TEXTS, category=st.sampled_from(CATEGORIES[:3]), data=st.data())
    def store(self, content: str, category: str, data: st.DataObject) -> None:
        memory: dict[str, Any] = {"category": category, "content": content}
        memory |= data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "trust": st.just("untrusted"),
                    "expires": st.just("2027-01-01"),
                    "tags": st.just(["garden"]),
                    "supersedes": st.lists(st.sampled_from(self.ids or ["mem-0"]), max_size=1),
                },
            )
        )
        try:
            receipt = self.memory.store(**memory)
        except RememError:
            return
        self.acknowledged.add(content)
        self.ids.append(receipt.id)

    @rule(verdict=st.sampled_from(["confirm", "dismiss"]), data=st.data())
    def judge(self, verdict: str, data: st.DataObject) -> None:
        for entry in self.memory.review()[:1]:
            getattr(self.memory, verdict)(entry.id)

    @rule(content=TEXTS, data=st.data())
    def edit_a_bullet(self, content: str, data: st.DataObject) -> None:
        path = self._some_file(data)
        if path is None:
            return
        self.edits += 1
        mark = f"hand{self.edits}"
        text, words = path.read_text(encoding="utf-8"), f"- {mark} {content}"
        path.write_text(re.sub(r"(?m)^- .*", lambda _: words, text, count=1), encoding="utf-8")
        written = mark in path.read_text(encoding="utf-8")
        self.memory.recall("anything")
        kept = "\n".join([*self.memory.export(), path.read_text(encoding="utf-8")])
        assert mark in kept or not written

    @rule(data=st.data())
    def remove_a_bullet(self, data: st.DataObject) -> None:
        path = self._some_file(data)
        if path is not None:
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"(?m)^- .*\n", "", text, count=1), encoding="utf-8")
            self.memory.recall("anything")

    @rule(data=st.data())
    def move_a_bullet(self, data: st.DataObject) -> None:
        source, target = self._some_file(data), self._some_file(data)
        if source is None or target is None or source == target:
            return
        text = source.read_text(encoding="utf-8")
        item = re.search(r"(?m)^- .*\n", text)
        if item:
            source.write_text(text.replace(item[0], "", 1), encoding="utf-8")
            with target.open("a", encoding="utf-8") as end:
                end.write(item[0])
            self.memory.recall("anything")

    @rule(data=st.data())
    def lose_a_file(self, data: st.DataObject) -> None:
        path = self._some_file(data)
        if path is not None:
            path.unlink()

    @rule(data=st.data())
    def cut_a_file(self, data: st.DataObject) -> None:
        path = self._some_file(data)
        if path is not None:
            text = path.read_bytes().decode()
            path.write_bytes(text[: data.draw(st.integers(0, len(text)))].encode())

    @rule()
    def rebuild(self) -> None:
        self.memory.maintenance.rebuild()
        self.memory.maintenance.restore_from_files()

    @rule()
    def import_the_export(self) -> None:
        lines = [line.encode() for line in self.memory.export()]
        self.memory.import_lines(lambda: lines)

    @rule(days=st.sampled_from([1, 90]))
    def time_passes(self, days: int) -> None:
        self.days += days
        self.memory.index()

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.opened()

    @invariant()
    def everything_acknowledged_is_there(self) -> None:
        held = set[str]()
        for line in self.memory.export():
            value = json.loads(line)
            held.add(value["entry"]["content"])
            held |= {version["entry"]["content"] for version in value["history"]}
        assert self.acknowledged - held == set()

    def teardown(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root)

    def _some_file(self, data: st.DataObject) -> Path | None:
        found = sorted((self.root / "memory/domains").glob("*.md"))
        return data.draw(st.sampled_from(found)) if found else None


PLAYED = settings(
    max_examples=EXAMPLES,
    stateful_step_count=25,
    deadline=None,
    derandomize="REMEM_LEDGER_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)


def test_no_sequence_of_acts_makes_an_acknowledged_memory_vanish() -> None:
    run_state_machine_as_test(Ledger, settings=PLAYED)


def test_a_store_that_keeps_no_history_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_no_history(monkeypatch)
    quick = settings(PLAYED, max_examples=100, phases=[Phase.generate])

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Ledger, settings=quick)
