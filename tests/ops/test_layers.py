"""The four ways in which layered memory fails: each is found, explained, and mended without loss.

The rules are those of the memory protocol: durable facts do not live in daily notes alone, chatter
does not live in MEMORY.md, facts are superseded and never rewritten, search knows what was written.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from remem.admin.doctor.findings import Finding
from remem.files.fact_history import record_facts
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.ops.backup import back_up
from remem.ops.doctor import Diagnosis, examine_workspace
from tests.conftest import Opener

NOTE = """# 2026-03-04

- 09:30 walked to the office
- Lunch with Ada

## Decisions

- We decided to host the archive in Lisbon because the lease is cheaper.
"""
MEMORY = """# Memory

## Preferences

- David prefers tea without milk.

## 2026-03-04

- assistant: let me check the calendar for you
- Tests: 371 → 384
- Thanks!
- [14:05] rebooted the router
- The spare key hangs behind the clock.
"""
FACTS = [
    {
        "id": "ada-001",
        "fact": "Ada lives in Porto.",
        "category": "status",
        "timestamp": "2026-01-05",
        "source": "conversation",
        "status": "active",
        "supersededBy": None,
        "confidence": 0.9,
    },
    {
        "id": "ada-002",
        "fact": "Ada runs the bakery on Elm Street.",
        "category": "status",
        "timestamp": "2026-01-05",
        "source": "conversation",
        "status": "active",
        "supersededBy": None,
    },
]
ITEMS = "brain/areas/ada/items.json"


@pytest.fixture
def ground(root: Path, opened: Opener) -> Path:
    """A workspace in which every layer does its job."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    write_facts(root, FACTS)
    with opened() as memory:
        memory.store(category="fact", content="The mill is shut on Mondays.")
        memory.services.layers.record_facts()
        memory.refresh()
    return root


def write_facts(root: Path, facts: list[dict[str, object]]) -> None:
    (root / ITEMS).parent.mkdir(parents=True, exist_ok=True)
    (root / ITEMS).write_text(json.dumps(facts, indent=2))


def facts_of(root: Path) -> list[dict[str, object]]:
    found = json.loads((root / ITEMS).read_text())
    assert isinstance(found, list)
    return found


def look(root: Path, *, repair: bool = False, against: Path | None = None) -> Diagnosis:
    return examine_workspace(Layout(root), repair=repair, against=against)


def about(found: Diagnosis, part: str) -> list[Finding]:
    return [finding for finding in found.findings if finding.part == part]


def test_a_workspace_whose_layers_do_their_jobs_has_no_findings(ground: Path) -> None:
    assert look(ground).findings == ()


def test_what_lasts_and_stands_only_in_a_note_becomes_an_entry(
    ground: Path, opened: Opener
) -> None:
    note = ground / "memory/2026-03-04.md"
    note.write_text(NOTE)

    (finding,) = about(look(ground), "daily notes")
    mended = look(ground, repair=True)

    assert "1 lasting statement is only in daily notes: memory/2026-03-04.md#L8" in finding.what
    assert "main: 1 statement of daily notes was stored as an entry" in mended.repairs
    assert mended.remaining == ()
    assert note.read_text() == NOTE
    with opened() as memory:
        (entry,) = memory.recall("where is the archive hosted?", categories=["decision"]).entries
        assert "Lisbon" in entry.content
        assert memory.entry(entry.id).origins[0].source == "memory/2026-03-04.md"


@pytest.mark.parametrize("where", ["MEMORY.md", "fact", "entry", "forgotten", "this week"])
def test_statements_recorded_elsewhere_or_forgotten_are_left_alone(
    ground: Path, opened: Opener, where: str
) -> None:
    said = "We decided to host the archive in Lisbon because the lease is cheaper."
    (ground / "memory/2026-03-04.md").write_text(NOTE)
    if where == "MEMORY.md":
        (ground / "MEMORY.md").write_text(f"# Memory\n\n- {said}\n")
    elif where == "fact":
        write_facts(ground, [*FACTS, {"id": "ada-003", "fact": said, "status": "active"}])
    elif where == "entry":
        with opened() as memory:
            memory.store(category="insight", content=f"{said} Ada agreed.")
    elif where == "forgotten":
        with opened() as memory:
            memory.services.layers.store_lasting_statements()
            memory.forget(memory.recall("Lisbon").entries[0].id)
    else:
        today = time.strftime("%Y-%m-%d")
        (ground / "memory/2026-03-04.md").rename(ground / f"memory/{today}.md")

    assert about(look(ground), "daily notes") == []


def test_chatter_is_moved_to_its_day_only_by_the_owners_command(
    ground: Path, opened: Opener
) -> None:
    (ground / "MEMORY.md").write_text(MEMORY)
    (finding,) = about(look(ground), "MEMORY.md")
    assert "4 lines of chatter: L9 (a line of a conversation), L10 (a report)" in (finding.what)

    look(ground, repair=True)
    assert (ground / "MEMORY.md").read_text() == MEMORY, "--repair does not touch it"

    with opened(clock=lambda: "2026-11-16T08:00:00Z") as memory:
        proposal = memory.services.layers.propose_chatter_move()
        assert proposal is not None
        assert "-- Thanks!" in proposal.diff
        memory.services.layers.move_chatter(proposal)

        left = (ground / "MEMORY.md").read_text()
        noted = (ground / "memory/2026-03-04.md").read_text()
        assert left == "".join(
            line + "\n"
            for number, line in enumerate(MEMORY.splitlines(), 1)
            if number not in (9, 10, 11, 12)
        )
        for line in ("assistant: let me check", "Tests: 371 → 384", "Thanks!", "rebooted"):
            assert line in noted
        assert not any("chatter" in one.what for one in about(look(ground), "MEMORY.md"))

        memory.recommendations.undo()
        assert (ground / "MEMORY.md").read_text() == MEMORY


def test_moving_after_a_kill_notes_nothing_twice(ground: Path, opened: Opener) -> None:
    """The notes were written, MEMORY.md was not."""
    (ground / "MEMORY.md").write_text(MEMORY)
    with opened(clock=lambda: "2026-11-16T08:00:00Z") as memory:
        proposal = memory.services.layers.propose_chatter_move()
        assert proposal is not None
        memory.services.layers.move_chatter(proposal)
        noted = (ground / "memory/2026-03-04.md").read_text()
        (ground / "MEMORY.md").write_text(MEMORY)

        again = memory.services.layers.propose_chatter_move()
        assert again is not None
        memory.services.layers.move_chatter(again)

    assert (ground / "memory/2026-03-04.md").read_text() == noted


@pytest.mark.parametrize("before", ["", "# Day\n\n## 09:14 Peas\n\nThey grew.\n", "They grew.\n"])
def test_what_is_moved_arrives_whole_as_often_as_it_stood_and_without_its_secrets(
    ground: Path, opened: Opener, before: str
) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    lines = ("**User:** hi `there`! <!-- mine -->", "Thanks!", "Thanks!", f"AI: {key} it is")
    text = "# Memory\n\n" + "\n".join(f"- {line}" for line in lines)
    note = ground / "memory/2026-11-16.md"
    note.write_text(before)
    with opened(clock=lambda: "2026-11-16T08:00:00Z") as memory:
        for _ in range(2):  # a kill between the notes and MEMORY.md
            (ground / "MEMORY.md").write_text(text)
            proposal = memory.services.layers.propose_chatter_move()
            assert proposal is not None
            memory.services.layers.move_chatter(proposal)

    noted = note.read_text()
    assert (ground / "MEMORY.md").read_text() == "# Memory\n\n"
    assert noted.count("**User:** hi `there`! <!-- mine -->") == 1
    assert noted.count("Thanks!") == 2
    assert noted.count(" it is") == 1
    assert key not in noted
    assert noted.startswith(before)


def test_a_rewritten_fact_gets_its_past_back(ground: Path) -> None:
    changed = [{**FACTS[0], "fact": "Ada lives in Lisbon."}, FACTS[1]]
    write_facts(ground, changed)

    (finding,) = about(look(ground), "facts")
    mended = look(ground, repair=True)

    assert "ada-001 in brain/areas/ada/items.json was rewritten" in finding.what
    assert "main: 1 earlier fact was restored as superseded" in mended.repairs
    assert mended.remaining == ()
    assert facts_of(ground) == [
        *changed,
        {
            "id": "ada-003",
            "fact": "Ada lives in Porto.",
            "category": "status",
            "timestamp": "2026-01-05",
            "source": "conversation",
            "status": "superseded",
            "supersededBy": "ada-001",
        },
    ]
    assert look(ground, repair=True).repairs == ()


def test_a_fact_that_comes_back_still_says_where_it_came_from(ground: Path) -> None:
    told = {**FACTS[0], "id": "ada-009", "fact": "Ada rows.", "origin": "memory/2026-03-04.md#L3"}
    write_facts(ground, [*FACTS, told])
    record_facts(Layout(ground), FactFiles(Layout(ground))().facts)
    write_facts(ground, FACTS)

    look(ground, repair=True)

    assert facts_of(ground)[-1]["origin"] == "memory/2026-03-04.md#L3"


def test_a_removed_fact_comes_back_as_history(ground: Path) -> None:
    write_facts(ground, FACTS[:1])

    assert "ada-002 in brain/areas/ada/items.json was removed" in (
        about(look(ground), "facts")[0].what
    )
    look(ground, repair=True)

    last = facts_of(ground)[-1]
    assert (last["fact"], last["status"]) == (FACTS[1]["fact"], "superseded")


def test_what_comes_back_is_found_under_its_own_id_and_names_what_took_its_place(
    ground: Path,
) -> None:
    past = {**FACTS[1], "id": "ada-003", "fact": "Ada ran a mill.", "status": "superseded"}
    past["supersededBy"] = "ada-002"
    write_facts(ground, [*FACTS, {**past, "status": "active", "supersededBy": None}])
    record_facts(Layout(ground), FactFiles(Layout(ground))().facts)
    write_facts(ground, [*FACTS, past])
    record_facts(Layout(ground), FactFiles(Layout(ground))().facts)
    write_facts(ground, [{**FACTS[0], "fact": "Ada lives in Lisbon."}, FACTS[1]])

    look(ground, repair=True)

    back = {fact["id"]: fact for fact in facts_of(ground)[2:]}
    assert {id_: record["fact"] for id_, record in back.items()} == {
        "ada-003": "Ada ran a mill.",
        "ada-004": "Ada lives in Porto.",
    }
    assert back["ada-003"]["supersededBy"] == "ada-002"
    assert back["ada-004"]["supersededBy"] == "ada-001"


@pytest.mark.parametrize(
    "edit",
    [
        {"fact": "Ada lives in Porto. Her house is yellow."},
        {"fact": "Ada livs in Porto."},
        {"status": "superseded", "supersededBy": "ada-002"},
        {"confidence": 0.1, "lastAccessed": "2026-11-01"},
    ],
)
def test_what_loses_nothing_is_no_rewriting(ground: Path, edit: dict[str, object]) -> None:
    write_facts(ground, [{**FACTS[0], **edit}, FACTS[1]])

    assert about(look(ground), "facts") == []


@pytest.mark.parametrize("fact", ["Ada lives in Porto 2.", "Bob lives in Porto."])
def test_another_number_or_name_is_another_fact(ground: Path, fact: str) -> None:
    write_facts(ground, [{**FACTS[0], "fact": fact}, FACTS[1]])

    assert len(about(look(ground), "facts")) == 1


def test_a_file_that_is_broken_now_is_not_judged(ground: Path) -> None:
    (ground / ITEMS).write_text('[{"id": "ada-001", "fact": ')

    assert about(look(ground), "facts") == []


@pytest.mark.parametrize("path", [ITEMS, "brain/entities.json"])
def test_a_broken_file_is_reported_with_its_path_and_kept(ground: Path, path: str) -> None:
    (ground / path).write_text('[\n  {"id": "ada-001", "fact": ')

    (finding,) = about(look(ground), path)
    mended = look(ground, repair=True)

    assert finding.severity == "damage"
    assert "at line 2, column" in finding.what
    assert finding in mended.remaining
    assert not mended.healthy
    assert (ground / path).read_text() == '[\n  {"id": "ada-001", "fact": '


def test_facts_behind_a_link_are_a_notice(ground: Path, tmp_path: Path) -> None:
    (tmp_path / "items.json").write_text("[]")
    (ground / "brain/areas/bea").mkdir()
    (ground / "brain/areas/bea/items.json").symlink_to(tmp_path / "items.json")

    found = look(ground)

    assert [finding.severity for finding in about(found, "brain/areas/bea/items.json")] == [
        "notice"
    ]
    assert found.healthy


def test_a_backup_knows_what_was_there(ground: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.tar.gz"
    back_up(Layout(ground), kept)
    (ground / ".remem/main/facts-seen.jsonl").unlink()
    write_facts(ground, [{**FACTS[0], "fact": "Ada lives in Lisbon."}, FACTS[1]])

    assert about(look(ground), "facts") == []
    assert len(about(look(ground, against=kept), "facts")) == 1
    look(ground, repair=True, against=kept)
    assert facts_of(ground)[-1]["fact"] == "Ada lives in Porto."


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_git_knows_what_was_there(ground: Path) -> None:
    def git(*words: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *name, *words], cwd=ground, check=True, capture_output=True)

    git("init", "-q")
    git("add", ITEMS)
    git("commit", "-q", "-m", "facts")
    (ground / ".remem/main/facts-seen.jsonl").unlink()
    write_facts(ground, [{**FACTS[0], "fact": "Ada lives in Lisbon."}, FACTS[1]])

    assert len(about(look(ground), "facts")) == 1
    look(ground, repair=True)
    assert facts_of(ground)[-1]["fact"] == "Ada lives in Porto."


def test_what_the_owner_erased_does_not_come_back(ground: Path, opened: Opener) -> None:
    with opened() as memory:
        id_ = memory.store(category="fact", content="Ada lives in Porto.").id
        memory.erase(id_)
    write_facts(ground, [FACTS[1]])

    assert about(look(ground), "facts") == []


def test_search_that_has_not_read_a_file_for_a_day_is_behind(ground: Path, opened: Opener) -> None:
    page = ground / "memory/2026-11-01.md"
    page.write_text("# 2026-11-01\n\n- The anchor chain is in the shed.\n")
    assert about(look(ground), "search") == [], "it was written a moment ago"
    long_ago = time.time() - 2 * 86_400
    os.utime(page, (long_ago, long_ago))

    (finding,) = about(look(ground), "search")
    mended = look(ground, repair=True)

    assert "1 changed file has not been read by search for over a day" in finding.what
    assert [problem for problem in mended.remaining if problem.part == "search"] == []
    with opened() as memory:
        assert memory.search("anchor chain").results


def test_looking_writes_nothing(ground: Path) -> None:
    (ground / "MEMORY.md").write_text(MEMORY)
    (ground / "memory/2026-03-04.md").write_text(NOTE)
    write_facts(ground, FACTS[:1])
    before = {
        path: path.read_bytes()
        for path in ground.rglob("*")
        if path.is_file() and path.suffix in (".md", ".json", ".jsonl", ".toml")
    }

    look(ground)

    assert {path: path.read_bytes() for path in before} == before
