"""Domain files of the old form are converted by their next write, and can be had back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from remem.app.workspace import Workspace
from remem.errors import StoreTooNew
from remem.files.domain_file.details import OPENING
from remem.model.entry import Entry
from remem.store.sqlite import schema
from tests.conftest import Opener

TABLE = "Hours\n\n| day | open |\n|---|---|\n| Mon | 9-17 |"
ODD = "ends in ^mem-aaaaaaaa "


@pytest.fixture
def facts(root: Path) -> Path:
    return root / "memory/domains/facts.md"


@pytest.fixture
def old(opened: Opener, root: Path) -> list[Entry]:
    """A workspace that an earlier version left behind; returns its entries."""
    memory = opened()
    ids = [
        memory.store(category="fact", content="The host is zeus.", tags=["ops"]).id,
        memory.store(category="fact", content=TABLE, priority="high", context="from the door").id,
        memory.store(category="fact", content=ODD, expires="2030-01-01").id,
        memory.store(category="person", content="Mara keeps the books.").id,
        memory.store(category="fact", content="A page says: obey", trust="untrusted").id,
    ]
    memory.maintenance.rebuild(form="old")
    entries = [memory.entry(id_) for id_ in ids]
    memory.close()
    database = apsw.Connection(str(root / ".remem/main/entries.db"))
    database.execute("DELETE FROM records WHERE namespace = 'form of files'")
    database.execute(f"PRAGMA user_version={schema.SCHEMA - 1}")
    database.close()
    return entries


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    assert old in text(path)
    path.write_text(text(path).replace(old, new, 1), encoding="utf-8")


def entries(memory: Workspace, known: list[Entry]) -> list[Entry]:
    return [memory.entry(entry.id) for entry in known]


def is_old(path: Path) -> bool:
    return " <!-- {" in text(path)


def test_a_file_is_converted_by_its_next_write_and_nothing_changes_in_it(
    opened: Opener, old: list[Entry], root: Path, facts: Path
) -> None:
    memory = opened()
    memory.recall("anything")
    assert is_old(facts)

    memory.store(category="fact", content="The new host is hera.")

    assert not is_old(facts)
    assert text(facts).count(OPENING) == 1
    assert is_old(root / "memory/domains/people.md")
    assert entries(memory, old) == old
    assert [entry.version for entry in entries(memory, old)] == [1] * len(old)


def test_an_edit_made_in_the_old_form_survives_the_conversion(
    opened: Opener, old: list[Entry], facts: Path
) -> None:
    edit(facts, "is zeus.", "is hera.")
    edit(facts, '"priority":"high"', '"priority":"low"')
    edit(facts, "# Facts\n", "# My facts\n\nA remark.\n\n- The wifi is called birch.\n")

    memory = opened()
    memory.recall("host")

    assert not is_old(facts)
    host, table, *rest = entries(memory, old)
    assert (host.content, host.tags) == ("The host is hera.", ("ops",))
    assert (table.content, table.priority, table.context) == (TABLE, "low", "from the door")
    assert rest == old[2:]
    assert text(facts).startswith("# My facts\n\nA remark.\n\n- The wifi is called birch. ^mem-")


def test_the_comment_at_the_head_of_old_files_is_dropped(
    opened: Opener, old: list[Entry], root: Path, facts: Path
) -> None:
    about = "<!-- remem: edit freely. A changed bullet … Leave the last line. -->"
    mine = "<!-- remem: a remark of mine -->"
    edit(facts, "# Facts\n\n", f"# Facts\n\n{about}\n\n{mine}\n\n")

    memory = opened()
    memory.store(category="fact", content="The new host is hera.")

    assert text(facts).startswith(f"# Facts\n\n{mine}\n\n- The host is zeus. ^mem-")
    assert entries(memory, old) == old


def test_the_old_form_can_be_had_back_and_stays(
    opened: Opener, old: list[Entry], root: Path, facts: Path
) -> None:
    before = {path.name: text(path) for path in facts.parent.iterdir()}
    memory = opened()
    memory.maintenance.rebuild(form="new")
    assert not any(is_old(path) for path in facts.parent.iterdir())

    memory.maintenance.rebuild(form="old")

    assert {path.name: text(path) for path in facts.parent.iterdir()} == before
    memory.store(category="fact", content="The new host is hera.")
    memory.maintenance.rebuild()
    assert all(is_old(path) for path in facts.parent.iterdir())
    assert entries(memory, old) == old


def test_entries_are_restored_from_files_of_either_form(
    opened: Opener, old: list[Entry], root: Path, facts: Path
) -> None:
    memory = opened()
    memory.store(category="fact", content="The new host is hera.")
    assert is_old(root / "memory/domains/people.md")
    assert not is_old(facts)
    memory.close()
    shutil.rmtree(root / ".remem/main")

    again = opened(start_empty=True)
    report = again.maintenance.restore_from_files()

    assert report.entries == len(old) + 1
    assert report.lowered == 0
    assert entries(again, old) == old


def test_a_workspace_that_a_newer_version_wrote_is_refused(
    old: list[Entry], root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().close()
    known = schema.MIGRATIONS[:-1]
    monkeypatch.setattr(schema, "MIGRATIONS", known)

    with pytest.raises(StoreTooNew, match=f"supports schemas up to {len(known)}"):
        opened().store(category="fact", content="x")


def test_a_bullet_that_was_moved_before_the_database_was_lost_keeps_its_metadata(
    opened: Opener, root: Path, facts: Path
) -> None:
    memory = opened()
    memory.store(category="person", content="Pip is a beagle.")
    id_ = memory.store(category="fact", content="Mara rows.", tags=["boats"], context="seen").id
    memory.close()
    edit(facts, f"- Mara rows. ^{id_}\n", "")
    edit(root / "memory/domains/people.md", "- Pip", f"- Mara rows. ^{id_}\n- Pip")
    shutil.rmtree(root / ".remem/main")

    again = opened(start_empty=True)
    again.maintenance.restore_from_files()

    mara = again.entry(id_)
    assert (mara.category, mara.tags, mara.context) == ("person", ("boats",), "seen")


def _without_details(text: str) -> str:
    return text[: text.index(OPENING)]


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def _reversed(text: str) -> str:
    head, _, details = text.partition(OPENING)
    title, _, bullets = head.partition("\n\n")
    items = re.split(r"(?m)^(?=- )", bullets)
    return f"{title}\n\n{''.join(reversed(items))}\n{OPENING}{details}"


def _stars(text: str) -> str:
    return re.sub(r"(?m)^- ", "* ", text)


def _indented(text: str) -> str:
    return re.sub(r"(?m)^- ", "   - ", text)


def _spaced(text: str) -> str:
    return re.sub(r"(?m)^(?=- )", "\n", text)


def _sorted_details(text: str) -> str:
    head, _, details = text.partition(OPENING)
    *records, end = details.strip().split("\n")
    return "\n".join([f"{head}{OPENING}", *reversed(records), end, ""])


@pytest.mark.parametrize(
    "save", [_without_details, _crlf, _reversed, _stars, _indented, _spaced, _sorted_details]
)
def test_a_save_that_changes_no_words_changes_no_entry(
    opened: Opener, old: list[Entry], facts: Path, save: Callable[[str], str]
) -> None:
    memory = opened()
    memory.maintenance.rebuild(form="new")
    facts.write_bytes(save(text(facts)).encode())

    memory.recall("host")

    assert entries(memory, old) == old
    assert memory.store(category="fact", content="The new host is hera.").stored
    assert entries(memory, old) == old
    assert facts.read_bytes().decode().count(OPENING) == 1
    again = facts.read_bytes()
    memory.recall("host")
    assert facts.read_bytes() == again


def test_a_conflict_copy_of_a_sync_program_loses_and_doubles_nothing(
    opened: Opener, old: list[Entry], facts: Path
) -> None:
    memory = opened()
    memory.maintenance.rebuild(form="new")
    theirs = text(facts).replace("is zeus.", "is apollo.").replace("# Facts\n", "# Facts\n\n- New.")
    facts.with_name("facts.sync-conflict-20261118-101500-ABCDEFG.md").write_text(theirs)

    memory.recall("host")

    contents = [entry.content for entry in memory.recall("host new").entries]
    assert sum("host is" in content for content in contents) >= 1
    assert any("apollo" in content for content in contents)
    assert memory.history(old[0].id)[0].entry.content == "The host is zeus."
    assert entries(memory, old)[1:] == old[1:]


def test_a_file_with_one_line_of_details_per_entry_is_converted_and_gets_headings(
    opened: Opener, root: Path, facts: Path
) -> None:
    """As version 12 of the database wrote it."""
    memory = opened()
    kept = [
        memory.store(category="fact", content=f"Name: {name}", context=f"MEMORY.md › {heading}")
        for name, heading in (("Milo", "Agent"), ("Mara", "Owner"), ("Pip", "Agent"))
    ]
    known = [memory.entry(one.id) for one in kept]
    memory.close()
    bullets = "".join(f"- {entry.content} ^{entry.id}\n" for entry in known)
    records = "".join(
        f'{entry.id} {{"context": "{entry.context}", "created": "{entry.created_at}", '
        f'"trust": "{entry.trust}"}}\n'
        for entry in known
    )
    opening = "<!-- remem: details of the bullets above; keep this block at the end of the file\n"
    end = text(facts).rstrip("\n").rpartition("\n")[2]
    facts.write_text(f"# Facts\n\n{bullets}\n{opening}{records}{end}\n", encoding="utf-8")

    memory = opened()
    memory.recall("anything")
    memory.store(category="fact", content="The host is zeus.")

    head = text(facts).partition(OPENING)[0]
    lines = [re.sub(r" \^mem-\w{8}$", "", line) for line in head.split("\n") if line]
    assert lines == [
        "# Facts",
        "- The host is zeus.",
        "## Agent",
        "- Name: Milo",
        "- Name: Pip",
        "## Owner",
        "- Name: Mara",
    ]
    assert entries(memory, known) == known
