"""Every wording of a fact is noted once, but for those that hold a secret."""

from __future__ import annotations

from pathlib import Path

from remem.files.fact_history import forget_facts, record_facts, seen_facts
from remem.files.layout import Layout
from remem.model.fact import Fact
from remem.text.similarity import folded_hash
from tests.conftest import SECRET


def fact(text: str, id_: str = "ada-001") -> Fact:
    return Fact(id_, text, category="status", timestamp="2026-01-05", path="brain/areas/ada/x")


def test_a_wording_is_logged_once(root: Path) -> None:
    layout = Layout(root)

    assert record_facts(layout, [fact("Ada lives in Porto."), fact("She bakes.", "ada-002")]) == 2
    assert record_facts(layout, [fact("ada  lives in PORTO.")]) == 0
    assert record_facts(layout, [fact("Ada lives in Lisbon.")]) == 1

    assert [known.fact for known in seen_facts(layout)] == [
        "Ada lives in Porto.",
        "She bakes.",
        "Ada lives in Lisbon.",
    ]


def test_what_holds_a_secret_is_not_kept(root: Path) -> None:
    layout = Layout(root)

    assert record_facts(layout, [fact(f"The key is {SECRET}")]) == 0
    assert SECRET not in "".join(path.read_text() for path in root.rglob("*") if path.is_file())


def test_an_incomplete_line_does_not_affect_others(root: Path) -> None:
    layout = Layout(root)
    record_facts(layout, [fact("Ada lives in Porto.")])
    with (root / ".remem/main/facts-seen.jsonl").open("a") as file:
        file.write('{"path": "br')

    record_facts(layout, [fact("Ada lives in Lisbon.")])

    assert len(seen_facts(layout)) == 2


def test_the_record_is_private(root: Path) -> None:
    record_facts(Layout(root), [fact("Ada lives in Porto.")])

    assert (root / ".remem/main/facts-seen.jsonl").stat().st_mode & 0o077 == 0


def test_a_wording_that_was_erased_is_dropped_and_so_is_half_a_line(root: Path) -> None:
    layout, path = Layout(root), root / ".remem/main/facts-seen.jsonl"
    forget_facts(layout, [folded_hash("anything")])
    assert not path.exists()
    record_facts(layout, [fact("Ada lives in Porto."), fact("She bakes.", "ada-002")])
    with path.open("a") as file:
        file.write('{"path": "br", "fact": "Ada lives in Po')

    forget_facts(layout, [folded_hash("ada lives in porto.")])

    assert [known.fact for known in seen_facts(layout)] == ["She bakes."]
    assert "Ada" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
