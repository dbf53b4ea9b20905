"""The reference pages say what the code does."""

from __future__ import annotations

import inspect
from pathlib import Path

import click
import pytest

from remem.app.tools.table import TOOLS
from remem.app.workspace import Workspace
from remem.cli.main import remem
from scripts import write_reference
from tests.test_library import public_methods


def test_no_page_is_stale() -> None:
    assert write_reference.stale() == [], "run python scripts/write_reference.py"


def test_a_page_that_says_something_else_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_reference, "FOLDER", tmp_path)
    for name, text in write_reference.pages().items():
        (tmp_path / name).write_text(text.replace("memory_recall", "memory_search"))

    assert write_reference.stale() == ["tools.md"]


def test_every_tool_and_parameter_is_documented() -> None:
    page = write_reference.pages()["tools.md"]

    for tool in TOOLS:
        assert f"## {tool.name}\n" in page
        assert all(f"| `{parameter.name}` |" in page for parameter in tool.parameters)


def test_every_command_is_documented() -> None:
    page = write_reference.pages()["commands.md"]

    for name in remem.list_commands(click.Context(remem)):
        assert f"## remem {name}\n" in page


def test_every_public_method_is_documented() -> None:
    page = write_reference.pages()["python.md"]
    public = [name for name in vars(Workspace) if not name.startswith("_")]

    for name in public:
        assert f"### {name}\n" in page or name == "services"
        assert inspect.getdoc(getattr(Workspace, name))
    for name, method in public_methods():
        assert f"### {name}\n" in page
        assert inspect.getdoc(method)
