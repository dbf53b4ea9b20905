"""Search finds what was stored, with the file and line where a person can read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import NotAllowed
from remem.model.entry import Origin
from tests.conftest import Opener


def lines(root: Path, path: str, start: int, end: int) -> str:
    return "\n".join((root / path).read_text(encoding="utf-8").split("\n")[start - 1 : end])


@pytest.mark.parametrize("background", [False, True])
def test_an_entry_is_found_at_once_with_its_line(
    root: Path, opened: Opener, background: bool
) -> None:
    memory = opened(background=background)
    memory.store(category="preference", content="Mara prefers window seats on trains.")
    memory.store(category="preference", content="Mara prefers oat milk.\nNever soy.")

    hit = memory.search("oat milk").results[0]

    assert hit.path == "memory/domains/preferences.md"
    assert "oat milk" in hit.snippet
    shown = lines(root, hit.path, hit.start_line, hit.end_line)
    assert "oat milk" in shown
    assert "Never soy" in shown
    assert "window seats" not in shown


def test_the_line_can_be_read_with_get(memory: Workspace) -> None:
    memory.store(category="decision", content="We sail on Tuesdays.")
    hit = memory.search("sail Tuesdays").results[0]

    read = memory.get(hit.path, from_line=hit.start_line, lines=1)

    assert "We sail on Tuesdays." in read.text


def test_a_migrated_statement_is_shown_once_in_its_own_file(root: Path, opened: Opener) -> None:
    root.mkdir(exist_ok=True)
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Home\n- The boiler code is Zanzibar.\n- The bins go out on Monday.\n",
        encoding="utf-8",
    )
    memory = opened()
    memory.store(
        category="fact", content="The boiler code is Zanzibar.", origin=Origin("MEMORY.md", 4)
    )

    found = [hit for hit in memory.search("boiler code").results if "Zanzibar" in hit.snippet]

    assert [(hit.path, hit.start_line) for hit in found] == [("MEMORY.md", 4)]


def test_an_entry_that_was_changed_later_is_shown_from_its_domain_file(
    root: Path, opened: Opener
) -> None:
    root.mkdir(exist_ok=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- The boiler code is 4711.\n", encoding="utf-8")
    memory = opened()
    old = memory.store(
        category="fact", content="The boiler code is 4711.", origin=Origin("MEMORY.md", 3)
    )
    memory.store(category="fact", content="The boiler code is 8150.", supersedes=[old.id])

    assert memory.search("boiler code").results[0].path == "memory/domains/facts.md"


def test_superseded_archived_and_untrusted_entries_are_not_found(memory: Workspace) -> None:
    old = memory.store(category="fact", content="The quokka lives in the shed.")
    memory.store(category="fact", content="The quokka moved to a zoo.", supersedes=[old.id])
    gone = memory.store(category="fact", content="The quokka eats apples.")
    memory.forget(gone.id)
    memory.store(category="fact", content="The quokka is a spy.", trust="untrusted")

    snippets = [hit.snippet.split("\n")[0] for hit in memory.search("quokka").results]

    assert snippets == ["The quokka moved to a zoo."]


def test_a_hand_edit_in_a_domain_file_is_found(root: Path, memory: Workspace) -> None:
    memory.store(category="fact", content="The attic has a walrus poster.")
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text(encoding="utf-8").replace("walrus", "narwhal"), "utf-8")

    assert "narwhal" in memory.search("narwhal poster").results[0].snippet


def test_an_empty_or_unrelated_query_finds_no_entry(memory: Workspace) -> None:
    memory.store(category="fact", content="The attic has a walrus poster.")

    assert memory.search("zebra crossing").results == ()
    with pytest.raises(NotAllowed):  # conversations are not searched unless the owner allows it
        memory.search("walrus", corpus="sessions")
