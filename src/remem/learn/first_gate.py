"""Create the first gate of a scope, with routes to the files that exist.

A group's gate has the room's name as its title; main's also lists the topics of MEMORY.md. An
existing gate is never overwritten, even if two processes start at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.extract.headings import bare_title, without_brackets
from remem.files import atomic
from remem.files.layout import Layout, markdown_in
from remem.files.start_files import owner_language
from remem.learn.file_updates.routing import MAIN_TIERS, TIERS, route_row, trigger_words
from remem.model.gate_edit import routing_section
from remem.model.scope import Scope
from remem.model.section import section_title
from remem.text.labels import label, punctuation
from remem.text.language import language_of
from remem.text.markdown import outline
from remem.text.secrets.mask import redact
from remem.text.words import fold

_MIN_HEADINGS: Final = 3
_MAX_HEADINGS: Final = 12
_MAX_HEADING_LENGTH: Final = 40
_LONGTERM: Final = "longterm.md"
_GROUP_RULES: Final = ("read_first_group", "load_one", "stays_here", "only_grows")
_MAIN_RULES: Final = ("read_first_main", "private", "only_grows")


def create_gate(layout: Layout, scope: Scope, texts: Iterable[str] = ()) -> Path | None:
    """Create the gate of a scope if it has none; return its path if it was created.

    `texts` are the lessons so far; they determine the language of the routes.
    """
    path = layout.gate(scope)
    if path is None or path.is_symlink() or path.exists():
        return None
    atomic.refuse_links(layout.root, path)
    text = _main_gate(layout, texts) if scope.kind == "main" else _group_gate(layout, scope, texts)
    return path if atomic.create(path, text.encode()) else None


def title_of(scope: Scope) -> str:
    """Return the title of a group's first gate."""
    return _table_text(scope.name)


def _group_gate(layout: Layout, scope: Scope, texts: Iterable[str]) -> str:
    """Return a gate with routes to the group's files that exist.

    The route to a later file is added when that file is created.
    """
    language = language_of("\n".join([scope.name, *texts]))
    folder = layout.root / layout.scope_folder(scope)
    existing = (file for file in TIERS if (folder / file).is_file())
    rows = [route_row(trigger_words(file, language), file, TIERS[file]) for file in existing]
    return _page(title_of(scope), _GROUP_RULES, rows, language)


def _main_gate(layout: Layout, texts: Iterable[str]) -> str:
    """Return a gate with routes to the files of main that exist, projects included.

    The headings of MEMORY.md are the trigger words for its condensed form, longterm.md; until
    that exists, a sentence lists them.
    """
    language = owner_language(layout) or language_of("\n".join(texts))
    folder = layout.memory / "main"
    rows = [
        route_row(main_trigger(layout, file, language), file, MAIN_TIERS[file])
        for file in MAIN_TIERS
        if (folder / file).is_file()
    ]
    topics = "" if (folder / _LONGTERM).is_file() else _topics(layout, language)
    for name in markdown_in(folder / "projects"):
        stem = name.removesuffix(".md").replace("-", " ")
        title = _title(folder / "projects" / name)
        trigger = title if fold(title) == fold(stem) else stem
        rows.append(route_row(_table_text(trigger), f"projects/{name}", "P3"))
    return _page(label("main", language), _MAIN_RULES, rows, language, topics)


def main_trigger(layout: Layout, file: str, language: str) -> str:
    """Return the trigger words of a file of main, with its topics for longterm.md.

    As long as longterm.md has no headings, its topics are those of MEMORY.md.
    """
    words, marks = trigger_words(file, language), punctuation(language)
    if file != _LONGTERM:
        return words
    pages = (layout.memory / "main" / _LONGTERM, layout.root / "MEMORY.md")
    topics = next(filter(None, (_headings(_readable_text(page)) for page in pages)), [])
    return f"{words}{marks.colon}{marks.comma.join(topics)}" if topics else words


def without_topics(text: str, language: str) -> str:
    """Remove the sentence about MEMORY.md from main's gate, once longterm.md has a route."""
    start = re.escape(_capitalized(trigger_words(_LONGTERM, language)))
    sentence = re.compile(rf"^{start}(?:[ \u00a0]?[:：].*)?\.\n\n", re.MULTILINE)
    return sentence.sub("", text, count=1)


def _topics(layout: Layout, language: str) -> str:
    """Return the sentence that lists the topics of MEMORY.md."""
    return f"{_capitalized(main_trigger(layout, _LONGTERM, language))}."


def _capitalized(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _page(
    title: str, rules: Sequence[str], rows: Sequence[str], language: str, topics: str = ""
) -> str:
    bullets = [f"- {label(rule, language, 'gate_rules')}" for rule in rules]
    head = [f"# {title}", "", *([topics, ""] if topics else [])]
    lines = [*head, f"## {label('hard_rules', language)}", "", *bullets]
    if rows:
        lines += ["", *routing_section(rows, language)]
    return "\n".join(lines) + "\n"


def _headings(text: str) -> list[str]:
    """Return the shortened headings below the title of MEMORY.md or longterm.md.

    Secrets in them are masked. Lower headings count if there are few of the second level. Dates,
    pictures and explanations in brackets are left out.
    """
    headings = [block for block in outline(text) if block.kind == "heading" and block.text]
    below = [block for block in headings if block.level == 2]
    if len(below) < _MIN_HEADINGS:
        below = headings[1:]
    bare = (_topic(section_title(block.text)) for block in below)
    titles = (_table_text(redact(title).text) for title in bare)
    short = (_shortened(title) for title in titles if title)
    return list(dict.fromkeys(short))[:_MAX_HEADINGS]


def _topic(title: str) -> str:
    """Return a heading without its date, time and explanation: `(15:49 Backup)` is `Backup`."""
    bare = without_brackets(bare_title(title))
    return bare_title(bare.strip("()（）")) if bare.startswith(("(", "（")) else bare


def _shortened(title: str) -> str:
    """Return a heading that is short enough for a table, cut at a word if there are several."""
    if len(title) <= _MAX_HEADING_LENGTH:
        return title
    head = title[:_MAX_HEADING_LENGTH]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head else head}…"


def _readable_text(path: Path) -> str:
    """Return a file's text; empty if it cannot be read."""
    try:
        return (atomic.read(path) or b"").decode(errors="replace")
    except RememError:
        return ""


def _title(path: Path) -> str:
    """Return the first heading of a page; empty if it has none."""
    blocks = outline(_readable_text(path))
    return next((block.text for block in blocks if block.kind == "heading"), "")


def _table_text(text: str) -> str:
    return " ".join(text.replace("|", " ").replace("<", " ").split())
