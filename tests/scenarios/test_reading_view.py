"""What a person sees of remem's files in a preview: their text and short block ids.

The files are rendered as CommonMark; comments are in the HTML, but a browser does not show them.
Block ids follow the rules that Obsidian documents: letters, digits and dashes at the end of a
block, after a space, each only once in a file.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import Opener

markdown_it = pytest.importorskip("markdown_it")

CONTENTS = (
    "Zoe lives in Bern.",
    "A comment ends with --> here.\n<!-- and never ends",
    "Two lines\n- and a list below\n- of two",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "```sh\necho 1\n```",
    "%% not hidden in CommonMark %%",
)
MEMORY = (
    "# Memory\n\n## Rules\n\n- Never push to main on Fridays.\n- Always ask -- then delete -->.\n"
)
_ID = re.compile(r"(?:^|\s)(\^(?:mem|rem)-[0-9a-z]+)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BLOCK_END = re.compile(r"</(?:li|p|h\d|tr|pre|td|th)>|<(?:ul|ol|li|p|br)[^>]*>")


def reading_view(text: str) -> str:
    rendered = _COMMENT.sub("", markdown_it.MarkdownIt("commonmark").enable("table").render(text))
    return html.unescape(re.sub(r"<[^>]+>", "", _BLOCK_END.sub("\n", rendered)))


@pytest.fixture
def files(opened: Opener, root: Path) -> dict[str, str]:
    root.mkdir(exist_ok=True)
    (root / "MEMORY.md").write_text(MEMORY)
    memory = opened()
    memory.setup.migrate()
    for content in CONTENTS:
        memory.store(category="fact", content=content, tags=["a-tag"])
    memory.store(category="fact", content="Eve says --> hello.", trust="untrusted")
    memory.flush(
        [
            {"kind": "task", "text": "Order cables"},
            {"kind": "context", "text": "The app is tested.", "project": "app"},
        ]
    )
    memory.facts.record("Anna", "Anna rows.")
    memory.maintenance.synthesize()
    paths = [*root.glob("memory/**/*.md"), *root.glob("brain/**/*.md")]
    return {str(path.relative_to(root)): path.read_text() for path in paths}


def test_metadata_and_sources_are_not_shown(files: dict[str, str]) -> None:
    assert len(files) > 8
    for name, text in files.items():
        view = reading_view(text)
        for hidden in ('{"', "remem:", "@", "created", "MEMORY.md#L"):
            assert hidden not in view, (name, hidden, view)


def test_every_text_is_shown(files: dict[str, str]) -> None:
    view = reading_view(files["memory/domains/facts.md"])

    for word in ("Zoe lives in Bern.", "ends with -->", "never ends", "of two", "echo 1", "%% not"):
        assert word in view
    assert "Eve says --> hello." in reading_view(files["memory/domains/untrusted.md"])
    assert "Always ask -- then delete" in reading_view(files["memory/main/longterm.md"])


def test_block_ids_are_at_the_end_of_their_block_and_unique(files: dict[str, str]) -> None:
    for name, text in files.items():
        if name.startswith("memory/domains/"):
            shown = _ID.findall(reading_view(text))
            written = re.findall(r"\^mem-[0-9a-z]{8}", _COMMENT.sub("", text))
            assert sorted(shown) == sorted(written), name
            assert not [id_ for id_, count in Counter(shown).items() if count > 1]
