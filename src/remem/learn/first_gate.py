"""Where does a scope's memory begin that has no gate yet? With a first one, made of what is
known: the room's name, or MEMORY.md's headings and the files that exist.

What is there is never written over, also not by two who begin at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout, markdown_in
from remem.learn.file_updates.routing import COLUMNS, TRIGGERS, route_row
from remem.model.scope import Scope
from remem.text.language import is_chinese
from remem.text.markdown import outline
from remem.text.secrets.mask import redact

_MOST_HEADINGS: Final = 16
_LONGEST_HEADING: Final = 40
_TIERS: Final = {"attention.md": "P0", "project.md": "P1", "experience.md": "P2", "people.md": "P3"}
_CHINESE: Final = {
    "attention.md": "任何工作对话：任务、待办、进度、状态、阻塞、截止、下一步",
    "project.md": "技术决策：技术栈、架构、工具、版本、配置",
    "experience.md": "经验教训：决定、决策、为什么、原因、问题",
    "people.md": "找人：谁、负责人、角色、联系方式、团队、偏好",
    "longterm.md": "长期记忆",
    "daily-synced.md": "最近几天：昨天、这周、最近",
}
_RULES: Final = {
    "group": (
        "Read this page before any other file of this group; they lie in the folder of its name.",
        "Load the one file that fits, and stop at the budget; if none fits, load none.",
        "What is said here stays here.",
        "This page only grows: a line that no longer holds is marked deprecated, never removed.",
    ),
    "main": (
        "Read this page first, then at most two of the files below; they lie beside it.",
        "None of this belongs into a group or into another person's chat.",
        "This page only grows: a line that no longer holds is marked deprecated, never removed.",
    ),
}


def first_gate(layout: Layout, scope: Scope, said: Iterable[str] = ()) -> Path | None:
    """Make the gate of a scope if it has none; its path if it was made now.

    `said` is what the conversation was about: it tells in which language to route.
    """
    path = layout.gate(scope)
    if path is None or path.is_symlink() or path.exists():
        return None
    atomic.refuse_links(layout.root, path)
    text = _main(layout) if scope.kind == "main" else _group(scope, said)
    return path if atomic.create(path, text.encode()) else None


def title_of(scope: Scope) -> str:
    """What a group's first gate is headed."""
    return _flat(scope.name)


def _group(scope: Scope, said: Iterable[str]) -> str:
    chinese = is_chinese("\n".join([scope.name, *said]))
    rows = [route_row(_trigger(file, chinese), file, tier) for file, tier in _TIERS.items()]
    return _page(title_of(scope), "group", rows)


def _main(layout: Layout) -> str:
    """Routes to the files of main, with the headings of MEMORY.md as the words that lead to
    its distilled form, and one to each project that has a file."""
    curated = _text(layout.root / "MEMORY.md")
    chinese = is_chinese(curated)
    topics = ", ".join(_headings(curated))
    lasting = _CHINESE["longterm.md"] if chinese else "what lasts"
    recent = _CHINESE["daily-synced.md"] if chinese else "recent days: yesterday, this week"
    rows = [
        route_row(_trigger("attention.md", chinese), "attention.md", "P0"),
        route_row(f"{lasting}: {topics}" if topics else lasting, "longterm.md", "P1"),
        route_row(recent, "daily-synced.md", "P2"),
    ]
    for name in markdown_in(layout.memory / "main" / "projects"):
        stem = name.removesuffix(".md").replace("-", " ")
        rows.append(route_row(_flat(stem), f"projects/{name}", "P3"))
    return _page("Main", "main", rows)


def _page(title: str, kind: str, rows: Iterable[str]) -> str:
    rules = [f"- {rule}" for rule in _RULES[kind]]
    table = [f"| {' | '.join(COLUMNS)} |", "|---|---|---|", *rows]
    lines = [f"# {title}", "", "## Hard rules", "", *rules, "", "## Routing", "", *table]
    return "\n".join(lines) + "\n"


def _trigger(file: str, chinese: bool) -> str:
    return f"{_CHINESE[file]} ({TRIGGERS[file]})" if chinese else TRIGGERS[file]


def _headings(text: str) -> list[str]:
    """What MEMORY.md is about, below its title; a secret in a heading stays behind."""
    found = [block for block in outline(text) if block.kind == "heading" and block.text]
    below = [block for block in found if block.level == 2] or found[1:]
    flat = (_flat(redact(block.text).text)[:_LONGEST_HEADING].strip() for block in below)
    return list(dict.fromkeys(each for each in flat if each))[:_MOST_HEADINGS]


def _text(path: Path) -> str:
    """A file that cannot be read tells nothing here; whoever asks for it is told why."""
    try:
        return (atomic.read(path) or b"").decode(errors="replace")
    except RememError:
        return ""


def _flat(text: str) -> str:
    return " ".join(text.replace("|", " ").replace("<", " ").split())
