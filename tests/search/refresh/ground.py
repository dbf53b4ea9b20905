"""A workspace with a bare passage store, for tests of the refresh."""

from __future__ import annotations

from pathlib import Path

from remem.files.layout import Layout
from remem.model.passage import FileMark, Passage
from remem.model.scope import MAIN, Scope
from remem.ports.passages import PassageStore
from remem.search.refresh.reading import SourceFiles
from remem.search.refresh.refresh import Refresh
from remem.store.fallback import open_passages

Known = dict[str, tuple[FileMark, list[Passage]]]


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())


def opened(root: Path, scope: Scope = MAIN) -> PassageStore:
    state = Layout(root).state_folder(scope)
    state.mkdir(parents=True, exist_ok=True)
    return open_passages(state / "passages.db")


def refreshing(root: Path, store: PassageStore, scope: Scope = MAIN, *extra: str) -> Refresh:
    layout = Layout(root)
    return Refresh(store, SourceFiles(layout, scope, extra), layout.refresh_lock(scope))


def known(store: PassageStore) -> Known:
    with store.read() as reading:
        return {
            path: (mark, [passage for _, passage in reading.of_file(path)])
            for path, mark in reading.files().items()
        }


def passages_by_file(store: PassageStore) -> dict[str, list[Passage]]:
    """What search knows, without what depends on when it was read."""
    return {path: passages for path, (_, passages) in known(store).items()}
