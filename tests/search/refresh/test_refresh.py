"""A refresh reads only changed files, and a problem with one file does not affect the others."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.files import atomic
from remem.files.layout import Layout
from remem.model.passage import FileMark
from remem.model.scope import MAIN, Scope
from remem.ports.passages import PassageStore
from remem.search.refresh import reading
from remem.search.refresh.reading import ReadFile, SourceFile
from remem.search.refresh.refresh import Refresh
from tests import limits
from tests.search.refresh.ground import known, opened, passages_by_file, refreshing, write

GARDEN = Scope("group", "garden")


@pytest.fixture
def store(root: Path) -> Iterator[PassageStore]:
    opened_one = opened(root)
    yield opened_one
    opened_one.close()


@pytest.fixture
def refresh(root: Path, store: PassageStore) -> Refresh:
    return refreshing(root, store)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that were split again."""
    paths: list[str] = []

    read = SourceFile.read

    def counting(file: SourceFile, known: FileMark | None) -> ReadFile | FileMark | None:
        result = read(file, known)
        if isinstance(result, ReadFile):
            paths.append(file.path)
        return result

    monkeypatch.setattr(SourceFile, "read", counting)
    return paths


def settle(root: Path) -> None:
    """As if every file had been saved some time ago: the disk's clock has moved on."""
    time.sleep(0.02)
    for path in [*root.rglob("*.md"), *root.rglob("*.json")]:
        if not path.is_symlink():
            os.utime(path)


def texts(store: PassageStore) -> list[str]:
    return [passage.text for passages in passages_by_file(store).values() for passage in passages]


def reasons(store: PassageStore) -> dict[str, str | None]:
    return {path: mark.problem for path, (mark, _) in known(store).items() if mark.problem}


def test_files_are_cut_into_passages(root: Path, store: PassageStore, refresh: Refresh) -> None:
    write(root, {"MEMORY.md": "- one\n- two\n", "memory/2026-01-01.md": "# Day\n\ntea\n"})

    done = refresh()

    assert (done.read, done.files, done.passages, done.waiting) == (2, 2, 3, 0)
    assert sorted(texts(store)) == ["# Day\n\ntea", "- one", "- two"]
    assert sum(mark.tokens for mark, _ in known(store).values()) > 5


def test_only_changed_files_are_read_again(
    root: Path, store: PassageStore, refresh: Refresh, taken: list[str]
) -> None:
    write(root, {f"memory/{n}.md": f"note {n}\n" for n in range(5)})
    refresh()
    taken.clear()

    write(root, {"memory/3.md": "another text\n", "memory/new.md": "new\n"})
    (root / "memory/4.md").unlink()
    done = refresh()

    assert sorted(taken) == ["memory/3.md", "memory/new.md"]
    assert (done.read, done.unchanged, done.forgotten) == (2, 3, 1)
    assert sorted(texts(store)) == ["another text", "new", "note 0", "note 1", "note 2"]


def test_a_file_that_was_only_touched_is_not_cut_again(
    root: Path, refresh: Refresh, taken: list[str]
) -> None:
    write(root, {"memory/a.md": "tea\n"})
    refresh()
    taken.clear()

    settle(root)
    done = refresh()

    assert taken == []
    assert (done.read, done.unchanged) == (0, 1)


def test_a_change_with_the_same_size_and_time_is_detected(
    root: Path, store: PassageStore, refresh: Refresh
) -> None:
    write(root, {"memory/a.md": "tea\n"})
    path = root / "memory/a.md"
    before = path.stat()
    refresh()

    path.write_text("oak\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    refresh()

    assert texts(store) == ["oak"]


def test_an_unchanged_file_is_not_opened(
    root: Path, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"memory/a.md": "tea\n"})
    monkeypatch.setattr("remem.search.refresh.reading.UNSETTLED_NS", -(10**12))
    refresh()
    opened_ones: list[object] = []
    monkeypatch.setattr("remem.files.walking.read_below", lambda *args: opened_ones.append(args))

    done = refresh()

    assert opened_ones == []
    assert done.unchanged == 1


def test_unreadable_files_are_reported_and_do_not_block_the_others(
    root: Path, store: PassageStore, refresh: Refresh
) -> None:
    write(
        root,
        {
            "memory/good.md": "good words\n",
            "memory/nul.md": b"before\n\nwith \0 nul\n",
            "memory/latin.md": "Zo\u00eb lives here".encode("latin-1"),
            "memory/crlf.md": b"- one\r\n- two\r\n",
            "memory/fence.md": "# A\n\n```\nnever closed\n\n# B\n\n- after\n",
            "memory/wide.md": "wide text\n".encode("utf-16"),
            "memory/big.md": "- similar block\n" * 22_000,
            "memory/huge.md": b"x" * (atomic.MAX_BYTES + 1),
            "memory/empty.md": "",
            "memory/blank.md": " \n\t\n",
            "brain/areas/x/items.json": '[{"id": "x-1", "fact": "known"}, {"id": ',
        },
    )

    done = refresh()

    said = " ".join(texts(store))
    for words in ("good words", "with \ufffd nul", "lives here", "- two", "- after", "wide text"):
        assert words in said
    assert "x-1: known" in said
    assert {problem.path for problem in done.problems} == {
        *("memory/nul.md", "memory/latin.md", "memory/huge.md", "brain/areas/x/items.json"),
    }
    assert reasons(store)["memory/nul.md"] == ("NUL character in line 3; the rest is searched")
    assert "not UTF-8 at byte 2" in str(reasons(store)["memory/latin.md"])
    assert "larger than" in str(reasons(store)["memory/huge.md"])
    assert passages_by_file(store)["memory/huge.md"] == []
    assert done.files == 11


def test_a_repaired_file_is_no_longer_reported(
    root: Path, store: PassageStore, refresh: Refresh
) -> None:
    write(root, {"memory/a.md": b"tea \0\n"})
    refresh()

    write(root, {"memory/a.md": b"tea\n"})
    done = refresh()

    assert done.problems == ()
    assert texts(store) == ["tea"]


def test_a_file_that_could_not_be_read_is_tried_again(
    root: Path, store: PassageStore, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"memory/a.md": "tea\n"})
    with monkeypatch.context() as patched:

        def broken(*_: object) -> None:
            raise OSError(5, "Input/output error")

        patched.setattr("remem.files.walking.read_below", broken)
        assert [problem.reason for problem in refresh().problems] == ["Input/output error"]

    assert refresh().problems == ()
    assert texts(store) == ["tea"]


def test_a_file_that_vanishes_during_the_read_is_not_reported(
    root: Path, store: PassageStore, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"memory/a.md": "tea\n", "memory/b.md": "cake\n"})

    read = SourceFile.read

    def vanishing(file: SourceFile, known: FileMark | None) -> ReadFile | FileMark | None:
        (root / file.path).unlink()
        return read(file, known)

    monkeypatch.setattr(SourceFile, "read", vanishing)
    done = refresh()

    assert (done.problems, done.files) == ((), 0)


def test_files_in_a_folder_that_cannot_be_listed_are_kept(
    root: Path, store: PassageStore, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"memory/a.md": "tea\n", "memory/deep/b.md": "cake\n"})
    refresh()
    scandir = os.scandir

    def failing(folder):  # type: ignore[no-untyped-def]
        if str(folder).endswith("deep"):
            raise OSError(24, "Too many open files")
        return scandir(folder)

    with monkeypatch.context() as patched:
        patched.setattr("remem.files.walking.os.scandir", failing)
        done = refresh()

    assert sorted(texts(store)) == ["cake", "tea"]
    assert [(problem.path, problem.reason) for problem in done.problems] == [
        ("memory/deep", "Too many open files")
    ]
    assert refresh().problems == ()
    assert sorted(texts(store)) == ["cake", "tea"]


def test_files_of_a_folder_that_became_a_link_are_removed(
    root: Path, store: PassageStore, refresh: Refresh
) -> None:
    write(root, {"memory/deep/b.md": "cake\n"})
    refresh()

    (root / "memory/deep").rename(root / "moved")
    (root / "memory/deep").symlink_to(root / "moved")
    done = refresh()

    assert texts(store) == []
    assert [problem.path for problem in done.problems] == ["memory/deep"]


def test_curated_files_and_the_latest_notes_come_first(
    root: Path, refresh: Refresh, taken: list[str]
) -> None:
    write(root, {f"memory/{n}.md": "x\n" for n in "abc"} | {"USER.md": "u\n"})
    for age, name in enumerate("bca"):
        os.utime(root / f"memory/{name}.md", (1e9 - age, 1e9 - age))

    refresh()

    assert taken == ["USER.md", "memory/b.md", "memory/c.md", "memory/a.md"]


def test_a_file_that_another_process_stores_during_the_listing_is_kept(
    root: Path, store: PassageStore
) -> None:
    write(root, {"memory/early.md": "tea\n"})
    layout = Layout(root)

    def meanwhile() -> Iterator[reading.SourceFile]:
        listed = list(reading.SourceFiles(layout, MAIN)())
        if not (root / "memory/late.md").exists():
            write(root, {"memory/late.md": "cake\n"})
            refreshing(root, store)()
        yield from listed

    Refresh(store, meanwhile, layout.refresh_lock(MAIN))()

    assert set(passages_by_file(store)) == {"memory/early.md", "memory/late.md"}


def test_at_the_time_limit_the_remaining_files_wait(root: Path, store: PassageStore) -> None:
    write(root, {f"memory/{n}.md": f"note {n}\n" for n in range(9)})
    refresh = refreshing(root, store)

    done = refresh(seconds=-1)

    assert (done.read, done.waiting) == (0, 9)
    assert refresh().waiting == 0
    assert len(texts(store)) == 9


def test_progress_is_reported(
    root: Path, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.REFRESH_BATCH_BYTES, 10)
    write(root, {f"memory/{n}.md": "some words\n" for n in range(4)})
    seen: list[tuple[int, int]] = []

    refresh(lambda done, of: seen.append((done, of)))

    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.walls
def test_the_passages_of_a_group_contain_no_word_of_main(root: Path) -> None:
    write(
        root,
        {
            "MEMORY.md": "- main secret\n",
            "memory/2026-01-01.md": "main secret\n",
            "memory/groups/garden.md": "- gate\n",
            "memory/groups/garden/people.md": "own people\n",
            "memory/groups/kitchen.md": "- other secret\n",
        },
    )
    os.link(root / "MEMORY.md", root / "memory/groups/garden/hard.md")
    (root / "memory/groups/garden/soft.md").symlink_to(root / "MEMORY.md")
    store = opened(root, GARDEN)

    done = refreshing(root, store, GARDEN)()

    assert sorted(texts(store)) == ["- gate", "own people"]
    assert {problem.path for problem in done.problems} == {
        "memory/groups/garden/hard.md",
        "memory/groups/garden/soft.md",
    }
    store.close()
    database = root / ".remem/groups/garden/passages.db"
    for path in [*database.parent.glob("passages.db*")]:
        assert b"secret" not in path.read_bytes()


@pytest.mark.walls
def test_a_link_made_between_listing_and_reading_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"MEMORY.md": "- main secret\n", "memory/groups/garden/a.md": "own\n"})
    store = opened(root, GARDEN)

    read = SourceFile.read

    def racing(file: SourceFile, known: FileMark | None) -> ReadFile | FileMark | None:
        (root / file.path).unlink()
        os.link(root / "MEMORY.md", root / file.path)
        return read(file, known)

    monkeypatch.setattr(SourceFile, "read", racing)
    done = refreshing(root, store, GARDEN)()

    assert texts(store) == []
    assert len(done.problems) == 1
    store.close()


def test_the_files_keep_their_bytes_and_times(root: Path, refresh: Refresh) -> None:
    write(root, {"MEMORY.md": "- one\n", "memory/a.md": b"\xff\0\r\n"})
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}

    refresh()

    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*.md")}
    assert after == before
