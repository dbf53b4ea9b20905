"""Edits by hand come back: a changed line is a version, a new bullet an entry, a removed
bullet an archived one; a person's other words stay where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.entries.domain_sync import state
from remem.files import atomic
from remem.files.locks import Signature
from tests.conftest import SECRET, Opener


@pytest.fixture
def facts(root: Path) -> Path:
    return root / "memory/domains/facts.md"


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def write(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def test_a_stored_entry_is_in_the_file_of_its_category(memory: Workspace, facts: Path) -> None:
    receipt = memory.store(category="fact", content="The gateway runs on atlas.", tags=["ops"])

    assert f"- The gateway runs on atlas. ^{receipt.id}\n" in text(facts)
    assert f'\n{receipt.id} {{"created": ' in text(facts)


def test_a_changed_line_is_a_new_version(memory: Workspace, facts: Path) -> None:
    id_ = memory.store(category="fact", content="The gateway runs on atlas.").id
    write(facts, text(facts).replace("on atlas", "on titan"))

    answer = memory.recall("where does the gateway run")

    assert [entry.content for entry in answer.entries] == ["The gateway runs on titan."]
    history = memory.history(id_)
    assert [version.entry.content for version in history] == [
        "The gateway runs on atlas.",
        "The gateway runs on titan.",
    ]
    assert history[1].change == "edited by hand in memory/domains/facts.md"


def test_a_new_bullet_is_a_new_entry_of_the_agent(memory: Workspace, facts: Path) -> None:
    memory.store(category="fact", content="One.")
    write(facts, text(facts).replace("- One.", "- The wifi is called birch.\n- One.", 1))

    entry = memory.recall("what is the wifi called").entries[0]

    stored = memory.entry(entry.id)
    assert stored.content == "The wifi is called birch."
    assert (stored.trust, stored.category, stored.source) == ("agent", "fact", "file")
    assert f"- The wifi is called birch. ^{entry.id}\n" in text(facts)
    assert text(facts).index("birch") < text(facts).index("One.")
    assert text(facts).count("birch") == 1


def test_a_removed_bullet_is_an_archived_entry(memory: Workspace, facts: Path) -> None:
    gone = memory.store(category="fact", content="The old host is zeus.").id
    memory.store(category="fact", content="The new host is hera.")
    write(facts, "".join(line for line in text(facts).splitlines(True) if gone not in line))

    answer = memory.recall("which host is it")

    assert [entry.content for entry in answer.entries] == ["The new host is hera."]
    assert memory.entry(gone).archived
    assert memory.history(gone)[-1].change.startswith("removed by hand")


def test_a_person_may_change_priority_and_tags_in_the_details(
    memory: Workspace, facts: Path
) -> None:
    id_ = memory.store(category="fact", content="Back up on Fridays.", tags=["ops"]).id
    write(facts, text(facts).replace('"tags": ["ops"]', '"priority":"high","tags":["ops","disk"]'))

    memory.recall("backup")

    entry = memory.entry(id_)
    assert (entry.priority, entry.tags) == ("high", ("ops", "disk"))


def test_a_section_does_not_repeat_the_title_of_its_file(memory: Workspace, facts: Path) -> None:
    for content, heading in (
        ("The house is red.", "Facts"),
        ("It has a stove.", "Facts › Kitchen"),
    ):
        memory.store(category="fact", content=content, context=f"MEMORY.md › {heading}")

    assert shown(facts) == ["# Facts", "- The house is red.", "## Kitchen", "- It has a stove."]


def shown(facts: Path) -> list[str]:
    """The lines that a person reads, without ids."""
    head = text(facts).partition("<!--")[0]
    return [line.partition(" ^")[0] for line in head.split("\n") if line]


def test_a_heading_is_written_for_several_bullets_or_one_that_needs_it(
    memory: Workspace, facts: Path
) -> None:
    def from_file(content: str, heading: str) -> dict[str, str]:
        context = f"MEMORY.md › Memory › {heading}"
        return {"category": "fact", "content": content, "context": context}

    memory.store_many(
        [
            from_file("The red house was built in 1931 by Anna.", "House"),
            from_file("The oven in the cellar bakes at night.", "Bakery"),
            from_file("The second oven is kept as a spare.", "Bakery"),
            from_file("Colour: blue", "Boat"),
            from_file("The scripts are kept in the tools folder.", "Ops › Scripts"),
            from_file("Backups run every Friday night at ten.", "Ops › Backups"),
        ]
    )
    memory.store_many([from_file("The house has four rooms and a garden.", "House")])
    memory.store_many([from_file("Number: 7", "House")])

    assert shown(facts) == [
        "# Facts",
        "- The red house was built in 1931 by Anna.",
        "- The house has four rooms and a garden.",
        "## Bakery",
        "- The oven in the cellar bakes at night.",
        "- The second oven is kept as a spare.",
        "## Boat",
        "- Colour: blue",
        "## Ops",
        "- The scripts are kept in the tools folder.",
        "- Backups run every Friday night at ten.",
        "## House",
        "- Number: 7",
    ]


def test_headings_and_remarks_stay_where_they_are(memory: Workspace, facts: Path) -> None:
    memory.store(category="fact", content="One.")
    memory.store(category="fact", content="Two.")
    write(facts, text(facts).replace("- Two.", "\n## Later\n\nA remark of mine.\n\n- Two.", 1))
    memory.store(category="fact", content="Three.")

    after = text(facts)
    assert after.index("- One.") < after.index("## Later") < after.index("- Two.")
    assert "\nA remark of mine.\n" in after
    assert "- Three." in after


def test_edits_made_while_remem_was_not_running_are_found(opened: Opener, facts: Path) -> None:
    memory = opened()
    memory.store(category="fact", content="The gateway runs on atlas.")
    memory.close()
    write(facts, text(facts).replace("on atlas", "on titan"))

    entries = opened().recall("gateway").entries

    assert [entry.content for entry in entries] == ["The gateway runs on titan."]


def test_a_half_saved_file_archives_nothing(memory: Workspace, facts: Path) -> None:
    ids = [memory.store(category="fact", content=f"Fact number {i}.").id for i in range(5)]
    whole = text(facts)
    for half in ("", whole[: len(whole) // 2], "\n"):
        write(facts, half)
        memory.recall("fact number")

    assert not any(memory.entry(id_).archived for id_ in ids)
    assert all(id_ in text(facts) for id_ in ids)


def test_a_file_cut_off_within_an_entry_adds_nothing(memory: Workspace, facts: Path) -> None:
    content = "The boiler:\nserviced in May\npaid by the landlord"
    memory.store(category="fact", content=content)
    whole = text(facts)
    for end in (whole.index("serviced"), whole.index("May"), whole.index("  paid")):
        write(facts, whole[:end])
        memory.recall("boiler")
        assert text(facts).count("The boiler") == 1

    assert [entry.content for entry in memory.recall("boiler").entries] == [content]


def test_a_deleted_file_is_recreated(memory: Workspace, facts: Path) -> None:
    id_ = memory.store(category="fact", content="One.").id
    facts.unlink()
    memory.store(category="fact", content="Two.")

    assert not memory.entry(id_).archived
    assert "- One." in text(facts)
    assert "- Two." in text(facts)


def test_a_file_left_behind_by_a_lost_database_brings_its_entries_back(
    opened: Opener, root: Path, facts: Path
) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="The only copy.").id
    memory.close()
    line = next(line for line in text(facts).splitlines() if id_ in line)
    for name in os.listdir(root / ".remem/main"):
        if name.startswith("entries.db"):
            (root / ".remem/main" / name).unlink()

    again = opened(start_empty=True)
    again.store(category="fact", content="A new one.")

    assert again.entry(id_).content == "The only copy."
    assert line in text(facts).splitlines()
    assert again.problems == []


def test_an_edit_that_cannot_be_stored_is_left_alone_and_announced(
    memory: Workspace, facts: Path
) -> None:
    memory.store(category="fact", content="One.")
    write(facts, text(facts).replace("- One.", "- " + "x" * 1_000_001 + "\n- One.", 1))

    memory.recall("one")

    assert "x" * 1_000_001 in text(facts)
    assert any("was not stored" in notice for notice in memory.status().health.notices)


def test_a_secret_written_by_hand_is_masked_in_store_and_file(
    memory: Workspace, facts: Path
) -> None:
    memory.store(category="fact", content="One.")
    write(facts, text(facts).replace("- One.", f"- The key is {SECRET}\n- One.", 1))

    memory.recall("key")

    assert SECRET not in text(facts)
    assert "The key is" in text(facts)


def test_an_entry_with_a_topic_tag_is_only_in_the_topics_file(
    opened: Opener, root: Path, facts: Path
) -> None:
    opened().sync()
    (root / ".remem/config.toml").write_text('topics = ["garden"]\n', encoding="utf-8")
    memory = opened()

    memory.store(category="fact", content="Roses need lime.", tags=["Garden"])

    assert "Roses" in text(root / "memory/domains/garden.md")
    assert not facts.exists()


def test_untrusted_memories_are_only_in_their_own_file(memory: Workspace, root: Path) -> None:
    memory.store(category="fact", content="![x](http://127.0.0.1/x)", trust="untrusted")

    folder = root / "memory/domains"
    assert [path.name for path in folder.iterdir()] == ["untrusted.md"]
    assert "```" in text(folder / "untrusted.md")


def test_a_large_domain_is_split_into_parts(memory: Workspace, root: Path) -> None:
    memory.store_many({"category": "fact", "content": f"Fact number {i}."} for i in range(450))

    folder = root / "memory/domains"
    assert sorted(path.name for path in folder.iterdir()) == [
        "facts-2.md",
        "facts-3.md",
        "facts.md",
    ]


def test_a_hand_made_change_to_the_index_is_kept_aside(memory: Workspace, root: Path) -> None:
    memory.store(category="fact", content="One.")
    write(root / "memory/INDEX.md", "my own words")
    memory.store(category="fact", content="Two.")

    kept = [text(path) for path in (root / ".remem/main/conflicts").iterdir()]
    assert kept == ["my own words"]


def test_crlf_and_stripped_spaces_are_not_an_edit(memory: Workspace, facts: Path) -> None:
    id_ = memory.store(category="fact", content="One line.  \nAnother line.").id
    lines = [line.rstrip() for line in text(facts).split("\n")]
    facts.write_bytes("\r\n".join(lines).encode())

    memory.recall("line")

    assert memory.entry(id_).version == 1


def test_an_open_reads_no_file_that_looks_as_we_left_it(
    opened: Opener, facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.store(category="fact", content="One.")
    memory.close()
    read: list[str] = []
    real = atomic.read
    monkeypatch.setattr(
        atomic, "read", lambda path, **k: (read.append(path.name), real(path, **k))[1]
    )

    opened().sync()

    assert "facts.md" not in read


def test_a_save_right_after_our_write_is_not_taken_for_ours(
    memory: Workspace, facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The known-bad version looks at the file after somebody else has saved it."""
    real = state.signature  # type: ignore[attr-defined]

    def saved_first(path: Path) -> Signature | None:
        write(facts, text(facts).replace("on atlas", "on titan"))
        return real(path)

    monkeypatch.setattr(state, "signature", saved_first)
    memory.store(category="fact", content="The gateway runs on atlas.")

    assert memory.recall("gateway").entries[0].content == "The gateway runs on titan."


def test_a_save_from_an_editor_that_was_open_archives_nothing_stored_since(
    memory: Workspace, facts: Path
) -> None:
    """The known-bad version takes whatever is missing from the save for removed."""
    first = memory.store(category="fact", content="The gateway runs on atlas.").id
    buffer = text(facts)
    since = [memory.store(category="fact", content=f"Fact number {i}.").id for i in range(3)]
    write(facts, buffer.replace("on atlas", "on titan"))

    memory.recall("fact")

    assert memory.entry(first).content == "The gateway runs on titan."
    assert not any(memory.entry(id_).archived for id_ in since)
    assert all(id_ in text(facts) for id_ in since)


def test_the_newest_bullet_removed_on_purpose_is_archived(memory: Workspace, facts: Path) -> None:
    memory.store(category="fact", content="One.")
    newest = memory.store(category="fact", content="Two.").id
    write(facts, "".join(line for line in text(facts).splitlines(True) if newest not in line))

    memory.recall("two")

    assert memory.entry(newest).archived
    assert any(newest in notice for notice in memory.status().health.notices)


def test_where_person_and_agent_reword_the_same_entry_both_wordings_stay(
    memory: Workspace, facts: Path
) -> None:
    id_ = memory.store(category="fact", content="The gateway runs on atlas.").id
    buffer = text(facts)
    memory.store(
        category="fact", content="The gateway runs on atlas. It moves in May.", priority="high"
    )
    write(facts, buffer.replace("on atlas", "on titan"))

    found = {entry.content for entry in memory.recall("where does the gateway run").entries}

    assert found == {"The gateway runs on atlas. It moves in May.", "The gateway runs on titan."}
    assert memory.entry(id_).priority == "high"


def test_an_edit_of_an_entry_that_was_superseded_meanwhile_is_kept(
    memory: Workspace, facts: Path
) -> None:
    old = memory.store(category="fact", content="The gateway runs on atlas.").id
    buffer = text(facts)
    memory.store(category="fact", content="The gateway is gone.", supersedes=[old])
    write(facts, buffer.replace("on atlas", "on titan"))

    found = {entry.content for entry in memory.recall("gateway").entries}

    assert found == {"The gateway is gone.", "The gateway runs on titan."}


def test_a_bullet_moved_between_the_parts_of_a_file_is_not_archived(
    memory: Workspace, facts: Path
) -> None:
    receipts = memory.store_many(
        {"category": "fact", "content": f"Fact number {i}."} for i in range(230)
    )
    last, second = receipts[-1].id, facts.with_name("facts-2.md")
    line = next(line for line in text(second).splitlines(True) if last in line)
    write(second, text(second).replace(line, ""))
    write(facts, text(facts).replace("- Fact number 0.", f"{line}- Fact number 0.", 1))

    memory.recall("fact number 229")

    assert not memory.entry(last).archived
    assert (text(facts) + text(second)).count(f"^{last}") == 1


def test_a_file_that_a_person_began_counts_from_its_first_bullet_to_its_last(
    memory: Workspace, root: Path
) -> None:
    people = root / "memory/domains/people.md"
    write(people, "- Ana lives in Porto.\n- Ben lives in Bern.\n")

    memory.recall("who lives where")

    found = {entry.content for entry in memory.recall("lives").entries}
    assert found == {"Ana lives in Porto.", "Ben lives in Bern."}


@pytest.mark.slow
def test_long_entries_fill_a_part_sooner(memory: Workspace, root: Path) -> None:
    memory.store_many(
        {"category": "fact", "content": f"Fact number {i}. " + "word " * 60_000} for i in range(9)
    )

    parts = [path.stat().st_size for path in (root / "memory/domains").iterdir()]
    assert len(parts) > 1
    assert max(parts) < 4_000_000


def test_broken_details_are_reported_once(memory: Workspace, facts: Path) -> None:
    memory.store(category="fact", content="One.", priority="high")
    for _ in range(2):
        write(facts, text(facts).replace('"priority": "high"', '"priority": "urgent"'))
        memory.recall("one")

    told = [notice for notice in memory.status().health.notices if "urgent" in notice]
    assert len(told) == 1
