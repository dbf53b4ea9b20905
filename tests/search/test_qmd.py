"""QMD reads changes of brain/areas in the folders of its host, and failures are reported."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from remem.admin.doctor.findings import qmd_findings
from remem.cli.main import remem as command
from remem.config import Config
from remem.files.layout import Layout
from remem.search.qmd import Qmd, configured_qmd, update_qmd, why_qmd_is_outdated
from tests.conftest import Opener
from tests.learn.synthesize.knowledge import FACTS, write_facts

WRITES_DOWN = """#!/bin/sh
echo "$1 $STATE_DIR $XDG_CONFIG_HOME $XDG_CACHE_HOME $(pwd)" >> "$QMD_LOG"
"""
FAILS_TO_EMBED = """#!/bin/sh
echo "$1" >> "$QMD_LOG"
if [ "$1" = embed ]; then echo "no model here" >&2; exit 3; fi
"""
HANGS = """#!/bin/sh
echo $$ >> "$QMD_LOG"
sleep 600
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "qmd.log"


def program(folder: Path, text: str) -> str:
    path = folder / "qmd"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def layout(root: Path) -> Layout:
    write_facts(root, FACTS)
    return Layout(root)


def installed(folder: Path, text: str, log: Path, patience: float = 60) -> Qmd:
    environment = {**os.environ, "QMD_LOG": str(log)}
    return Qmd(program(folder, text), environment, patience)


def test_qmd_updates_then_embeds_in_the_folders_of_its_host(
    layout: Layout, tmp_path: Path, log: Path
) -> None:
    environment = {"HOME": "/home/x", "OPENCLAW_STATE_DIR": "/claw", "QMD_LOG": str(log)}
    environment["PATH"] = os.environ["PATH"]
    config = Config(qmd=program(tmp_path, WRITES_DOWN))
    qmd = configured_qmd(config, environment)
    assert qmd is not None

    assert update_qmd(layout, qmd).problem is None

    folders = "/claw /claw/agents/main/qmd/xdg-config /claw/agents/main/qmd/xdg-cache"
    assert log.read_text().splitlines() == [
        f"update {folders} {layout.root}",
        f"embed {folders} {layout.root}",
    ]
    assert configured_qmd(Config(), environment) is None


def test_qmd_runs_only_after_a_change(layout: Layout, tmp_path: Path, log: Path) -> None:
    qmd = installed(tmp_path, WRITES_DOWN, log)
    assert "has changed" in (why_qmd_is_outdated(layout) or "")

    assert update_qmd(layout, qmd).ran
    assert why_qmd_is_outdated(layout) is None
    assert not update_qmd(layout, qmd).ran
    write_facts(layout.root, FACTS[:2])
    assert update_qmd(layout, qmd).ran

    assert len(log.read_text().splitlines()) == 4


def test_a_failure_is_reported_until_qmd_succeeds(
    layout: Layout, tmp_path: Path, log: Path
) -> None:
    failing = installed(tmp_path, FAILS_TO_EMBED, log)

    told = update_qmd(layout, failing).problem

    assert told is not None
    assert "embed` failed (3): no model here" in told
    assert why_qmd_is_outdated(layout) == told
    findings = list(qmd_findings(layout, Config(qmd="qmd")))
    assert [finding.what for finding in findings] == [told]
    assert list(qmd_findings(layout, Config())) == []
    assert update_qmd(layout, installed(tmp_path, WRITES_DOWN, log)).problem is None
    assert why_qmd_is_outdated(layout) is None


def test_a_missing_program_is_reported(layout: Layout) -> None:
    told = update_qmd(layout, Qmd("/nowhere/qmd", {})).problem

    assert told is not None
    assert "could not be started" in told


def test_a_program_that_hangs_is_killed_with_its_children(
    layout: Layout, tmp_path: Path, log: Path
) -> None:
    for patience in (0.5, 5, 50, 500):  # until it was quick enough to say who it is
        told = update_qmd(layout, installed(tmp_path, HANGS, log, patience)).problem
        assert f"did not finish within {patience:g} s" in (told or "")
        if log.exists():
            break

    with pytest.raises(ProcessLookupError):
        os.kill(int(log.read_text()), 0)


def test_closing_does_not_wait_for_qmd(layout: Layout, tmp_path: Path, log: Path) -> None:
    stop = threading.Event()
    stop.set()

    done = update_qmd(layout, installed(tmp_path, HANGS, log), stop.is_set)

    assert not done.ran
    assert "has changed" in (why_qmd_is_outdated(layout) or "")


def configure(root: Path, tmp_path: Path, text: str) -> None:
    (root / ".remem").mkdir(parents=True, exist_ok=True)
    (root / ".remem/config.toml").write_text(f'qmd = "{program(tmp_path, text)}"\n')


def test_a_synthesis_and_a_new_fact_run_qmd(
    opened: Opener, root: Path, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QMD_LOG", str(log))
    configure(root, tmp_path, WRITES_DOWN)
    write_facts(root, FACTS)
    memory = opened()

    done = memory.maintenance.synthesize()
    answer = memory.facts.record("anna berg", "Sings in a choir.")

    assert done.qmd is not None
    assert (done.qmd.ran, done.qmd.problem) == (True, None)
    assert not any("qmd" in note for note in answer.notes)
    assert len(log.read_text().splitlines()) == 4
    assert memory.problems == []


def test_a_failure_is_reported_in_answers_status_and_doctor(
    opened: Opener, root: Path, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    monkeypatch.setenv("QMD_LOG", str(log))
    configure(root, tmp_path, FAILS_TO_EMBED)
    write_facts(root, FACTS)
    memory = opened()

    done = memory.maintenance.synthesize()
    answer = memory.facts.record("anna berg", "Sings in a choir.")

    assert done.pages[0].changed
    assert done.qmd is not None
    assert "no model here" in (done.qmd.problem or "")
    assert answer.facts[0].fact == "Sings in a choir."
    assert any("no model here" in note for note in answer.notes)
    assert any("no model here" in reason for reason in memory.status().health.degraded)
    memory.close()
    found = CliRunner().invoke(command, ["--workspace", str(root), "doctor"])
    assert "no model here" in found.output


def test_a_server_runs_qmd_in_the_background(
    opened: Opener, root: Path, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QMD_LOG", str(log))
    configure(root, tmp_path, HANGS)
    memory = opened(background=True)

    memory.facts.record("anna berg", "Sings in a choir.")
    memory.close()

    for line in log.read_text().splitlines() if log.exists() else ():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line), 0)
