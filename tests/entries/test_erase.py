"""What the owner erases is gone from every byte that remem keeps, and never comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import NotAllowed, UnknownEntry
from remem.model.entry import Origin
from remem.ports.models import Embedding
from tests.conftest import Opener
from tests.entries.traces import traces

SECRET = "The zanzibarian quetzal nests behind the observatory."


@pytest.fixture
def full(memory: Workspace) -> tuple[Workspace, str]:
    """A memory with one entry that has left traces everywhere."""
    memory.store_many({"category": "fact", "content": f"Parcel {i} waits."} for i in range(50))
    id_ = memory.store(
        category="fact", content="The zanzibarian quetzal nests in Yucatan.", priority="critical"
    ).id
    path = facts(memory)
    path.write_text(path.read_text().replace("The zanzibarian quetzal nests in Yucatan.", SECRET))
    memory.recall("where does the quetzal nest?")  # takes the edit in, makes the vector
    memory.recall(id_)
    memory.maintenance.embed_pending()
    memory.store(category="fact", content="Beside it.", related_to=[id_])
    memory.graph.query()
    conflicts = memory.services.context.layout.conflicts(memory.scope)
    conflicts.mkdir(exist_ok=True)
    (conflicts / "facts.md.0123").write_text(f"- mine <!-- {{}} -->\n- {SECRET} ^{id_}\n")
    return memory, id_


def facts(memory: Workspace) -> Path:
    return memory.services.context.layout.domains(memory.scope) / "facts.md"


def test_no_byte_of_an_erased_memory_is_left_in_any_file(
    full: tuple[Workspace, str], root: Path
) -> None:
    memory, id_ = full
    assert len(memory.history(id_)) == 2
    assert {"entries.db", "passages.db", "facts.md", "INDEX.md"} <= {
        line.split()[0].split("-wal")[0].rpartition("/")[2] for line in traces(root).splitlines()
    }

    done = memory.erase(id_)

    assert done.erased
    assert done.also_in == ()
    assert traces(root) == ""
    assert "mine" in (root / ".remem/main/conflicts").glob("facts.md*").__next__().read_text()
    with pytest.raises(UnknownEntry):
        memory.entry(id_)
    assert memory.recall("where does the quetzal nest?", include_archived=True).entries == ()
    assert len(memory.recall("parcel 7").entries) > 0
    memory.close()
    assert traces(root) == ""


def test_a_deletion_that_does_not_scrub_would_be_caught(
    full: tuple[Workspace, str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, id_ = full
    monkeypatch.setattr(type(memory.services.store), "scrub", lambda _self: None)

    memory.erase(id_)

    assert "entries.db" in traces(root)


def test_links_to_an_erased_memory_are_cut(full: tuple[Workspace, str]) -> None:
    memory, id_ = full

    memory.erase(id_)

    lines = [json.loads(line) for line in memory.export()]
    assert not any(id_ in line["entry"]["related_to"] for line in lines)


def test_erasing_again_finishes_what_was_cut_short(full: tuple[Workspace, str]) -> None:
    memory, id_ = full
    memory.erase(id_)

    assert not memory.erase(id_).erased
    with pytest.raises(UnknownEntry):
        memory.erase("mem-00000000")


def test_a_line_of_an_export_does_not_bring_it_back(full: tuple[Workspace, str]) -> None:
    memory, id_ = full
    lines = [line.encode() for line in memory.export()]
    plain = json.dumps({"category": "insight", "content": SECRET.upper()}).encode()
    memory.erase(id_)

    done = memory.import_lines(lambda: [*lines, plain])

    assert done.erased == 2
    assert memory.recall("quetzal").entries == ()


def test_a_file_saved_from_an_old_buffer_does_not_bring_it_back(
    full: tuple[Workspace, str],
) -> None:
    memory, id_ = full
    old = facts(memory).read_text()
    memory.erase(id_)
    facts(memory).write_text(old.replace("- Parcel 7 waits.", "- Parcel 7 was fetched."))

    found = memory.recall("parcel 7 fetched")

    assert SECRET not in facts(memory).read_text()
    assert memory.recall("quetzal", include_archived=True).entries == ()
    assert found.entries[0].content == "Parcel 7 was fetched."
    assert "Parcel 9 waits." in facts(memory).read_text()
    facts(memory).write_text(facts(memory).read_text().replace("# Facts", f"# Facts\n\n- {SECRET}"))
    memory.recall("anything")
    assert SECRET not in facts(memory).read_text()


def test_a_vector_that_was_under_way_finds_nothing_to_belong_to(
    full: tuple[Workspace, str],
) -> None:
    memory, id_ = full
    embedder = memory.services.resources.models.embedders[0]
    with memory.services.store.read() as snapshot:
        kept = snapshot.find([id_])[id_]
    vector: Embedding = embedder.embed([SECRET])[0]
    memory.erase(id_)

    late = [(id_, kept.version, vector)]
    memory.services.store.write(lambda tx: tx.save_vectors(embedder.identity, late))

    with memory.services.store.read() as snapshot:
        assert snapshot.vectors_of(embedder.identity, [id_]) == {}


def test_the_same_words_are_not_stored_again_and_the_answer_says_why(
    full: tuple[Workspace, str],
) -> None:
    memory, id_ = full
    memory.erase(id_)

    receipt = memory.store(category="fact", content=SECRET, origin=Origin("notes.md", 3))

    assert not receipt.stored
    assert receipt.reason is not None
    assert "erased" in receipt.reason
    assert memory.store(category="fact", content="The quetzal is a bird.").stored


def test_a_lost_database_whose_files_are_old_does_not_bring_it_back_where_it_knows(
    full: tuple[Workspace, str], opened: Opener
) -> None:
    memory, id_ = full
    old = facts(memory).read_text()
    memory.erase(id_)
    memory.close()
    facts(memory).write_text(old)

    again = opened()
    again.maintenance.restore_from_files()

    assert again.recall("quetzal", include_archived=True).entries == ()


def test_erased_text_in_the_owners_files_is_reported_and_left(
    full: tuple[Workspace, str], root: Path
) -> None:
    memory, id_ = full
    (root / "MEMORY.md").write_text(f"# Birds\n\n- {SECRET}\n")

    assert memory.erase(id_).also_in == ("MEMORY.md",)
    assert SECRET in (root / "MEMORY.md").read_text()


def test_only_the_owner_erases(opened: Opener) -> None:
    memory = opened(trust="agent")
    id_ = memory.store(category="fact", content="One.").id

    with pytest.raises(NotAllowed, match="only the owner"):
        memory.erase(id_)


def test_forgetting_archives_and_is_safe_to_repeat(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="The gate opens at nine.").id

    first, second = memory.forget(id_), memory.forget(id_)

    assert first.archived
    assert first == second
    assert memory.recall("gate").entries == ()
    assert memory.entry(id_).content == "The gate opens at nine."
    assert "The gate" not in facts(memory).read_text()
    assert memory.history(id_)[-1].change == "forgotten"
    with pytest.raises(UnknownEntry, match="mem-00000000"):
        memory.forget("mem-00000000")
