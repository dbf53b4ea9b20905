"""`remem synthesize` says what it wrote, what it kept, and what could be a fact."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.learn.synthesize.knowledge import ANNA, FACTS, write_facts


def test_synthesize_lists_each_page_and_what_was_kept(run: Run, root: Path) -> None:
    write_facts(root, FACTS)
    first = run("synthesize")
    page = root / ANNA / "summary.md"
    page.write_text(page.read_text().replace("## Status", "- Sings in a choir.\n\n## Status"))
    second = run("synthesize", "Anna Berg")

    assert first.exit_code == 0
    assert f"{ANNA}/summary.md: 3 points\n1 page written, 0 unchanged" in first.stdout
    assert "written without a language model: no language model is configured" in first.stdout
    assert "kept your own line: - Sings in a choir." in second.stdout
    assert "could be a fact: remem fact record 'anna berg' 'Sings in a choir.'" in second.stdout


def test_json_is_exactly_the_result(run: Run, root: Path) -> None:
    write_facts(root, FACTS)

    answer = json.loads(run("synthesize", "--json").stdout)

    assert answer["pages"][0]["path"] == f"{ANNA}/summary.md"
    assert answer["pages"][0]["changed"] is True
    assert "qmd" not in answer


def test_an_unknown_entity_is_an_error_with_a_hint(run: Run) -> None:
    answer = run("synthesize", "Nobody")

    assert answer.exit_code == 1
    assert "no entity is called 'Nobody'" in answer.stderr
    assert "hint:" in answer.stderr


def test_a_group_has_no_summaries(run: Run, root: Path) -> None:
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    answer = run("--session", "agent:main:telegram:group:-100", "synthesize")

    assert answer.exit_code == 1
    assert "in main" in answer.stderr


def test_the_command_that_is_proposed_works(run: Run, root: Path) -> None:
    write_facts(root, FACTS)
    run("synthesize")
    page = root / ANNA / "summary.md"
    page.write_text(page.read_text().replace("Lives in Lisbon.", "Lives in Faro."))
    proposed = json.loads(run("synthesize", "--json").stdout)["pages"][0]["proposed"][0]

    import shlex

    done = run(*shlex.split(proposed["command"])[1:])
    run("synthesize")

    assert done.exit_code == 0
    assert "- Lives in Faro." in page.read_text()
    assert "- Lives in Lisbon." not in page.read_text()
