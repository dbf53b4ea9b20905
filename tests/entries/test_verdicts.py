"""The owner's choices for the index: they survive whatever happens to the entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed
from tests.conftest import Opener


def store(memory: Workspace, *contents: str) -> list[str]:
    return [memory.store(category="preference", content=text).id for text in contents]


def shown(memory: Workspace) -> list[str]:
    return [line.entry for line in memory.index().lines]


def test_a_pinned_entry_comes_first_and_a_dropped_one_is_left_out(opened: Opener) -> None:
    memory = opened()
    first, second, third = store(memory, "Likes tea", "Likes jazz records", "Walks to work")

    memory.curation.pin(first)
    memory.curation.drop(second)

    assert shown(memory) == [first, third]
    assert "jazz" not in (memory.get("memory/INDEX.md").text)
    assert memory.recall("jazz").entries[0].id == second


def test_the_index_explains_its_choices(opened: Opener) -> None:
    memory = opened()
    first, second = store(memory, "Likes tea", "Likes jazz records")
    memory.curation.pin(first)
    memory.curation.drop(second)

    index = memory.index()

    assert index.lines[0].reasons == ("pinned by owner on 2026-11-15 (verdict 1)",)
    assert [(line.entry, line.reasons) for line in index.left_out] == [
        (second, ("dropped by owner on 2026-11-15 (verdict 2)",))
    ]


def test_choices_survive_a_rebuild_and_a_reopened_workspace(opened: Opener) -> None:
    memory = opened()
    first, second, _third = store(memory, "Likes tea", "Likes jazz records", "Walks to work")
    memory.curation.pin(first)
    memory.curation.drop(second)
    memory.maintenance.rebuild()
    before = memory.index().text
    memory.close()

    assert opened().index().text == before


def test_lines_are_named_by_number_and_put_in_order(opened: Opener) -> None:
    memory = opened()
    store(memory, "Likes tea", "Likes jazz records", "Walks to work", "Reads on Sundays")
    one, two, three, four = shown(memory)

    memory.curation.order("3", "1")

    assert shown(memory) == [three, one, two, four]


def test_a_new_line_is_stored_and_pinned_and_undone_in_one_step(opened: Opener) -> None:
    memory = opened()
    store(memory, "Likes tea")

    done = memory.curation.pin("Never book flights before nine", category="instruction")

    id_ = done.verdicts[0].entries[0]
    assert "- [I] Never book flights before nine" in memory.index().text
    memory.curation.undo()
    assert memory.entry(id_).archived
    assert "flights" not in memory.index().text


def test_other_words_hold_until_the_entry_says_something_else(opened: Opener) -> None:
    memory = opened()
    (id_,) = store(memory, "The office is at Elm Street 4, third floor, second door")
    memory.curation.pin(id_, text="Office: Elm Street 4")
    assert "- [P] Office: Elm Street 4" in memory.index().text

    memory.store(category="preference", content="The office is at Oak Lane 9", supersedes=[id_])

    assert "Oak Lane 9" in memory.index().text
    assert "Elm Street" not in memory.index().text


def test_a_line_of_a_list_that_is_shown_in_other_words_is_shown_once(
    opened: Opener, root: Path
) -> None:
    memory = opened()
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Rules\n\n- Never moor the ferry at the north pier in a storm.\n"
        "- Never lend out the grey kayak.\n- Always lock the shed.\n",
        encoding="utf-8",
    )
    memory.setup.migrate()
    memory.curation.pin("1", text="No ferry at the north pier in a storm.")

    text = memory.index().text

    assert text.count("ferry") == 1
    assert "Always lock the shed." in text


def test_a_drop_follows_the_words_to_an_entry_with_another_id(opened: Opener) -> None:
    memory = opened()
    (id_,) = store(memory, "Likes jazz records")
    memory.curation.drop(id_)
    memory.forget(id_)

    memory.store(category="person", content="Likes jazz records")

    assert "jazz" not in memory.index().text


def test_a_pin_follows_a_replacement(opened: Opener) -> None:
    memory = opened()
    ids = store(memory, "Likes tea", "Likes jazz records")
    memory.curation.pin(ids[0])

    new = memory.store(category="preference", content="Likes coffee", supersedes=[ids[0]])

    assert shown(memory)[0] == new.id


def test_each_choice_can_be_undone_by_its_number(opened: Opener) -> None:
    memory = opened()
    first, second = store(memory, "Likes tea", "Likes jazz records")
    number = memory.curation.drop(first).verdicts[0].number
    memory.curation.pin(second)

    memory.curation.undo(number)

    assert set(shown(memory)) == {first, second}
    with pytest.raises(InvalidInput, match="verdict 1 does not exist"):
        memory.curation.undo(number)


def test_erasing_an_entry_erases_the_words_of_its_verdicts(opened: Opener, tmp_path: Path) -> None:
    memory = opened()
    (id_,) = store(memory, "The office is at Elm Street 4")
    memory.curation.pin(id_, text="Office in Wisteria House")

    memory.erase(id_)
    memory.close()

    copies = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in copies if b"Wisteria" in path.read_bytes()]


def test_erasing_an_entry_leaves_the_rest_of_a_page_as_it_was_decided(opened: Opener) -> None:
    memory = opened()
    first, *rest = store(memory, "Likes tea", "Likes jazz records", "Walks to work")
    memory.curate([{"answer": "keep", "items": ["*"]}])

    memory.erase(first)

    (page,) = memory.curation.verdicts().verdicts
    assert (page.answer, page.entries) == ("page", tuple(rest))


def test_an_erased_text_is_not_pinned(opened: Opener) -> None:
    memory = opened()
    (id_,) = store(memory, "Likes tea")
    memory.erase(id_)

    with pytest.raises(InvalidInput, match="the owner has erased 'Likes tea'"):
        memory.curation.pin("Likes jazz records", "Likes tea")

    assert memory.entries() == []


def test_only_the_owner_chooses_and_mistakes_are_explained(opened: Opener) -> None:
    memory = opened()
    store(memory, "Likes tea")

    with pytest.raises(InvalidInput, match="unpaired surrogate"):
        memory.curation.pin("1", text="Likes \udcff tea")
    with pytest.raises(InvalidInput, match="no line 9"):
        memory.curation.drop("9")
    with pytest.raises(InvalidInput, match="neither the number of a line nor the id"):
        memory.curation.pin("tea")
    with pytest.raises(InvalidInput, match="at least two lines"):
        memory.curation.order("1")
    memory.close()
    with pytest.raises(NotAllowed, match="only the owner can curate"):
        opened(trust="agent").curation.drop("1")


def test_a_group_curates_its_own_index(opened: Opener, root: Path) -> None:
    main = opened()
    store(main, "Likes tea")
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "garden"}')
    before = main.index().text
    main.close()
    group = opened("agent:main:telegram:group:-100123")
    (id_,) = store(group, "Prefers paths of gravel")
    group.curation.drop(id_)

    assert "gravel" not in group.index().text
    group.close()
    assert opened().index().text == before
