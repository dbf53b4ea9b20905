"""Wording in code and documents: the slips that a reader stumbles over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = next(path for path in Path(__file__).parents if (path / "pyproject.toml").exists())
SOURCE = ROOT / "src/remem"
WORDS = re.compile(r"\b(?:anew|whoever|himself|belongs into)\b", re.IGNORECASE)
SOURCE_WORDS = re.compile(r"\b(?:told|anew|whoever|beside|himself)\b", re.IGNORECASE)
QUESTION = re.compile(
    r"(?:How|What|Who|Whose|Where|Which|When|Why|Does|Do|Is|Are|Has|Have|May|Can|Could|Was|Did|As)\b"
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LOOP = re.compile(r"\bfor each in\b")


def comments_and_strings(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield node.body[0].lineno, docstring
    for number, line in enumerate(text.splitlines(), 1):
        if (found := re.search(r"(?:^|\s)#\s(.*)$", line)) is not None:
            yield number, found[1]


def slips(text: str) -> list[str]:
    """What a reviewer would mark in a Python file."""
    found = [
        f"{line}: {word[0]}"
        for line, prose in comments_and_strings(text)
        for word in SOURCE_WORDS.finditer(prose)
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED):
            first = (ast.get_docstring(node) or "").split("\n\n")[0]
            if QUESTION.match(first) and "?" in first:
                found.append(f"{node.body[0].lineno}: a docstring that asks")
    found += [
        f"{number}: for each in"
        for number, line in enumerate(text.splitlines(), 1)
        if LOOP.search(line)
    ]
    return found


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_the_source_is_written_in_plain_english() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): marked
        for path in sources()
        if (marked := slips(path.read_text(encoding="utf-8")))
    }

    assert found == {}


def test_the_documents_are_written_in_plain_english() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    found = {
        path.relative_to(ROOT).as_posix(): [
            f"{number}: {word[0]}"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for word in WORDS.finditer(line)
        ]
        for path in pages
        if path.name not in {"CONTRIBUTING.md", "CHANGELOG.md"}
    }

    assert {name: marked for name, marked in found.items() if marked} == {}


@pytest.mark.parametrize(
    "text",
    [
        '"""How does it work? Well."""',
        '"""Rebuild it anew."""',
        "# whoever asks is answered\nx = 1",
        "for each in entries:\n    print(each)",
    ],
)
def test_a_slip_would_be_caught(text: str) -> None:
    assert slips(text)
