"""A person's editor saves again and again while the projector rewrites the same file.

A save is lost if nobody has read it and no file holds it any more. The editor never saves
over a save of its own, so whatever is lost was lost by the projector.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from remem.files import atomic, disk

EDITOR = """
import os, random, sys, time
path, way, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
pause = random.Random(7)
for number in range(times):
    time.sleep(pause.random() * 0.02)
    while number % 2 and not os.path.exists(path + ".open"):  # every other save jumps in
        time.sleep(0.0005)
    save = f"save-{number};"
    if way == "rename":
        with open(path + ".editor", "w") as file:
            file.write(save)
        os.rename(path + ".editor", path)
    else:
        with open(path, "w") as file:
            time.sleep(0.002)
            file.write(save)
    print(save, flush=True)
    while open(path).read() == save:
        time.sleep(0.0005)
"""
WAYS = ["rename", "in place"]


@dataclass
class Projector:
    """Reads the file and puts a text of its own in its place, round after round."""

    path: Path
    editing: Callable[[], bool] = lambda: True
    seen: set[str] = field(default_factory=set)
    outcomes: list[str] = field(default_factory=list)

    def see(self, data: bytes | None) -> bytes:
        self.seen |= saves_in(data or b"")
        return data or b""

    def wait_for_a_save(self, since: bytes) -> None:
        """The window of a race, held open until somebody has jumped in. The editor does not
        save over a save of its own: then there is nothing to wait for."""
        if saves_in(since):
            return
        window = self.path.with_name(f"{self.path.name}.open")
        window.touch()
        while self.editing() and self.path.read_bytes() == since:
            time.sleep(0.001)
        window.unlink()

    def exchange(self, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        data = self.see(atomic.read(self.path))
        folder = self.path.parent / "kept"

        def late(one: Path, other: Path) -> None:
            self.wait_for_a_save(data)
            disk.exchange(one, other)

        monkeypatch.setattr(atomic, "exchange", late)
        result = atomic.swap(
            self.path,
            text,
            expected=atomic.digest(data),
            keep=atomic.unused_path(folder, "aside"),
            conflict=atomic.unused_path(folder, "conflict"),
        )
        self.outcomes.append(result.outcome)
        if result.outcome != "swapped":
            self.see(result.found)

    def replace_blindly(self, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        data = self.see(self.path.read_bytes())
        self.wait_for_a_save(data)
        self.rename_over(text)

    def check_then_rename(self, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        data = self.see(self.path.read_bytes())
        if self.see(self.path.read_bytes()) == data:
            self.wait_for_a_save(data)
            self.rename_over(text)

    def rename_over(self, text: bytes) -> None:
        fresh = self.path.with_suffix(".new")
        fresh.write_bytes(text)
        fresh.rename(self.path)


def saves_in(data: bytes) -> set[str]:
    return set(re.findall(r"save-\d+;", data.decode()))


def race(projector: Projector, way: str, times: int, project: Callable[[bytes], None]) -> set[str]:
    """What the editor has saved, while projections went on."""
    path = projector.path
    path.write_bytes(b"projection 0")
    command = [sys.executable, "-c", EDITOR, str(path), way, str(times)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        projector.editing = lambda: process.poll() is None
        try:
            number = 0
            while process.poll() is None:
                number += 1
                project(b"projection %d" % number)
            return set(process.stdout.read().split())
        finally:
            process.kill()


def lost(projector: Projector, saved: set[str]) -> set[str]:
    held = [path.read_bytes() for path in projector.path.parent.rglob("*") if path.is_file()]
    return saved - projector.seen - saves_in(b"".join(held))


@pytest.mark.parametrize("way", WAYS)
def test_no_save_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    projector = Projector(tmp_path / "facts.md")

    saved = race(projector, way, 160, lambda text: projector.exchange(text, monkeypatch))

    assert lost(projector, saved) == set()
    assert len(saved) == 160
    assert projector.outcomes.count("displaced") > 40


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bad", [Projector.replace_blindly, Projector.check_then_rename])
def test_the_race_catches_a_projector_that_loses_saves(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    bad: Callable[[Projector, bytes, pytest.MonkeyPatch], None],
) -> None:
    projector = Projector(tmp_path / "facts.md")

    saved = race(projector, way, 10, lambda text: bad(projector, text, monkeypatch))

    assert lost(projector, saved)
