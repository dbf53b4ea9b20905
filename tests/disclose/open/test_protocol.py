"""The loading protocol: every step is in the trace, and the budget is never exceeded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.workspace import Workspace
from remem.disclose.open.result import OpenResult, TraceStep
from remem.disclose.path_access import resolve_path
from remem.embed.counters import EstimatedCounter, ExactCounter
from remem.errors import GateFirst
from remem.files.layout import Layout
from remem.model.scope import MAIN, Session
from remem.ports.models import TokenCounter
from remem.search.answer.answer import answer_text
from tests.conftest import Opener
from tests.deterministic import Deterministic
from tests.tiers import examples

KEY = "agent:main:telegram:group:-100"
GATE = """\
---
memory_budget: 1500
---
# Garden

## Hard rules

- Ask before you plant.

## Routing

| When | Load | Tier |
|---|---|---|
| any work conversation: tasks | attention.md | P0 |
| technical decisions: stack | project.md | P1 |
| lessons learned | experience.md | P2 |
| need to find someone: who | people.md | P3 |
"""
FILES = {
    "memory/group_names.json": '{"-100": "garden", "-200": "kitchen"}',
    "memory/groups/garden.md": GATE,
    "memory/groups/garden/attention.md": "# Attention\n\n- Order seeds\n",
    "memory/groups/garden/project.md": "# Project\n\nArduino. See conventions/api.md, "
    "conventions/tone.md.\n",
    "memory/groups/garden/experience.md": "# Experience\n\n- Beans need warmth.\n",
    "memory/groups/garden/people.md": "# People\n\n- Mara prunes.\n",
    "memory/groups/garden/conventions/api.md": "# API\n\nsnake_case\n",
    "memory/groups/garden/conventions/tone.md": "# Tone\n\nbe brief\n",
    "memory/groups/kitchen/attention.md": "a secret of the kitchen\n",
    "MEMORY.md": "a secret of main\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def group(root: Path, opened: Opener) -> Workspace:
    write(root, FILES)
    return opened(KEY, counter=EstimatedCounter())


def paths(done: OpenResult) -> list[str]:
    return [page.path.removeprefix("memory/groups/") for page in done.pages]


def step(done: OpenResult, name: str) -> TraceStep:
    (found,) = [step for step in done.trace if step.step == name]
    return found


def test_gate_file_and_convention_with_every_step_in_the_trace(group: Workspace) -> None:
    done = group.open("which technical stack, and what about the api?")

    assert paths(done) == ["garden.md", "garden/project.md", "garden/conventions/api.md"]
    assert [page.tier for page in done.pages] == ["gate", "P1", "conventions"]
    assert [step.step for step in done.trace] == [
        "mapping",
        "gate",
        "intent",
        "file",
        "conventions",
        "budget",
    ]
    assert step(done, "mapping").outcome == "group:garden"
    assert step(done, "gate").outcome == "rules: 1, routes: 4"
    assert step(done, "conventions").refused == (
        "conventions/tone.md: only one convention is loaded at a time",
    )
    assert done.budget == 1500
    assert done.token_count == EstimatedCounter().count(answer_text(done)) <= 1500


def test_without_a_match_nothing_is_loaded(group: Workspace) -> None:
    done = group.open("good morning!")

    assert paths(done) == ["garden.md"]
    assert "no route fits" in step(done, "intent").outcome


def test_the_gate_is_sent_once_in_a_conversation(group: Workspace, root: Path) -> None:
    group.open("good morning!")
    assert paths(group.open("which task is next?")) == ["garden/attention.md"]

    write(root, {"memory/groups/garden.md": GATE + "| seeds | seeds.md | P3 |\n"})

    assert "garden.md" in paths(group.open("which task is next?"))


def test_limits_apply_to_a_whole_conversation(group: Workspace) -> None:
    for message in ("which task is next?", "lessons learned?", "who prunes?"):
        group.open(message)

    done = group.open("the technical stack?")

    assert paths(done) == []
    (reason,) = step(done, "file").refused or ()
    assert "2 files of P0 to P2" in reason
    assert paths(group.open("which task is next?")) == ["garden/attention.md"]
    group.end_conversation()
    assert "garden/project.md" in paths(group.open("the technical stack?"))


def test_files_read_by_memory_get_count(group: Workspace) -> None:
    group.get("memory/groups/garden.md")
    for name in ("attention", "experience"):
        assert group.get(f"memory/groups/garden/{name}.md").status == "ok"

    refused = group.services.files.get_for_host("memory/groups/garden/project.md")

    assert (refused.status, refused.code) == ("error", "MEMORY_LIMIT_REACHED")
    assert step(group.open("the technical stack?"), "file").refused
    assert group.get("memory/groups/garden/people.md").status == "ok"
    assert group.get("memory/groups/garden/attention.md").status == "ok"
    assert group.search("Arduino").results
    assert group.recall("Arduino").entries


def test_the_limits_outlive_the_server(group: Workspace, opened: Opener) -> None:
    for message in ("which task is next?", "lessons learned?"):
        group.open(message)
    group.close()

    again = opened(KEY, counter=EstimatedCounter())

    assert again.search("seeds").results
    assert step(again.open("the technical stack?"), "file").refused


@pytest.mark.parametrize(
    "place",
    [
        "../MEMORY.md",
        "memory/groups/kitchen/attention.md",
        "/etc/passwd.md",
        "garden/../../../MEMORY.md",
        "MEMORY.md",
        "kitchen/attention.md",
        "%2e%2e/kitchen/attention.md",
    ],
)
def test_a_gate_cannot_lead_out_of_its_group(group: Workspace, root: Path, place: str) -> None:
    write(root, {"memory/groups/garden.md": f"- tasks → [x]({place})\n"})

    done = group.open("which task is next?")

    assert "secret" not in repr(done)
    assert paths(done) in ([], ["garden.md"])
    assert step(done, "file").refused


@pytest.mark.parametrize("alias", [os.link, os.symlink])
def test_a_hard_link_to_a_private_file_is_not_opened(
    group: Workspace, root: Path, alias: object
) -> None:
    target = root / "memory/groups/garden/attention.md"
    target.unlink()
    alias(root / "MEMORY.md", target)  # type: ignore[operator]

    assert "secret" not in repr(group.open("which task is next?"))


def test_untrusted_entries_are_not_opened(group: Workspace, root: Path) -> None:
    group.store(category="fact", content="obey me", trust="untrusted")
    group.sync()
    write(root, {"memory/groups/garden.md": "- tasks → domains/untrusted.md\n"})

    done = group.open("which task is next?")

    assert "obey" not in repr(done)
    assert "untrusted entries" in repr(step(done, "file").refused)


def test_a_missing_file_gives_way_to_the_next_best(group: Workspace, root: Path) -> None:
    (root / "memory/groups/garden/experience.md").unlink()

    done = group.open("who learned the lesson?")

    assert "garden/people.md" in paths(done)
    assert step(done, "file").refused == ("memory/groups/garden/experience.md: does not exist yet",)


def test_parts_of_a_file_that_does_not_fit_are_shown(group: Workspace, root: Path) -> None:
    lines = "".join(f"- 2026-01-{day % 28 + 1:02}: lesson {day}\n" for day in range(400))
    text = f"# Experience\n\n{lines}- The rose lesson: prune in March.\n"
    write(root, {"memory/groups/garden/experience.md": text})

    done = group.open("the lesson about the rose")

    page = done.pages[-1]
    assert page.truncated
    assert "prune in March" in page.text
    assert "left out: memory_get memory/groups/garden/experience.md" in page.text
    assert done.token_count <= 1500
    assert step(done, "budget").outcome == "stopped: parts are left out"


def test_a_gate_that_does_not_fit_gives_its_rules_first(group: Workspace, root: Path) -> None:
    rows = "".join(f"| topic number {n} | topic{n}.md | P3 |\n" for n in range(400))
    write(root, {"memory/groups/garden.md": GATE + rows})

    done = group.open("which task is next?")

    assert done.pages[0].truncated
    assert "Ask before you plant." in done.pages[0].text
    assert "garden/attention.md" in paths(done)
    assert done.token_count <= 1500


def test_a_group_without_a_gate_loads_nothing_and_gets_a_hint(group: Workspace, root: Path) -> None:
    (root / "memory/groups/garden.md").unlink()

    done = group.open("which task is next?")

    assert done.pages == ()
    assert "memory_flush creates it" in step(done, "gate").outcome
    assert group.search("seeds").results

    write(root, {"memory/groups/garden.md": GATE})

    with pytest.raises(GateFirst):
        group.search("seeds")


def test_a_peer_has_no_files(group: Workspace, opened: Opener) -> None:
    done = opened("agent:main:telegram:direct:7").open("which task is next?")

    assert done.pages == ()
    assert "no files" in step(done, "gate").outcome
    assert group.scope.kind == "group"


MAINS = {
    "memory/main/attention.md": "- Pay the rent\n",
    "memory/main/longterm.md": "- David likes it brief\n",
    "memory/main/projects/atlas.md": "- Atlas ships in May\n",
    "memory/main/projects/atlas-two.md": "- Atlas Two is only a plan\n",
}


def test_main_opens_the_file_that_fits_and_the_project_that_is_named(
    root: Path, opened: Opener
) -> None:
    write(root, MAINS)
    main = opened()

    done = main.open("what is the next task of Atlas Two?")

    assert [page.path for page in done.pages] == [
        "memory/main/projects/atlas-two.md",
        "memory/main/attention.md",
    ]
    third = main.open("which preference lasts?")
    assert third.pages == ()
    assert "has already opened two files" in repr(step(third, "file").refused)
    assert main.get("memory/main/longterm.md").status == "ok"


def test_main_follows_its_own_gate(root: Path, opened: Opener) -> None:
    index = "# Main\n\n- money → longterm.md\n- [DEPRECATED] money → attention.md\n"
    write(root, {**MAINS, "memory/main/index.md": index})

    done = opened().open("what about the money?")

    assert [page.path for page in done.pages] == ["memory/main/index.md", "memory/main/longterm.md"]


BLOCKS = st.lists(
    st.sampled_from(
        ["# Tasks", "- order seeds 数据", "| a | b.md | P0 |", "x" * 300, "", "next 🌱"]
    ),
    max_size=60,
).map("\n".join)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    budget=st.integers(1, 1200),
    gate=BLOCKS,
    text=BLOCKS,
    message=st.text(min_size=1, max_size=300).filter(str.strip),
)
def test_the_answer_never_costs_more_than_the_budget(
    root: Path, opened: Opener, budget: int, gate: str, text: str, message: str
) -> None:
    name = "memory/groups/garden"
    head = f"---\nmemory_budget: {budget}\n---\n# Hard rules\n- be kind\n\n# R\n"
    rows = "- next tasks → attention.md\n"
    write(root, {**FILES, f"{name}.md": f"{head}{rows}{gate}\n", f"{name}/attention.md": text})
    with opened(KEY, counter=EstimatedCounter(), embedder=Deterministic()) as memory:
        memory.end_conversation()
        done = memory.open(f"{message} next tasks")

    assert done.token_count <= done.budget == max(200, budget)
    assert EstimatedCounter().count(answer_text(done)) <= done.budget


def test_a_reader_with_the_rights_of_the_owner_is_caught(
    group: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Session("main", "main", "agent:main:main", MAIN, None)
    monkeypatch.setattr(
        "remem.disclose.open.protocol.resolve_path",
        lambda _session, *rest: resolve_path(owner, *rest),
    )
    write(root, {"memory/groups/garden.md": "- tasks → MEMORY.md\n"})

    assert "a secret of main" in repr(group.open("which task is next?"))


@pytest.mark.parametrize("counter", [EstimatedCounter(), ExactCounter()])
@pytest.mark.parametrize("name", ["🌱" * 300, "x" * 300, "花" * 300])
def test_a_long_name_of_a_room_does_not_use_up_a_small_budget(
    root: Path, opened: Opener, name: str, counter: TokenCounter
) -> None:
    write(root, {"memory/group_names.json": json.dumps({"-100": name})})
    memory = opened(KEY, counter=counter)
    gate = Layout(root).gate(memory.scope)
    assert gate is not None
    write(root, {str(gate): "---\nmemory_budget: 200\n---\n- tasks → attention.md\n"})

    done = memory.open(f"tasks of {name}")

    assert done.token_count == counter.count(answer_text(done)) <= done.budget == 200
    assert done.trace
