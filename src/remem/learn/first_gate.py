"""Create the first gate of a scope.

A group's gate is built from the room's name, main's from the headings of MEMORY.md and the files
that exist. An existing gate is never overwritten, even if two processes start at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout, markdown_in
from remem.learn.file_updates.routing import COLUMNS, TIERS, TRIGGERS, route_row
from remem.model.scope import Scope
from remem.text.language import is_chinese
from remem.text.markdown import outline
from remem.text.secrets.mask import redact

_MAX_HEADINGS: Final = 16
_MAX_HEADING_LENGTH: Final = 40
_CHINESE_TRIGGERS: Final = {
    "attention.md": "任何工作对话：任务、待办、进度、状态、阻塞、截止、下一步",
    "project.md": "技术决策：技术栈、架构、工具、版本、配置",
    "experience.md": "经验教训：决定、决策、为什么、原因、问题",
    "people.md": "找人：谁、负责人、角色、联系方式、团队、偏好",
    "longterm.md": "长期记忆",
    "daily-synced.md": "最近几天：昨天、这周、最近",
}
_CHINESE_RULES: Final = {
    "group": (
        "先读本页，再读本群的其他文件；它们在同名文件夹里。",
        "只加载最合适的一个文件，到预算为止；都不合适就不加载。",
        "这里说的话只留在这里。",
        "本页只增不减：不再适用的行标为废弃，不删除。",
    ),
    "main": (
        "先读本页，再读下面最多两个文件；它们在同一个文件夹里。",
        "这些内容不进入任何群，也不进入别人的对话。",
        "本页只增不减：不再适用的行标为废弃，不删除。",
    ),
}
_CHINESE_COLUMNS: Final = ("何时", "加载", "层级")
_RULES: Final = {
    "group": (
        "Read this page before any other file of this group; they are in the folder of its name.",
        "Load the one file that fits, and stop at the budget; if none fits, load none.",
        "What is said here stays here.",
        "This page only grows: a line that no longer applies is marked deprecated, never removed.",
    ),
    "main": (
        "Read this page first, then at most two of the files below; they are in the same folder.",
        "None of this belongs in a group or in another person's chat.",
        "This page only grows: a line that no longer applies is marked deprecated, never removed.",
    ),
}


def create_gate(layout: Layout, scope: Scope, texts: Iterable[str] = ()) -> Path | None:
    """Create the gate of a scope if it has none; return its path if it was created.

    `texts` are the lessons so far; they determine the language of the routes.
    """
    path = layout.gate(scope)
    if path is None or path.is_symlink() or path.exists():
        return None
    atomic.refuse_links(layout.root, path)
    text = _main(layout) if scope.kind == "main" else _group(scope, texts)
    return path if atomic.create(path, text.encode()) else None


def title_of(scope: Scope) -> str:
    """Return the title of a group's first gate."""
    return _flat(scope.name)


def _group(scope: Scope, texts: Iterable[str]) -> str:
    chinese = is_chinese("\n".join([scope.name, *texts]))
    rows = [route_row(_trigger(file, chinese), file, tier) for file, tier in TIERS.items()]
    return _page(title_of(scope), "group", rows, chinese=chinese)


def _main(layout: Layout) -> str:
    """Return main's gate, with routes to its files and to each project that has a file.

    The headings of MEMORY.md are the trigger words for its condensed form, longterm.md.
    """
    curated = _text(layout.root / "MEMORY.md")
    chinese = is_chinese(curated)
    topics = ", ".join(_headings(curated))
    lasting = _CHINESE_TRIGGERS["longterm.md"] if chinese else "what lasts"
    recent = (
        _CHINESE_TRIGGERS["daily-synced.md"] if chinese else "recent days: yesterday, this week"
    )
    rows = [
        route_row(_trigger("attention.md", chinese), "attention.md", "P0"),
        route_row(f"{lasting}: {topics}" if topics else lasting, "longterm.md", "P1"),
        route_row(recent, "daily-synced.md", "P2"),
    ]
    for name in markdown_in(layout.memory / "main" / "projects"):
        stem = name.removesuffix(".md").replace("-", " ")
        rows.append(route_row(_flat(stem), f"projects/{name}", "P3"))
    return _page("主页" if chinese else "Main", "main", rows, chinese=chinese)


def _page(title: str, kind: str, rows: Iterable[str], *, chinese: bool) -> str:
    rules = [f"- {rule}" for rule in (_CHINESE_RULES if chinese else _RULES)[kind]]
    columns = _CHINESE_COLUMNS if chinese else COLUMNS
    table = [f"| {' | '.join(columns)} |", "|---|---|---|", *rows]
    first, second = ("硬性规则", "路由") if chinese else ("Hard rules", "Routing")
    lines = [f"# {title}", "", f"## {first}", "", *rules, "", f"## {second}", "", *table]
    return "\n".join(lines) + "\n"


def _trigger(file: str, chinese: bool) -> str:
    return f"{_CHINESE_TRIGGERS[file]} ({TRIGGERS[file]})" if chinese else TRIGGERS[file]


def _headings(text: str) -> list[str]:
    """Return the headings of MEMORY.md below its title, with secrets masked."""
    headings = [block for block in outline(text) if block.kind == "heading" and block.text]
    below = [block for block in headings if block.level == 2] or headings[1:]
    titles = (_flat(redact(block.text).text)[:_MAX_HEADING_LENGTH].strip() for block in below)
    return list(dict.fromkeys(filter(None, titles)))[:_MAX_HEADINGS]


def _text(path: Path) -> str:
    """Return a file's text; empty if it cannot be read, which other code reports."""
    try:
        return (atomic.read(path) or b"").decode(errors="replace")
    except RememError:
        return ""


def _flat(text: str) -> str:
    return " ".join(text.replace("|", " ").replace("<", " ").split())
