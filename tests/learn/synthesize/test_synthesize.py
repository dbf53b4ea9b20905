"""Summaries list the active facts, are reproducible, and keep what a person wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed
from tests.conftest import Opener
from tests.learn.synthesize.knowledge import ANNA, FACTS, fact, write_facts


@pytest.fixture
def summary(root: Path) -> Path:
    write_facts(root, FACTS)
    return root / ANNA / "summary.md"


def told(path: Path) -> list[str]:
    """The lines that a reader sees."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line.partition(" ^")[0].rstrip() for line in text.split("\n") if line.strip()]


def test_a_summary_lists_the_active_facts_by_category(memory: Workspace, summary: Path) -> None:
    done = memory.maintenance.synthesize()

    assert [(page.path, page.changed, page.points) for page in done.pages] == [
        (f"{ANNA}/summary.md", True, 3)
    ]
    assert told(summary) == [
        "# anna berg",
        "3 active facts, the latest of 2026-05-03; earlier ones in the history: 1.",
        "## Status",
        "- Lives in Lisbon. (2026-05-03)",
        "## Decisions",
        "- Moves the studio to the harbour. (completed, 2026-04-01)",
        "## Preferences",
        "- Prefers tea without sugar. (2026-03-01)",
    ]
    assert "- Lives in Lisbon. (2026-05-03) ^anna-berg-002-" in summary.read_text()


def test_the_same_facts_give_the_same_bytes_and_write_nothing(
    memory: Workspace, summary: Path
) -> None:
    memory.maintenance.synthesize()
    before = summary.read_bytes()
    stamp = summary.stat().st_mtime_ns

    done = memory.maintenance.synthesize()

    assert not any(page.changed for page in done.pages)
    assert (summary.read_bytes(), summary.stat().st_mtime_ns) == (before, stamp)
    summary.unlink()
    memory.maintenance.synthesize()
    assert summary.read_bytes() == before


def test_the_order_of_facts_in_their_file_does_not_matter_to_groups_and_days(
    memory: Workspace, root: Path, summary: Path
) -> None:
    memory.maintenance.synthesize()
    before = told(summary)

    write_facts(root, FACTS[::-1])
    memory.maintenance.synthesize()

    assert told(summary) == before


def test_a_superseded_fact_leaves_the_summary_and_stays_in_the_record(
    memory: Workspace, root: Path, summary: Path
) -> None:
    memory.maintenance.synthesize()
    moved = FACTS[1] | {"status": "superseded", "supersededBy": "anna-berg-005"}
    write_facts(root, [FACTS[0], moved, *FACTS[2:], fact(5, "Lives in Faro.", "2026-09-01")])

    memory.maintenance.synthesize()

    assert "- Lives in Faro. (2026-09-01)" in told(summary)
    assert "Lisbon" not in summary.read_text()
    assert "Lisbon" in (root / ANNA / "items.json").read_text()


def test_a_line_added_by_hand_is_kept_and_proposed_as_a_fact_until_it_is_one(
    memory: Workspace, root: Path, summary: Path
) -> None:
    memory.maintenance.synthesize()
    text = summary.read_text()
    summary.write_text(text.replace("## Status\n", "## Status\n\n- Has a sister in Faro.\n"))

    page = memory.maintenance.synthesize().pages[0]

    assert page.rescued == ("- Has a sister in Faro.",)
    assert [(proposal.text, proposal.instead_of) for proposal in page.proposed] == [
        ("Has a sister in Faro.", None)
    ]
    assert page.proposed[0].command == "remem fact record 'anna berg' 'Has a sister in Faro.'"
    assert told(summary)[-2:] == ["## Kept by hand", "- Has a sister in Faro."]

    again = memory.maintenance.synthesize().pages[0]
    assert (again.changed, again.rescued, len(again.proposed)) == (False, (), 1)

    memory.facts.record("anna berg", "Has a sister in Faro.")
    assert memory.maintenance.synthesize().pages[0].proposed == ()


def test_an_edited_line_is_kept_and_proposed_as_a_successor(
    memory: Workspace, summary: Path
) -> None:
    memory.maintenance.synthesize()
    summary.write_text(summary.read_text().replace("Lives in Lisbon.", "Lives in Faro."))

    page = memory.maintenance.synthesize().pages[0]

    assert [(proposal.text, proposal.instead_of) for proposal in page.proposed] == [
        ("Lives in Faro.", "anna-berg-002")
    ]
    assert page.proposed[0].command == "remem fact supersede anna-berg-002 'Lives in Faro.'"
    assert "- Lives in Lisbon. (2026-05-03)" in told(summary)
    assert "- Lives in Faro. (2026-05-03)" in told(summary)


def test_a_line_removed_by_hand_is_restored_and_reported(memory: Workspace, summary: Path) -> None:
    memory.maintenance.synthesize()
    lines = summary.read_text().split("\n")
    summary.write_text("\n".join(line for line in lines if "tea" not in line))

    page = memory.maintenance.synthesize().pages[0]

    assert page.removed == ("anna-berg-003",)
    assert "- Prefers tea without sugar. (2026-03-01)" in told(summary)


def test_only_named_entities_are_summarised(memory: Workspace, root: Path) -> None:
    write_facts(root, FACTS)
    write_facts(root, [fact(1, "Listens on port 8080.", "2026-01-01")], "life/projects/relay")
    (root / "MEMORY.md").write_text("# M\n\n## Rules\n\n- Never push on Fridays.\n")

    done = memory.maintenance.synthesize(["Anna Berg"])

    assert [page.path for page in done.pages] == [f"{ANNA}/summary.md"]
    with pytest.raises(InvalidInput, match="no entity is called 'Nobody'"):
        memory.maintenance.synthesize(["Nobody"])


def test_a_named_fact_file_has_its_summary_in_the_same_folder(
    memory: Workspace, root: Path
) -> None:
    (root / "life/projects").mkdir(parents=True)
    (root / "life/projects/relay-facts.json").write_text(
        '{"_metadata": {}, "facts": [{"id": "r-1", "fact": "Listens on port 8080."}]}'
    )

    memory.maintenance.synthesize()

    assert "- Listens on port 8080." in told(root / "life/projects/relay-summary.md")


def test_broken_json_is_reported_and_affects_no_other_page(
    memory: Workspace, root: Path, summary: Path
) -> None:
    write_facts(root, [], "brain/areas/broken")
    (root / "brain/areas/broken/items.json").write_text('[{"id": "b-1", "fact": "cut')

    done = memory.maintenance.synthesize()

    assert summary.exists()
    assert any("brain/areas/broken/items.json" in problem for problem in done.problems)


def test_an_unreadable_summary_is_left_alone_and_reported(
    memory: Workspace, root: Path, summary: Path
) -> None:
    write_facts(root, [fact(1, "Listens on port 8080.", "2026-01-01")], "brain/areas/relay")
    summary.write_bytes(b"\xff\xfe not text")

    done = {page.path: page for page in memory.maintenance.synthesize().pages}

    assert "UTF-8" in (done[f"{ANNA}/summary.md"].problem or "")
    assert summary.read_bytes() == b"\xff\xfe not text"
    assert done["brain/areas/relay/summary.md"].changed


def test_a_linked_summary_is_not_followed(memory: Workspace, root: Path, summary: Path) -> None:
    outside = root.parent / "outside.md"
    outside.write_text("not yours\n")
    summary.symlink_to(outside)

    assert "symbolic link" in (memory.maintenance.synthesize().pages[0].problem or "")
    assert outside.read_text() == "not yours\n"


def test_a_summary_written_by_somebody_else_keeps_its_words(
    memory: Workspace, summary: Path
) -> None:
    summary.write_text("# Anna Berg\n\nMet her in 2019.\n\n- Lives in Lisbon.\n- Sings.\n")

    memory.maintenance.synthesize()

    assert told(summary)[0] == "# Anna Berg"
    assert told(summary)[-2:] == ["Met her in 2019.", "- Sings."]
    assert told(summary).count("- Lives in Lisbon.") == 0


def test_secrets_in_a_fact_do_not_reach_its_summary(memory: Workspace, root: Path) -> None:
    from tests.conftest import SECRET

    write_facts(root, [fact(1, f"The key is {SECRET} for now.", "2026-01-01")])

    memory.maintenance.synthesize()

    assert SECRET not in (root / ANNA / "summary.md").read_text()


def test_other_sessions_are_refused_alike_whatever_there_is(opened: Opener, root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')
    garden = opened("agent:main:telegram:group:-100")
    with pytest.raises(NotAllowed) as empty:
        garden.maintenance.synthesize()
    write_facts(root, FACTS)
    with pytest.raises(NotAllowed) as full:
        garden.maintenance.synthesize(["anna berg"])

    assert str(empty.value) == str(full.value)


def test_pages_are_made_without_a_writable_store(opened: Opener, root: Path) -> None:
    opened().sync()
    write_facts(root, FACTS)
    (root / ".remem/main/entries.db").write_bytes(b"this is no database" * 500)

    done = opened().maintenance.synthesize()

    assert done.pages[0].changed


def test_a_superseded_fact_leaves_its_summary_at_once(memory: Workspace, summary: Path) -> None:
    memory.facts.supersede("anna-berg-003", "Prefers coffee.")
    assert not summary.exists()
    memory.maintenance.synthesize()

    memory.facts.supersede("anna-berg-002", "Lives in Faro.")

    assert any(line.startswith("- Lives in Faro.") for line in told(summary))
    assert "Lisbon" not in summary.read_text(encoding="utf-8")
    assert all("superseded" in hit.snippet for hit in memory.search("Lisbon").results)
    before = summary.read_bytes()
    assert not any(page.changed for page in memory.maintenance.synthesize().pages)
    assert summary.read_bytes() == before


def test_a_page_stays_while_some_facts_cannot_be_read(
    memory: Workspace, root: Path, summary: Path
) -> None:
    memory.maintenance.synthesize()
    before = summary.read_bytes()
    whole = (root / ANNA / "items.json").read_text(encoding="utf-8")
    (root / ANNA / "items.json").write_text(whole[: whole.index("tea without")], encoding="utf-8")
    write_facts(root, [fact(1, "Sails.", "2026-05-01")], "brain/areas/bea")

    done = memory.maintenance.synthesize()

    assert summary.read_bytes() == before
    assert [page.path for page in done.pages] == ["brain/areas/bea/summary.md"]
    assert any("summary.md: not updated" in problem for problem in done.problems)


def test_no_page_is_made_while_the_names_cannot_be_read(
    memory: Workspace, root: Path, summary: Path
) -> None:
    memory.maintenance.synthesize()
    before = summary.read_bytes()
    (root / "brain/entities.json").write_text("{", encoding="utf-8")

    done = memory.maintenance.synthesize()

    assert done.pages == ()
    assert any("brain/entities.json" in problem for problem in done.problems)
    assert summary.read_bytes() == before


def test_the_page_of_a_merged_entity_points_to_the_other(
    memory: Workspace, root: Path, summary: Path
) -> None:
    write_facts(root, [fact(9, "Likes coffee.", "2026-05-01")], "brain/areas/annie")
    write_facts(root, [fact(8, "Sails.", "2026-05-01")], "brain/areas/ann")
    memory.maintenance.synthesize(["annie"])
    page = root / "brain/areas/annie/summary.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nMy own line.\n", encoding="utf-8")
    before = page.read_bytes()
    memory.facts.merge("annie", "anna-berg")
    memory.facts.merge("ann", "anna-berg")

    memory.maintenance.synthesize()

    assert told(page) == [
        "# annie",
        f"The same as anna berg: see {ANNA}/summary.md.",
        "My own line.",
    ]
    assert "- Likes coffee. (2026-05-01)" in told(summary)
    assert not (root / "brain/areas/ann/summary.md").exists()
    memory.facts.unmerge("annie")
    memory.maintenance.synthesize()
    assert page.read_bytes() == before
