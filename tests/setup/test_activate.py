"""Activation adds one section to AGENTS.md; a rollback restores every byte."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from remem.entries.domain_sync.leftovers import Leftovers
from remem.errors import FileError, RememError
from remem.files import atomic, disk
from remem.files.layout import Layout
from remem.files.setup_journal import SetupJournal
from remem.model.scope import MAIN
from remem.setup import activate as setup_activate
from remem.setup.activate import activate, is_active, planned_diff, roll_back
from remem.setup.agents_section import with_section
from tests import limits
from tests.faults import crowd
from tests.setup.kills import STRIDES, killed_at

ID = "0123abcd"
BEFORE = "# Agents\n\n- Grüße zuerst.\n".encode()
SHAPES = {
    "none": None,
    "empty": b"",
    "plain": BEFORE,
    "no line end": b"no line end",
    "CRLF": BEFORE.replace(b"\n", b"\r\n"),
    "BOM": b"\xef\xbb\xbf" + BEFORE,
    "Latin-1": b"caf\xe9\n",
    "blank": b"\n \n",
}


@pytest.fixture
def layout(root: Path) -> Layout:
    root.mkdir()
    return Layout(root)


def agents(layout: Layout) -> Path:
    return layout.root / "AGENTS.md"


def now(layout: Layout) -> bytes | None:
    return agents(layout).read_bytes() if agents(layout).exists() else None


def put(layout: Layout, data: bytes | None) -> None:
    if data is None:
        agents(layout).unlink(missing_ok=True)
    else:
        agents(layout).write_bytes(data)


def nothing_lies_about(layout: Layout) -> bool:
    """No stray file next to it, and nothing left in the journal."""
    return atomic.temporary_files(layout.root) == () and not list(
        SetupJournal.of_activation(layout).folder.glob("*")
    )


@pytest.mark.parametrize("before", SHAPES.values(), ids=SHAPES)
def test_a_rollback_restores_the_file_byte_for_byte(layout: Layout, before: bytes | None) -> None:
    put(layout, before)

    there = activate(layout, ID)
    assert there.changed
    assert is_active(layout)
    back = roll_back(layout)

    assert now(layout) == before
    assert (back.changed, back.exact, back.kept, back.remarks) == (True, True, (), ())
    assert not is_active(layout)
    assert nothing_lies_about(layout)


def test_the_section_describes_index_recall_store_and_fallback(layout: Layout) -> None:
    activate(layout, ID)

    text = agents(layout).read_text()

    for name in ("INDEX.md", "memory_recall", "memory_store", "memory_search", "memory_get"):
        assert name in text
    assert text.count(ID) == 2


def test_activating_twice_changes_nothing(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    once = now(layout)

    again = activate(layout, "ffffffff")

    assert not again.changed
    assert now(layout) == once
    roll_back(layout)
    assert now(layout) == BEFORE


def test_activating_again_after_a_rollback_works(layout: Layout) -> None:
    put(layout, BEFORE)
    for _ in range(3):
        assert activate(layout, ID).changed
        assert roll_back(layout).exact
    assert now(layout) == BEFORE


def test_rolling_back_what_was_never_activated_changes_nothing(layout: Layout) -> None:
    put(layout, BEFORE)

    back = roll_back(layout)

    assert not back.changed
    assert back.exact
    assert now(layout) == BEFORE


def test_the_planned_change_is_shown_as_a_diff(layout: Layout) -> None:
    put(layout, b"# Agents\nno line end")

    diff = planned_diff(layout, ID)

    assert diff.startswith("--- AGENTS.md\n+++ AGENTS.md\n@@")
    assert "\\ No newline at end of file\n" in diff
    assert f"+<!-- remem:begin {ID} -->\n" in diff
    assert now(layout) == b"# Agents\nno line end"
    put(layout, None)
    assert planned_diff(layout, ID).startswith("--- /dev/null\n+++ AGENTS.md\n")
    activate(layout, ID)
    assert planned_diff(layout, ID) == ""


def test_edits_around_the_section_stay(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    put(layout, b"# Mine\n" + agents(layout).read_bytes() + b"\n## Mine too\n")

    back = roll_back(layout)

    assert now(layout) == b"# Mine\n" + BEFORE + b"\n## Mine too\n"
    assert (back.exact, back.kept) == (False, ())
    assert nothing_lies_about(layout)


def test_an_edited_section_is_kept_in_a_copy(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    put(layout, agents(layout).read_bytes().replace(b"- Store", b"- Mara too.\n- Store"))

    back = roll_back(layout)

    assert now(layout) == BEFORE
    (copy,) = back.kept
    assert b"- Mara too.\n" in (layout.root / copy).read_bytes()


def test_activating_leaves_an_edited_section_alone(layout: Layout) -> None:
    activate(layout, ID)
    edited = agents(layout).read_bytes().replace(b"- Store", b"- Mara too.\n- Store")
    put(layout, edited)

    again = activate(layout, "ffffffff")

    assert now(layout) == edited
    assert "was edited" in again.remarks[0]


@pytest.mark.parametrize(
    ("around", "left"), [(b"", None), (b"\n\n", None), (b"\nMine.\n", b"\nMine.\n")]
)
def test_a_created_file_is_removed_unless_it_was_edited(
    layout: Layout, around: bytes, left: bytes | None
) -> None:
    activate(layout, ID)
    put(layout, agents(layout).read_bytes() + around)

    roll_back(layout)

    assert now(layout) == left


def test_a_removed_file_stays_removed_and_its_bytes_are_kept(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    put(layout, None)

    back = roll_back(layout)

    assert now(layout) is None
    assert not back.exact
    copy = back.remarks[0].split()[-1]
    assert (layout.root / copy).read_bytes() == BEFORE


def test_a_section_removed_by_hand_needs_no_rollback(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    put(layout, BEFORE + b"more\n")

    back = roll_back(layout)

    assert not back.changed
    assert now(layout) == BEFORE + b"more\n"
    assert nothing_lies_about(layout)


def test_the_markers_are_enough_without_the_journal(layout: Layout) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    for path in SetupJournal.of_activation(layout).folder.iterdir():
        path.unlink()

    assert roll_back(layout).changed
    assert now(layout) == BEFORE


@pytest.mark.parametrize("which", ["plan-*.json", "before-*"])
def test_a_damaged_journal_does_not_stop_a_rollback(layout: Layout, which: str) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    (page,) = SetupJournal.of_activation(layout).folder.glob(which)
    page.write_bytes(b"\x00damaged")

    roll_back(layout)

    assert now(layout) == BEFORE


def test_a_read_only_file_keeps_its_mode(layout: Layout) -> None:
    put(layout, BEFORE)
    agents(layout).chmod(0o444)

    activate(layout, ID)
    assert agents(layout).stat().st_mode & 0o777 == 0o444
    roll_back(layout)

    assert agents(layout).stat().st_mode & 0o777 == 0o444
    assert now(layout) == BEFORE


@pytest.mark.parametrize("act", [activate, planned_diff])
def test_a_link_is_refused_and_its_target_is_unchanged(
    layout: Layout, act: Callable[[Layout, str], object], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "dotfiles.md"
    elsewhere.write_bytes(BEFORE)
    os.symlink(elsewhere, agents(layout))

    with pytest.raises(FileError, match="symbolic link"):
        act(layout, ID)
    assert elsewhere.read_bytes() == BEFORE
    assert agents(layout).is_symlink()
    assert nothing_lies_about(layout)


@pytest.mark.parametrize("data", ["# Agents\n".encode("utf-16"), b"\x00"])
def test_a_file_with_nul_bytes_is_refused(layout: Layout, data: bytes) -> None:
    put(layout, data)

    with pytest.raises(FileError, match="NUL byte"):
        activate(layout, ID)
    assert now(layout) == data


def test_a_write_that_fails_leaves_nothing_behind(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(layout, BEFORE)

    def refuse(*_: object, **__: object) -> None:
        raise FileError("no")

    with monkeypatch.context() as patch:
        patch.setattr(setup_activate, "rewrite", refuse)
        with pytest.raises(RememError):
            activate(layout, ID)

    assert now(layout) == BEFORE
    assert nothing_lies_about(layout)


def saving(layout: Layout, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """A person saves in the very moment in which the file is exchanged."""
    exchange, saves = disk.exchange, [data]

    def raced(one: Path, other: Path) -> None:
        if saves:
            other.write_bytes(saves.pop())
        exchange(one, other)

    monkeypatch.setattr(atomic, "exchange", raced)


def test_a_save_during_activation_is_kept(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    put(layout, BEFORE)
    saving(layout, monkeypatch, b"# His own\n")

    activate(layout, ID)

    assert now(layout) == with_section(b"# His own\n", ID)
    assert roll_back(layout).exact
    assert now(layout) == b"# His own\n"


def test_a_save_during_rollback_is_kept(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    saving(layout, monkeypatch, agents(layout).read_bytes() + b"\nHis own.\n")

    roll_back(layout)

    assert now(layout) == BEFORE + b"\nHis own.\n"


def test_replaced_versions_are_removed_by_the_next_opening(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(layout, BEFORE)
    activate(layout, ID)
    roll_back(layout)
    said: list[str] = []
    monkeypatch.setattr(limits.LEFTOVER_SECONDS, -1.0)

    Leftovers(layout, MAIN, said.append).remove_old_copies()

    assert said == []
    assert list(layout.aside(MAIN).iterdir()) == []


def test_one_of_several_processes_activates(layout: Layout) -> None:
    put(layout, BEFORE)

    def act(number: int) -> Callable[[crowd.Say], object]:
        def run(say: crowd.Say) -> None:
            say(b"1" if activate(layout, f"{number:08x}").changed else b"0")

        return run

    children = crowd.together([act(number) for number in range(6)])

    assert sorted(child.heard for child in children) == [b"0"] * 5 + [b"1"]
    assert agents(layout).read_bytes().count(b"remem:begin") == 1
    assert roll_back(layout).exact
    assert now(layout) == BEFORE


@pytest.mark.kill
@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("before", [BEFORE, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("best", [True, False], ids=["exchange", "link"])
@pytest.mark.parametrize("step", ["activate", "roll back"])
@pytest.mark.parametrize("stride", STRIDES)
def test_a_kill_at_any_call_can_be_rolled_back_and_activated_again(
    tmp_path: Path, stride: int, step: str, best: bool, before: bytes | None, after: bool
) -> None:
    for number in count(1 + after + (step == "roll back"), stride):
        layout = Layout(tmp_path / str(number))
        layout.root.mkdir()
        put(layout, before)
        if step == "roll back":
            activate(layout, ID)
            died = killed_at(number, partial(roll_back, layout), after=after, best=best)
        else:
            died = killed_at(number, partial(activate, layout, ID), after=after, best=best)
        assert now(layout) in (before, with_section(before or b"", ID))
        again = number % 2 == 0  # half of the people go on instead of going back
        if again:
            activate(layout, ID)
            assert now(layout) == with_section(before or b"", ID)
        roll_back(layout)
        assert now(layout) == before, number
        assert nothing_lies_about(layout), number
        if not died:
            break

    assert number > 15


@pytest.mark.kill
def test_a_late_journal_would_be_caught_by_the_kills(tmp_path: Path) -> None:
    """The known-bad version: the file is changed in place, and its old bytes kept later."""
    lost = False
    for number in count(1):
        layout = Layout(tmp_path / str(number))
        layout.root.mkdir()
        put(layout, b"no line end")

        def careless(layout: Layout = layout) -> None:
            data = agents(layout).read_bytes()
            descriptor = os.open(agents(layout), os.O_WRONLY | os.O_TRUNC)
            os.write(descriptor, with_section(data, ID))
            SetupJournal.of_activation(layout).begin("AGENTS.md", data, with_section(data, ID), 2)

        died = killed_at(number, careless, after=False)
        roll_back(layout)
        lost = lost or now(layout) != b"no line end"
        if not died:
            break

    assert lost
