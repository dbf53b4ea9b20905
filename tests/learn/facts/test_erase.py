"""An erased fact leaves its id and its place in the history, and no byte of its text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, InvalidInput, NotAllowed, UnknownEntry
from remem.files.edit_journal import EditJournal, FileChange
from remem.files.fact_history import seen_facts
from remem.files.layout import Layout
from remem.learn.facts import erase
from remem.learn.facts.writer import FactWriter
from remem.model.entry import Origin
from remem.model.scope import MAIN
from remem.ops.backup import back_up
from remem.ops.doctor import examine_workspace
from remem.ops.layers import LayerCheck
from remem.ops.restore import restore
from tests.conftest import NOW, Opener
from tests.entries.traces import traces

FIRST = "Mara keeps a zanzibarian quetzal in Yucatan."
SAID = "Mara keeps a zanzibarian quetzal behind the observatory."
OTHER = "Mara plays the cello."
ME = ("-c", "user.name=M", "-c", "user.email=m@example.org")
ITEMS = "brain/areas/mara/items.json"


def items(root: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((root / ITEMS).read_text())
    return found


@pytest.fixture
def full(memory: Workspace, root: Path) -> Workspace:
    """A memory with one fact, mara-002, that has left traces everywhere."""
    memory.facts.record("Mara", OTHER, category="preference", kind="person")
    memory.facts.record("Mara", FIRST)
    memory.services.layers.record_facts()
    path = root / ITEMS
    path.write_text(path.read_text().replace(FIRST, SAID))  # by hand, as one should not
    memory.maintenance.synthesize()
    memory.search("where is the quetzal?")
    memory.recall("where is the quetzal?")
    memory.refresh(with_vectors=True)
    memory.services.layers.record_facts()
    conflicts = root / ".remem/main/conflicts"
    conflicts.mkdir(exist_ok=True)
    (conflicts / "items.json.0123").write_text(path.read_text())
    (root / "brain/areas/mara/.items.json.0123456789abcdef.remem-new").write_text(
        path.read_text()
    )  # a kill
    (conflicts / "summary.md.0123").write_text(f"# Mara\n\n- mine\n- {SAID} (2026-11-15)\n")
    journal = EditJournal(Layout(root), MAIN, "graduate")
    (root / "MEMORY.md").write_text("# Kept\n")
    after = f"# Kept\n\n- {SAID}\n- One more.\n".encode()
    journal.apply(FileChange("MEMORY.md", "2 lines graduated", b"# Kept\n", after))
    (root / "MEMORY.md").write_text("# Kept\n\n- One more.\n")
    return memory


def test_no_byte_of_an_erased_fact_is_left_in_any_file(full: Workspace, root: Path) -> None:
    met = {line.split()[0].split("-wal")[0] for line in traces(root).splitlines()}
    assert {ITEMS, "brain/areas/mara/summary.md", ".remem/main/passages.db"} <= met
    assert {".remem/main/facts-seen.jsonl", ".remem/main/graduate/000001.after"} <= met

    done = full.erase("mara-002")

    assert done.erased
    assert (done.also_in, done.also_as, done.together) == ((), (), ())
    assert traces(root) == ""
    full.close()
    assert traces(root) == ""


def test_a_search_that_is_not_scrubbed_would_be_caught(
    full: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(full.services.passages), "scrub", lambda _self: None)

    full.erase("mara-002")

    assert ".remem/main/passages.db" in traces(root)


def test_the_tombstone_has_the_id_and_time_and_other_bytes_stay(
    full: Workspace, root: Path
) -> None:
    before = (root / ITEMS).read_text()
    old, new = json.loads(before)

    full.erase("mara-002")

    stone = items(root)[1]
    assert stone["id"] == "mara-002"
    assert (stone["fact"], stone["status"], stone["erased"]) == ("", "erased", NOW)
    assert set(stone) <= {*new, "erased", "wordings"} - {"origin"}
    assert items(root)[0] == old
    cut = before.index("{", before.index("}"))
    assert (root / ITEMS).read_text()[:cut] == before[:cut]
    assert [item["fact"] for item in items(root) if item["status"] == "active"] == [OTHER]


def test_an_erased_fact_is_listed_nowhere(full: Workspace, root: Path) -> None:
    full.erase("mara-002")

    assert [fact.fact for fact in full.facts.active("Mara").facts or ()] == [OTHER]
    assert [fact.fact for fact in full.facts.history("Mara").facts or ()] == [OTHER]
    with pytest.raises(InvalidInput, match="the owner erased the fact 'mara-002'"):
        full.facts.active(id_="mara-002")
    assert [entry.content for entry in full.recall("Mara").entries] == [OTHER]
    page = (root / "brain/areas/mara/summary.md").read_text()
    assert OTHER in page
    assert "## Status" not in page
    assert "Kept by hand" not in page


def test_the_history_continues_past_an_erased_fact(
    memory: Workspace,
) -> None:
    memory.facts.record("Mara", "Mara lives in Oslo.", timestamp="2026-01-01")
    memory.facts.supersede("mara-001", SAID, timestamp="2026-03-01")
    memory.facts.supersede("mara-002", "Mara lives in Rome.", timestamp="2026-05-01")

    memory.erase("mara-002")

    for id_ in ("mara-001", "mara-003"):
        told = memory.facts.history(id_=id_).facts or ()
        assert [fact.id for fact in told] == ["mara-001", "mara-003"]
    assert [fact.id for fact in memory.facts.active(as_of="2026-02-01").facts or ()] == ["mara-001"]
    assert memory.facts.active(as_of="2026-04-01").facts == ()
    then = memory.recall("where does Mara live?", as_of="2026-02-01").entries
    assert [fact.id for fact in then] == ["mara-001"]


def test_the_id_of_an_erased_fact_is_not_reused(full: Workspace) -> None:
    full.erase("mara-002")

    new = full.facts.record("Mara", "Mara likes tea.")

    assert [fact.id for fact in new.facts or ()] == ["mara-003"]


def test_an_erased_statement_cannot_be_recorded_again(full: Workspace, root: Path) -> None:
    full.erase("mara-002")

    for entity in ("Mara", "Nils"):
        with pytest.raises(InvalidInput, match="the owner has erased this text"):
            full.facts.record(entity, SAID.upper())
    with pytest.raises(InvalidInput, match="the owner has erased this text"):
        full.facts.supersede("mara-001", FIRST)
    flushed = full.flush(items=[{"kind": "fact", "text": SAID}])
    assert [lesson.home for lesson in flushed.known] == [ITEMS]
    assert not full.store(category="fact", content=SAID, origin=Origin("notes.md", 3)).stored
    line = json.dumps({"category": "person", "content": SAID}).encode()
    assert full.import_lines(lambda: [line]).erased == 1
    full.close()
    assert traces(root) == ""


def test_the_text_of_an_erased_entry_cannot_become_a_fact(memory: Workspace, root: Path) -> None:
    memory.facts.record("Mara", OTHER)
    memory.erase(memory.store(category="fact", content=SAID).id)

    with pytest.raises(InvalidInput, match="the owner has erased this text"):
        memory.facts.record("Mara", SAID)
    memory.flush(items=[{"kind": "fact", "text": SAID}])

    assert traces(root) == ""


def test_the_doctor_does_not_restore_an_erased_fact(full: Workspace, root: Path) -> None:
    full.erase("mara-002")
    full.close()

    found = examine_workspace(Layout(root), repair=False).findings
    assert [finding for finding in found if finding.part == "facts"] == []
    assert [fact.fact for fact in seen_facts(Layout(root))] == [OTHER]
    list(LayerCheck(Layout(root)).repairs())
    assert traces(root) == ""


def test_commits_that_still_contain_the_text_are_reported(memory: Workspace, root: Path) -> None:
    memory.facts.record("Mara", SAID)
    for words in (["init", "-q"], ["add", ITEMS], [*ME, "commit", "-qm", "facts"]):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)

    assert memory.erase("mara-001").also_in == (".git",)

    memory.close()
    list(LayerCheck(Layout(root)).repairs())
    assert [item["status"] for item in items(root)] == ["erased"]


def test_notes_with_the_erased_text_do_not_restore_it(full: Workspace, root: Path) -> None:
    rule = "Always feed the zanzibarian quetzal at nine."
    full.facts.record("Mara", rule, category="preference")
    for day in ("2026-11-12", "2026-11-13", "2026-11-14"):
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n- {rule}\n- {SAID}\n")
    assert rule in [proposal.text for proposal in full.graduation.propose().proposals]

    full.erase("mara-003")
    full.erase("mara-002")
    full.maintenance.heartbeat()

    assert [item["status"] for item in items(root)] == ["active", "erased", "erased"]
    assert full.graduation.propose().proposals == ()
    told = full.recall("quetzal", include_archived=True).entries
    assert {entry.category for entry in told} == {"passage"}  # the notes are the owner's
    assert not any("quetzal" in line for line in full.export())


def test_a_restored_backup_does_not_restore_an_erased_fact(
    full: Workspace, root: Path, tmp_path: Path
) -> None:
    back_up(Layout(root), tmp_path / "kept.tar.gz")
    full.erase("mara-002")
    full.close()

    done = restore(Layout(root), tmp_path / "kept.tar.gz", force=True)

    assert done.erased == ("mara-002",)
    assert [item["status"] for item in items(root)] == ["active", "erased"]
    assert SAID not in (root / "brain/areas/mara/summary.md").read_text()


def test_other_changes_can_still_be_undone_after_an_erasure(full: Workspace, root: Path) -> None:
    full.erase("mara-002")

    EditJournal(Layout(root), MAIN, "graduate").undo()

    assert (root / "MEMORY.md").read_text() == "# Kept\n"


def test_the_owners_own_texts_are_reported_and_left_alone(full: Workspace, root: Path) -> None:
    note = root / "memory/2026-11-14.md"
    note.write_text(f"# Saturday\n\n- {SAID}\n")
    waiting = root / "memory/flush-state.json"
    waiting.write_text(json.dumps({"pending_items": [SAID]}))
    page = root / "brain/areas/mara/summary.md"
    page.write_text(page.read_text() + f"\nI remember: {SAID}\n")

    done = full.erase("mara-002")

    assert set(done.also_in) == {
        "memory/2026-11-14.md",
        "memory/flush-state.json",
        "brain/areas/mara/summary.md",
    }
    assert SAID in note.read_text()
    assert f"I remember: {SAID}" in page.read_text()


def test_another_entry_with_the_same_text_is_reported_and_kept(full: Workspace, root: Path) -> None:
    entry = full.store(category="person", content=SAID)
    path = root / "memory/domains/people.md"

    done = full.erase("mara-002")

    assert done.also_as == (entry.id,)
    assert full.entry(entry.id).content == SAID
    path.write_text(path.read_text() + "\n- Nils paints.\n")
    full.recall("what does Nils do?")  # takes the edit in
    assert not full.entry(entry.id).archived
    full.erase(entry.id)
    assert traces(root) == ""


def test_the_entry_that_became_the_fact_is_erased_with_it(opened: Opener, root: Path) -> None:
    memory = opened()
    waiting = memory.facts.record("Mara", SAID, trust="untrusted").waiting or ""
    memory.confirm(waiting)

    done = memory.erase("mara-001")

    assert done.together == (waiting,)
    assert traces(root) == ""


def test_erasing_an_entry_in_review_leaves_no_trace(memory: Workspace, root: Path) -> None:
    waiting = memory.facts.record("Mara", SAID, trust="untrusted").waiting or ""

    memory.erase(waiting)

    assert traces(root) == ""


def test_the_text_of_an_erased_entry_leaves_the_undo_journal(full: Workspace, root: Path) -> None:
    id_ = full.store(category="person", content=SAID).id

    done = full.erase(id_)

    assert ".remem/main/graduate" not in traces(root)
    assert set(done.also_in) >= {ITEMS, "brain/areas/mara/summary.md"}


@pytest.mark.parametrize(
    "step",
    ["change", "forget_facts", "clean_entry_copies", "clean_other_copies", "remaining_copies"],
)
def test_an_interrupted_erasure_is_finished_later(
    full: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FactWriter if step == "change" else erase, step, die)
        with pytest.raises(KeyboardInterrupt):
            full.erase("mara-002")

    done = full.erase("mara-002")

    assert done.erased == (step == "change")
    assert [item["status"] for item in items(root)] == ["active", "erased"]
    assert traces(root) == ""
    assert not full.erase("mara-002").erased


def test_an_ambiguous_id_needs_the_entity(memory: Workspace, root: Path) -> None:
    for name in ("mara", "nils"):
        path = root / f"brain/areas/{name}/items.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps([{"id": "fact-1", "fact": f"{name} has a quetzal."}]))

    with pytest.raises(InvalidInput, match="several facts have the id") as error:
        memory.erase("fact-1")
    assert "mara, nils" in (error.value.hint or "")
    memory.erase("fact-1", entity="mara")

    assert [fact.entity for fact in memory.facts.active().facts or ()] == ["nils"]
    assert memory.services.erasure.texts_to_erase("fact-1", entity="nils") == [
        "nils has a quetzal."
    ]


def test_a_broken_file_is_refused_and_kept(memory: Workspace, root: Path) -> None:
    path = root / ITEMS
    path.parent.mkdir(parents=True)
    path.write_text('[{"id": "mara-001", "fact": "Mara sings."}, {"id": ')

    with pytest.raises(FileError, match="cannot be written: the JSON is broken"):
        memory.erase("mara-001")

    assert "Mara sings." in path.read_text()


def test_facts_are_erased_by_the_owner_in_main_alone(
    memory: Workspace, opened: Opener, root: Path
) -> None:
    memory.facts.record("Mara", SAID)
    names = root / "memory/group_names.json"
    names.write_text(json.dumps({"telegram:-1001": "garden"}))
    group = opened("agent:main:telegram:group:-1001")

    with pytest.raises(NotAllowed, match="only the owner"):
        opened(trust="agent").erase("mara-001")
    for id_ in ("mara-001", "mara-009"):
        with pytest.raises(NotAllowed, match=r"^facts belong to main"):
            group.erase(id_, entity="Mara")
        with pytest.raises(UnknownEntry, match=r"^no entry or fact has the id"):
            group.erase(id_)
    with pytest.raises(UnknownEntry):
        memory.erase("mara-009")
