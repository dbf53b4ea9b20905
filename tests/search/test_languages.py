"""A hint names the languages that the configured model does not read."""

from __future__ import annotations

from pathlib import Path

from remem import open_workspace
from remem.text.language import FULL_SUPPORT
from tests.deterministic import Deterministic
from tests.tables import each_row

CHINESE = [f"第{number}号抽屉里放着合同和发票，请不要删除。" for number in range(8)]
ENGLISH = [f"Drawer {number} has the contract and the invoice in it." for number in range(20)]


class EnglishOnly(Deterministic):
    def language_support(self, text: str) -> int:
        return FULL_SUPPORT if text.isascii() else 0


def hint(folder: Path, lines: list[str], model: Deterministic) -> str | None:
    (folder / "MEMORY.md").write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")
    with open_workspace(folder, session="main", embedder=model, background=False) as memory:
        memory.refresh()
        assert (
            memory.language_hint is None or memory.language_hint in memory.status().health.degraded
        )
        return memory.language_hint


def test_unread_languages_are_named_with_the_command_that_adds_a_model(tmp_path: Path) -> None:
    said = hint(tmp_path, CHINESE + ENGLISH, EnglishOnly())

    assert said is not None
    assert said.startswith("8 passages are in Chinese; `remem models fetch multilingual`")


@each_row("lines", [ENGLISH, [*ENGLISH, CHINESE[0]]])
def test_english_notes_with_a_quotation_need_no_hint(tmp_path: Path, lines: list[str]) -> None:
    assert hint(tmp_path, lines, EnglishOnly()) is None


def test_a_model_that_reads_the_language_needs_no_hint(tmp_path: Path) -> None:
    assert hint(tmp_path, CHINESE + ENGLISH, Deterministic()) is None
