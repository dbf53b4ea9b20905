"""A killed synthesis leaves the old page or the new one, and all lines of a person."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from remem.app.workspace import Workspace
from remem.model.page import blank_generated_lines
from remem.model.page_sources import BEGIN_LINE, END_LINE
from tests.learn.synthesize.knowledge import ANNA, FACTS, write_facts

MINE = "Remember the cake."


def check(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count(BEGIN_LINE) == text.count(END_LINE) == 1
    assert text.count("- Has read") <= 1
    assert MINE in blank_generated_lines(text)


def test_a_kill_leaves_a_complete_page(memory: Workspace, root: Path) -> None:
    random = Random(11)
    write_facts(root, FACTS)
    memory.maintenance.synthesize()
    page = root / ANNA / "summary.md"
    page.write_text(page.read_text() + f"\n{MINE}\n")
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    place = {
        **os.environ,
        "PYTHONPATH": str(
            next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())
        ),
    }
    for _ in range(3):
        line = [sys.executable, "-m", "tests.learn.synthesize.program", str(root)]
        with subprocess.Popen(line, env=place, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(random.randrange(2, 8)):
                assert process.stdout.readline()
            process.kill()
        check(page)
    write_facts(root, FACTS)

    done = memory.maintenance.synthesize()

    check(page)
    assert all(page.problem is None for page in done.pages)
