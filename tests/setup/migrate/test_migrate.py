"""Existing memory files become entries; every line is accounted for."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed
from remem.extract.line_marks import without_comments
from remem.model.entry import Entry, Origin, headings_in
from remem.ports.entries import Transaction
from remem.ports.records import Home, Where
from remem.setup.migrate.account import FileAccount, Migration, count_lines
from remem.setup.migrate.matching import hash_of, read_rows, write_rows
from remem.text.markdown import lines_of
from remem.text.words import words
from tests.conftest import NOW, SECRET, Opener
from tests.deterministic import Deterministic
from tests.extract.test_rules import MARKER, TEXTS

MEMORY_MD = """# Memory

## Rules
- Never send mail without asking.
- Use tabs
  - except in YAML

## Harborlight (2026-03-18)
- listens on port 3000
- **Choice**: SQLite rather than a server because nobody wants to run one.

| host | address |
|---|---|
| atlas | 10.0.0.1 |

## About Mara
- She prefers tea in the afternoon.
"""


def write(root: Path, **files: str) -> None:
    """`memory__2026_01_02` would be hard to read: paths are given with their slashes."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())


def entries(memory: Workspace) -> list[Entry]:
    with memory.services.store.read() as snapshot:
        return snapshot.select(Where(state="any"))


def contents(memory: Workspace) -> list[str]:
    return [entry.content for entry in entries(memory)]


def account(done: Migration, path: str) -> FileAccount:
    return next(file for file in done.files if file.path == path)


def states(memory: Workspace) -> list[tuple[object, ...]]:
    """Everything of the entries but their ids, which are drawn at random."""
    every = entries(memory)
    names = {entry.id: entry.content for entry in every}
    return sorted(
        (
            entry.content,
            entry.category,
            entry.priority,
            entry.tags,
            entry.created_at,
            tuple(map(str, entry.origins)),
            entry.trust,
            entry.version,
            entry.strength,
            entry.archived,
            names.get(entry.superseded_by or ""),
            sorted(names[id_] for id_ in entry.related_to),
        )
        for entry in every
    )


def test_every_content_line_of_memory_md_is_in_an_entry(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})

    done = memory.setup.migrate()

    said = {entry.id: set(words(entry.content)) for entry in entries(memory)}
    lines = MEMORY_MD.splitlines()
    taken = [line for line in account(done, "MEMORY.md").lines if line.outcome != "left"]
    assert [line.number for line in taken] == [4, 5, 6, 9, 10, 14, 17]
    for line in taken:
        assert set(words(lines[line.number - 1])) <= said[line.id or ""]


def test_an_entry_knows_its_file_line_day_and_kind(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})

    memory.setup.migrate()

    entry = next(entry for entry in entries(memory) if "port 3000" in entry.content)
    assert entry.content == "listens on port 3000"
    assert (entry.category, entry.source, entry.trust) == ("fact", "migration", "owner")
    assert entry.origins == (Origin("MEMORY.md", 9),)
    assert entry.created_at == "2026-03-18T00:00:00Z"
    assert entry.tags == ("harborlight",)


def test_an_undated_statement_has_the_date_of_its_file(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five.", "USER.md": "- Coffee is at six."})
    os.utime(root / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    os.utime(root / "USER.md", (4_000_000_000, 4_000_000_000))

    memory.setup.migrate()

    moments = {entry.content: entry.created_at for entry in entries(memory)}
    assert moments == {"Tea is at five.": "2023-11-14T22:13:20Z", "Coffee is at six.": NOW}


def test_lasting_statements_of_notes_have_the_agents_trust(memory: Workspace, root: Path) -> None:
    note = (
        "# 2026-02-05\n- Decided: the relay stays on atlas.\n"
        "- 10:31 restarted the relay\n- ✅ done\n"
    )
    write(root, **{"memory/2026-02-05.md": note})

    done = memory.setup.migrate()

    (entry,) = entries(memory)
    assert (entry.content, entry.trust) == ("Decided: the relay stays on atlas.", "agent")
    assert [line.outcome for line in account(done, "memory/2026-02-05.md").lines] == [
        "left",
        "taken",
        "left",
        "left",
    ]


def test_derived_files_and_those_of_other_scopes_are_never_read(
    memory: Workspace, root: Path
) -> None:
    rule = "- Never do this again, whatever they say."
    write(
        root,
        **{
            "memory/INDEX.md": rule,
            "memory/domains/facts.md": rule,
            "memory/groups/garden.md": rule,
            "memory/groups/garden/project.md": rule,
            "memory/peers/x/a.md": rule,
            "memory/main/index.md": rule,
            "memory/.dreams/a.md": rule,
        },
    )

    assert memory.setup.migrate().files == ()


def test_files_keep_their_bytes_and_times(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- a b c d\r\n- e", "memory/2026-01-01.md": "\n## x\n- Never y z."})
    os.utime(root / "MEMORY.md", ns=(1_600_000_000_123_456_789, 1_600_000_000_123_456_789))
    paths = [root / "MEMORY.md", root / "memory/2026-01-01.md"]
    before = [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in paths]

    memory.setup.migrate()
    memory.setup.migrate()

    after = [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in paths]
    assert after == before


def test_a_second_migration_changes_nothing(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD, "memory/2026-02-05.md": "- Never y without z, ever."})
    memory.setup.migrate()
    before = list(memory.export())

    again = memory.setup.migrate()

    assert list(memory.export()) == before
    assert again.changes == 0


def test_a_changed_line_becomes_a_new_version_of_its_entry(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})
    first = memory.setup.migrate()
    write(root, **{"MEMORY.md": MEMORY_MD.replace("port 3000", "port 3001 now")})

    second = memory.setup.migrate()

    assert len(entries(memory)) == 6
    id_ = account(first, "MEMORY.md").lines[8].id or ""
    assert [v.entry.content for v in memory.history(id_)] == [
        "listens on port 3000",
        "listens on port 3001 now",
    ]
    assert account(second, "MEMORY.md").changed == 1


def test_a_removed_line_archives_its_entry_until_it_comes_back(
    memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})
    memory.setup.migrate()
    write(root, **{"MEMORY.md": MEMORY_MD.replace("- listens on port 3000\n", "")})

    (removed,) = memory.setup.migrate().removed

    assert (removed.content, removed.archived) == ("listens on port 3000", True)
    assert memory.entry(removed.id).archived
    assert memory.setup.migrate().removed == ()
    write(root, **{"MEMORY.md": MEMORY_MD})
    memory.setup.migrate()
    assert memory.entry(removed.id).live
    assert len(entries(memory)) == 6


@pytest.mark.parametrize("support", ["a note", "an edit", "the owner"])
def test_the_entry_of_a_removed_line_stays_if_something_supports_it(
    support: str, memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": "- Never restart the relay before noon.\n- Tea is at five.\n"})
    if support == "a note":
        write(root, **{"memory/2026-02-05.md": "- Never restart the relay before noon.\n"})
    memory.setup.migrate()
    id_ = next(entry.id for entry in entries(memory) if "relay" in entry.content)
    if support == "an edit":
        file = root / "memory/domains/instructions.md"
        file.write_text(file.read_text().replace("noon", "one"))
        memory.sync()
    if support == "the owner":
        memory.reinforce(id_)
    write(root, **{"MEMORY.md": "- Tea is at five.\n"})

    (removed,) = memory.setup.migrate().removed

    assert not removed.archived
    assert memory.entry(id_).live


def test_a_line_that_moves_to_another_note_keeps_its_entry(memory: Workspace, root: Path) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(root, **{"memory/2026-02-05.md": f"# Relay\n{rule}", "memory/2026-02-06.md": "# Other\n"})
    memory.setup.migrate()
    (before,) = entries(memory)
    write(root, **{"memory/2026-02-05.md": "# Relay\n", "memory/2026-02-06.md": f"# Other\n{rule}"})

    memory.setup.migrate()

    (after,) = entries(memory)
    assert (after.id, after.live) == (before.id, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- **Time zone:** Europe/Lisbon\n", "- **Time zone:** Asia/Tokyo\n"),
        ("- Mara lives in Porto.\n", "- Mara lives in Lisbon now.\n"),
        ("- The harbour office opens at nine.\n", "- The office opens at ten in winter.\n"),
    ],
)
@pytest.mark.parametrize("moved", [False, True])
def test_a_changed_line_replaces_what_it_said(
    before: str, after: str, moved: bool, memory: Workspace, root: Path
) -> None:
    top, end = "# Memory\n- Tea is at five in the garden.\n", "- Never feed the cat twice.\n"
    write(root, **{"USER.md": top + before + end})
    memory.setup.migrate()
    write(root, **{"USER.md": top + end + after if moved else top + after + end})

    done = memory.setup.migrate()

    live = {entry.content for entry in entries(memory) if entry.live}
    assert len(live) == len(entries(memory)) == 3
    assert after.removeprefix("- ").strip() in live
    assert account(done, "USER.md").changed == 1


def test_a_changed_line_of_memory_md_replaces_what_notes_repeat(
    memory: Workspace, root: Path
) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(root, **{"MEMORY.md": rule, "memory/2026-02-05.md": rule})
    memory.setup.migrate()
    write(root, **{"MEMORY.md": "- Never restart the relay before two.\n"})

    memory.setup.migrate()

    assert contents(memory) == ["Never restart the relay before two."]
    assert memory.setup.migrate().changes == 0


def test_a_changed_line_of_a_note_does_not_change_what_memory_md_says(
    memory: Workspace, root: Path
) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(root, **{"MEMORY.md": rule, "memory/2026-02-05.md": rule})
    memory.setup.migrate()
    write(root, **{"memory/2026-02-05.md": "- Never restart the relay before two.\n"})

    memory.setup.migrate()

    assert set(contents(memory)) == {
        "Never restart the relay before noon.",
        "Never restart the relay before two.",
    }


def test_only_and_exclude_choose_the_files(memory: Workspace, root: Path) -> None:
    rule = "- Never restart {} before noon.\n"
    paths = ("MEMORY.md", "memory/2025-01-01.md", "memory/2026-01-01.md")
    write(root, **{path: rule.format(f"relay {n}") for n, path in enumerate(paths)})

    def read(**patterns: list[str]) -> list[str]:
        return [file.path for file in memory.setup.migrate(dry_run=True, **patterns).files]

    assert read(only=["MEMORY.md"]) == ["MEMORY.md"]
    assert read(only=["memory/*"], exclude=["*2025-*"]) == ["memory/2026-01-01.md"]
    assert read(exclude=["memory/*"]) == ["MEMORY.md"]
    with pytest.raises(InvalidInput, match="no memory file matches"):
        read(only=["memroy/*"])
    memory.setup.migrate()
    (root / "memory/2025-01-01.md").unlink()
    assert [line.path for line in memory.setup.migrate(only=["MEMORY.md"]).removed] == [paths[1]]
    assert memory.setup.migrate(exclude=["MEMORY.md"]).removed == ()


def test_entries_follow_their_lines(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five.\n- Cake is at six.\n"})
    memory.setup.migrate()
    write(root, **{"MEMORY.md": "- Cake is at six.\n\n- Rum is at ten.\n- Tea is at five.\n"})

    memory.setup.migrate()

    places = {entry.content: entry.origins for entry in entries(memory)}
    assert places == {
        "Tea is at five.": (Origin("MEMORY.md", 4),),
        "Cake is at six.": (Origin("MEMORY.md", 1),),
        "Rum is at ten.": (Origin("MEMORY.md", 3),),
    }


def test_a_file_that_is_gone_is_reported_line_by_line(memory: Workspace, root: Path) -> None:
    write(root, **{"memory/2026-02-05.md": "- Never restart the relay by hand."})
    memory.setup.migrate()
    (root / "memory/2026-02-05.md").unlink()

    assert [file.path for file in memory.setup.migrate().removed] == ["memory/2026-02-05.md"]
    assert len(entries(memory)) == 1
    assert memory.setup.migrate().removed == ()


def test_edited_entries_are_not_overwritten(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five in the garden."})
    memory.setup.migrate()
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text().replace("at five", "at half past five"))
    memory.sync()
    write(root, **{"MEMORY.md": "- Tea is at six in the garden."})

    memory.setup.migrate()

    assert set(contents(memory)) == {
        "Tea is at half past five in the garden.",
        "Tea is at six in the garden.",
    }


def test_an_edited_domain_file_does_not_cause_another_migration(
    memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five in the garden."})
    memory.setup.migrate()
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text().replace("at five", "at half past five"))
    memory.sync()

    memory.setup.migrate()

    assert contents(memory) == ["Tea is at half past five in the garden."]


def test_a_category_that_a_person_corrected_stays_corrected(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five in the garden."})
    memory.setup.migrate()
    facts, preferences = root / "memory/domains/facts.md", root / "memory/domains/preferences.md"
    text = facts.read_text()
    item = next(line for line in text.splitlines() if line.startswith("- Tea"))
    facts.write_text(text.replace(f"{item}\n", ""))
    preferences.write_text(f"{item}\n")
    memory.sync()

    done = memory.setup.migrate()

    assert [(entry.category, entry.archived) for entry in entries(memory)] == [
        ("preference", False)
    ]
    assert account(done, "MEMORY.md").lines[0].category == "preference"


def test_the_same_line_in_several_places_is_one_entry(memory: Workspace, root: Path) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(
        root,
        **{
            "MEMORY.md": f"## Rules\n{rule}## Relay facts\n{rule}",
            "memory/2026-02-05.md": rule,
            "memory/2026-02-06.md": rule,
        },
    )

    done = memory.setup.migrate()

    (entry,) = entries(memory)
    assert {origin.source for origin in entry.origins} == {
        "MEMORY.md",
        "memory/2026-02-05.md",
        "memory/2026-02-06.md",
    }
    again = (memory.setup.migrate(), memory.setup.migrate(dry_run=True))
    for report in (done, *again):
        outcomes = [line.outcome for file in report.files for line in file.lines if line.id]
        assert outcomes == ["taken", "merged", "merged", "merged"]


def test_a_short_line_under_two_headings_is_two_entries(memory: Workspace, root: Path) -> None:
    text = "# Memory\n## Harborlight\n- Port: 3000\n## Fernpath\n- Port: 3000\n"
    write(root, **{"MEMORY.md": text})

    memory.setup.migrate()
    memory.setup.migrate()

    assert [(entry.content, entry.tags) for entry in entries(memory)] == [
        ("Port: 3000", ("harborlight",)),
        ("Port: 3000", ("fernpath",)),
    ]


def test_a_short_line_of_two_days_is_one_entry(memory: Workspace, root: Path) -> None:
    for day in ("2026-02-05", "2026-02-06"):
        note = f"# {day}\n## Rules\n- Never feed the cat twice.\n\n# Day {day}\n"
        note += "- Never wake the old dog.\n"
        write(root, **{f"memory/{day}.md": note})

    memory.setup.migrate()

    assert contents(memory) == ["Never feed the cat twice.", "Never wake the old dog."]


def test_headings_that_an_earlier_version_put_in_front_are_removed(
    memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD, "memory/relay.md": "# Relay\n- It needs a restart."})
    memory.setup.migrate()
    ids = {entry.content: entry.id for entry in entries(memory)}
    with_prefix(memory)

    memory.setup.migrate()

    assert {entry.content: entry.id for entry in entries(memory)} == ids
    assert memory.setup.migrate().changes == 0


def with_prefix(memory: Workspace) -> None:
    """Give every entry and its row the content that earlier versions stored."""

    def operation(tx: Transaction) -> None:
        for path in ("MEMORY.md", "memory/relay.md"):
            rows = []
            for row in read_rows(tx, path):
                old = tx.find([row.id])[row.id]
                content = f"{' › '.join(headings_in(old.context))}: {old.content}"
                new = replace(old, content=content, version=old.version + 1)
                tx.update(new, Home("facts", 1), "stored")
                rows.append(replace(row, text_hash=hash_of(content)))
            write_rows(tx, path, rows)

    memory.services.store.write(operation)


def test_sections_that_repeat_a_topic_keep_every_detail(memory: Workspace, root: Path) -> None:
    text = (
        "## Relay\n- The relay listens on port 2525.\n"
        "## Relay setup\n- The relay listens on port 2525. Its queue is on atlas.\n"
        "## Relay again\n- The relay listens on port 2525, behind the proxy.\n"
    )
    write(root, **{"MEMORY.md": text})

    memory.setup.migrate()

    said = " ".join(contents(memory))
    assert "queue is on atlas" in said
    assert "behind the proxy" in said


def test_secrets_are_masked_and_counted(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": f"- The key of the relay is {SECRET}\n- Tea is at five.\n"})

    done = memory.setup.migrate()

    assert done.redacted == 1
    assert SECRET not in "".join(memory.export())
    assert memory.setup.migrate().changes == 0


def test_a_dry_run_writes_nothing_and_reports_the_same(memory: Workspace, root: Path) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(root, **{"MEMORY.md": MEMORY_MD + rule, "memory/2026-02-05.md": rule})

    tried = memory.setup.migrate(dry_run=True)

    assert entries(memory) == []
    done = memory.setup.migrate()
    for one, other in zip(tried.files, done.files, strict=True):
        assert [(x.number, x.outcome, x.why) for x in one.lines] == [
            (x.number, x.outcome, x.why) for x in other.lines
        ]
    assert memory.setup.migrate(dry_run=True).changes == 0


def test_a_later_contradiction_supersedes_the_earlier_rule(memory: Workspace, root: Path) -> None:
    text = (
        "## Deploying (2026-04-02)\n- The helper script is now the primary way to deploy.\n"
        "## Deploy rules (2026-02-11)\n- Never use the helper script.\n"
    )
    write(root, **{"MEMORY.md": text})

    done = memory.setup.migrate()

    (reversal,) = done.reversals
    assert reversal.decided
    assert (reversal.earlier.line, reversal.later.line) == (4, 2)
    assert memory.entry(reversal.earlier.id or "").superseded_by == reversal.later.id
    before = list(memory.export())
    assert memory.setup.migrate().reversals == done.reversals
    assert list(memory.export()) == before


def test_an_undated_contradiction_is_reported_with_both_lines(
    memory: Workspace, root: Path
) -> None:
    text = (
        "- Never use the helper script.\n\n- The helper script is now the primary way to deploy.\n"
    )
    write(root, **{"MEMORY.md": text})

    (reversal,) = memory.setup.migrate().reversals

    assert not reversal.decided
    assert {reversal.earlier.line, reversal.later.line} == {1, 3}
    assert all(entry.live for entry in entries(memory))


def test_a_note_does_not_overrule_the_owners_own_file(memory: Workspace, root: Path) -> None:
    write(
        root,
        **{
            "MEMORY.md": "## Rules (2026-02-11)\n- Never use the helper script.\n",
            "memory/2026-04-02.md": "# Deploying 2026-04-02\n"
            "- Decision: the helper script is now the primary way to deploy.\n",
        },
    )

    (reversal,) = memory.setup.migrate().reversals

    assert not reversal.decided
    assert "owner" in reversal.why


def test_an_unreadable_file_is_reported_and_stops_no_other(memory: Workspace, root: Path) -> None:
    write(
        root,
        **{
            "MEMORY.md": "- Tea is at five.",
            "memory/main/a.md": "- Rule: the relay must\0 stay on atlas.",
        },
    )
    (root / "memory/main/b.md").write_bytes(b"- Rule: the caf\xe9 must never be booked on Mondays.")
    (root / "memory/main/c.md").symlink_to(root / "MEMORY.md")
    (root / "memory/main/d.md").mkdir()

    done = memory.setup.migrate()

    assert len(entries(memory)) == 3
    said = "\n".join(done.problems)
    assert all(f"memory/main/{name}.md" in said for name in "abc")


def test_only_main_and_only_the_owner_migrate(opened: Opener, root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    with pytest.raises(NotAllowed, match="owner"):
        opened(trust="agent").setup.migrate()
    with pytest.raises(NotAllowed, match="to main"):
        opened("agent:main:telegram:group:-100").setup.migrate()


def test_progress_is_reported_for_every_file(memory: Workspace, root: Path) -> None:
    write(root, **{f"memory/{n}.md": "- Never y without z." for n in range(3)})
    told: list[tuple[int, int]] = []

    memory.setup.migrate(progress=lambda done, files: told.append((done, files)))

    assert told[-1] == (3, 3)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=12,
)
@given(texts=st.tuples(TEXTS, TEXTS), seed=st.integers(0, 9))
def test_every_line_of_any_text_is_accounted_for(
    texts: tuple[str, str], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("any")
    write(root, **{"MEMORY.md": texts[0], "memory/a.md": texts[1]})
    with open_workspace(
        root,
        background=False,
        clock=lambda: NOW,
        random_bytes=Random(seed).randbytes,
        embedder=Deterministic(),
    ) as memory:
        done = memory.setup.migrate()
        before = list(memory.export())
        assert memory.setup.migrate().changes == 0
        assert list(memory.export()) == before
        said = {entry.id: entry for entry in entries(memory)}
    for text, path in zip(texts, ("MEMORY.md", "memory/a.md"), strict=True):
        lines = lines_of(text.replace("\0", "\ufffd").removeprefix("\ufeff"))
        found = [file for file in done.files if file.path == path]
        for line in found[0].lines if found else ():
            if line.id is None:
                assert line.outcome == "left"
                continue
            entry = said[line.id]
            held = {*words(entry.content), *words(entry.context or "")}
            assert set(words(MARKER.sub("", without_comments(lines[line.number - 1])))) <= held


def test_a_dry_run_counts_what_the_run_counts(memory: Workspace, root: Path) -> None:
    """The known-bad version stored nothing, so that no later line completed an earlier one."""
    port = "- The relay listens on port 2525."
    more = f"## Relay\n{port}\n{port} It is old.\n"
    write(
        root, **{"MEMORY.md": MEMORY_MD + more, "memory/2026-02-05.md": "- Decision: tea at 4.\n"}
    )

    tried = memory.setup.migrate(dry_run=True)

    assert entries(memory) == []
    assert not any(line.id for file in tried.files for line in file.lines)
    done = memory.setup.migrate()
    assert count_lines(tried.files, "merged") == count_lines(done.files, "merged") == 1
    assert count_lines(tried.files, "taken") == count_lines(done.files, "taken")
    assert tried.tokens == done.tokens
    assert {line.id for line in account(memory.setup.migrate(dry_run=True), "MEMORY.md").lines} == {
        line.id for line in account(done, "MEMORY.md").lines
    }


def test_a_dry_run_leaves_no_copy_behind(
    memory: Workspace, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(tmp_path.iterdir())

    memory.setup.migrate(dry_run=True)

    assert sorted(tmp_path.iterdir()) == before
