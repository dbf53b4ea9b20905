"""An owner who does not write English finds no English in what remem writes for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from remem.text.pattern_file import pattern_file
from tests.conftest import Opener

GERMAN = {
    "MEMORY.md": """# Langzeitgedächtnis

## Regeln

- Rechnungen werden nie ohne Rückfrage verschickt.
- Vor jedem Löschen wird immer gefragt.

## Über Anna

- Anna mag kurze Antworten und wohnt seit 2024 in Bern.
- Anna arbeitet mit dem Team in Zürich an der neuen Hafen-App.
""",
    "USER.md": "# Nutzer\n\n- Name: Anna Berg\n- Sprache: Deutsch, bitte immer auf Deutsch.\n",
    "memory/2026-11-02.md": "# 2026-11-02\n\n## Hafen\n\n- Die Boote wurden neu gestrichen.\n",
}
CHINESE = {
    "MEMORY.md": """# 长期记忆

## 规则

- 未经我同意，绝不要发送发票。
- 删除任何文件之前必须先询问我。

## 关于安娜

- 安娜喜欢简短的回答，2024 年起住在伯尔尼。
- 安娜和苏黎世的团队一起开发新的港口应用。
""",
    "USER.md": "# 用户\n\n- 姓名：安娜\n- 语言：中文，请始终用中文回答。\n",
    "memory/2026-11-02.md": "# 2026-11-02\n\n## 港口\n\n- 今天把所有的船重新刷了油漆。\n",
}
LESSONS = {
    "de": [
        ("task", "Neue Kabel für das Rack bestellen"),
        ("decision", "Das Teamtreffen ist ab jetzt donnerstags um zehn."),
        ("insight", "Wiederholungen ohne Pause haben den Ausfall verschlimmert."),
        ("context", "Die Ernte-App wird bis März mit drei Höfen getestet."),
        ("rule", "Antworte immer auf Deutsch und ohne Floskeln."),
    ],
    "zh": [
        ("task", "给机柜订购新的网线"),
        ("decision", "团队会议改到周四上午十点。"),
        ("insight", "没有间隔的重试让故障更严重。"),
        ("context", "采收应用在三月之前由三个农场测试。"),
        ("rule", "始终用中文回答，不要客套话。"),
    ],
}
GROUP = "agent:main:telegram:group:-100123"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`|\bmemory_\w+\(.*?\)|\S+\.md\b|\S*/\S*")


def english_texts(language: str) -> list[re.Pattern[str]]:
    """Every fixed text in English that is different in the language."""
    data = pattern_file("text/labels")
    number = data["languages"].index(language)
    texts: set[str] = set()
    for table in ("headings", "gate_rules", "gate_triggers", "texts"):
        for values in data[table].values():
            if values[0].casefold() not in values[number].casefold():
                texts.add(values[0])
    spaced = (re.sub(r"\\\{\w+\\\}", ".{1,20}", re.escape(text)) for text in texts)
    return [re.compile(rf"(?<![\w`]){text}(?![\w`])") for text in spaced]


def written(root: Path) -> dict[str, str]:
    """What a person reads in the files that remem wrote, without comments, code and paths."""
    paths = [*root.glob("memory/**/*.md"), *root.glob("brain/**/*.md")]
    texts = {str(path.relative_to(root)): path.read_text() for path in paths}
    return {name: _CODE.sub("", _COMMENT.sub("", text)) for name, text in texts.items()}


@pytest.mark.parametrize(("language", "files"), [("de", GERMAN), ("zh", CHINESE)])
def test_files_and_start_text_are_in_the_language_of_the_owner(
    opened: Opener, root: Path, language: str, files: dict[str, str]
) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    items: list[dict[str, Any]] = [{"kind": kind, "text": text} for kind, text in LESSONS[language]]
    items[3]["project"] = "hafen"
    memory = opened()
    memory.setup.migrate()
    memory.flush(items)
    memory.flush([items[0] | {"status": "done"}])
    memory.flush([items[0] | {"status": "blocked"}])
    memory.facts.record("Anna", items[1]["text"])
    memory.store(category="fact", content=items[2]["text"] + " 2", trust="untrusted")
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "garden"}')
    memory.maintenance.synthesize()
    start = memory.start().text
    memory.close()
    group = opened(session=GROUP)
    group.flush([{"kind": kind, "text": text} for kind, text in LESSONS[language]])
    group.flush([items[0] | {"status": "done"}])
    group.store(category="fact", content=items[2]["text"])

    pages = written(root) | {"start": start, "group start": group.start().text}

    assert len(pages) > 14, sorted(pages)
    found = [
        (name, line)
        for name, text in pages.items()
        for line in text.split("\n")
        for pattern in english_texts(language)
        if pattern.search(_CODE.sub("", line))
    ]
    assert not found


FORM = """# USER.md - About Your Human

_Learn about the person you're helping. Update this as you go._

- **Name:** {name}
- **What to call them:** {name}
- **Pronouns:** _(optional)_

## Context

{context}

The more you know, the better you can help. But remember, you're not building a dossier.
"""


@pytest.mark.parametrize(
    ("context", "note"),
    [
        ("Arbeitet mit dem Team in Zürich an einer App und braucht kurze Antworten.", ""),
        ("_(What do they care about? What annoys them?)_", "Die Boote wurden heute gestrichen."),
    ],
)
def test_the_owners_words_decide_the_language_and_not_the_form_of_a_host(
    opened: Opener, root: Path, context: str, note: str
) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "USER.md").write_text(FORM.format(name="Anna", context=context), encoding="utf-8")
    (root / "memory/2026-11-02.md").write_text(f"# 2026-11-02\n\n- {note}\n", encoding="utf-8")

    opened().flush([{"kind": "task", "text": "Rack 4"}])

    assert (
        (root / "memory/main/attention.md").read_text(encoding="utf-8").startswith("# Im Blick\n")
    )
