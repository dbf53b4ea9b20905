"""Domain files are valid Markdown that memory_get can read; damage is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.disclose.get import Excerpt
from remem.files.layout import Layout
from remem.model.scope import MAIN
from remem.setup.validate.result import ValidationCheck
from remem.setup.validate.round_trip import check_domain_files
from tests.conftest import Opener


@pytest.fixture
def facts(opened: Opener, root: Path) -> Path:
    memory = opened()
    memory.store_many(
        {"category": "fact", "content": f"Fact {i} is about drawer {i}."} for i in range(60)
    )
    memory.store(category="fact", content="Said by nobody:\n```\ncode\n```", trust="untrusted")
    return root / "memory/domains/facts.md"


def paged(root: Path, path: str, from_line: int) -> Excerpt:
    """Fifty lines at a time, as memory_get gives them."""
    lines = (root / path).read_bytes().decode(errors="replace").removesuffix("\n").split("\n")
    page = lines[from_line - 1 : from_line + 49]
    return Excerpt("ok", "\n".join(page), path, from_line, len(page))


def check(root: Path) -> ValidationCheck:
    layout = Layout(root)
    return check_domain_files(layout, layout.domains(MAIN), lambda path, at: paged(root, path, at))


def test_files_written_by_remem_pass(facts: Path, root: Path) -> None:
    result = check(root)

    assert (result.passed, result.summary, result.reasons) == (True, "2 files", ())


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (b"\xff\xfe\n", "is not UTF-8"),
        (b"\x00\n", "NUL"),
        (b"```\nnever closed\n", "not closed"),
        (b'- A fact. <!-- {"created":5} --> ^mem-zzzzzzzz\n', "the comment of mem-zzzzzzzz"),
    ],
)
def test_damage_is_reported_with_its_file(
    facts: Path, root: Path, damage: bytes, says: str
) -> None:
    facts.write_bytes(facts.read_bytes() + damage)

    result = check(root)

    assert not result.passed
    assert says in result.reasons[0]
    assert "memory/domains/facts.md" in result.reasons[0]


def test_a_faulty_get_is_caught(facts: Path, root: Path) -> None:
    layout = Layout(root)

    def refused(path: str, _at: int) -> Excerpt:
        return Excerpt("error", path=path, error="not allowed")

    def stopping(path: str, at: int) -> Excerpt:
        return paged(root, path, at) if at == 1 else Excerpt("ok", "", path, at, 0)

    def shifted(path: str, at: int) -> Excerpt:
        return paged(root, path, at + 1)

    for get, says in (
        (refused, "not allowed"),
        (stopping, "at line 51"),
        (shifted, "from line 1 on"),
    ):
        result = check_domain_files(layout, layout.domains(MAIN), get)
        assert not result.passed
        assert says in result.reasons[0]


def test_a_memory_without_domain_files_passes(tmp_path: Path) -> None:
    assert check_domain_files(Layout(tmp_path), tmp_path, lambda *_: Excerpt()).passed
