"""Every token has a source, and every source says when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.admin.audit.result import Audit
from remem.admin.audit.sources import sections, skill_summary
from remem.files.host_files import FileContent
from remem.files.layout import Layout
from remem.model.host_loading import HOST_FILES, MEMORY_MD, omitted_parts
from remem.setup.activate import activate
from remem.setup.hosts.connect import connect
from remem.setup.hosts.targets import WholeFile
from tests.conftest import Opener

FILES = {
    "AGENTS.md": "# Agents\n- Read the index first.\n",
    "SOUL.md": "Calm and brief.\n",
    "IDENTITY.md": "Name: Luna\n",
    "USER.md": "- Lives in Porto.\n",
    "TOOLS.md": "- printer: 10.0.0.7\n",
    "HEARTBEAT.md": "- look at the inbox\n",
    "MEMORY.md": "# Memory\n\n## People\n- Ana is a designer.\n\n## Rules\n- Ask first.\n",
    "skills/post/SKILL.md": (
        "---\nname: post\ndescription: >\n  Writes letters\n  to authorities.\n---\nDo it.\n"
    ),
    "memory/2026-11-14.md": "- planted bulbs\n",
    "memory/ideas.md": "- a boat\n",
    "memory/groups/alpha.md": "not main's\n",
}

QUIET = {".remem/config.toml": 'embedder = "none"\n'}


def written(root: Path, files: dict[str, str] = FILES) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def by_source(audit: Audit) -> dict[str, str]:
    return {item.source: item.category for item in audit.analysis.breakdown}


LOADED = "every conversation"


@pytest.mark.parametrize(
    ("host", "activated", "index", "memory_md"),
    [
        ("claude-code", False, True, False),
        ("claude-desktop", False, False, False),
        ("openclaw", False, False, True),
        ("openclaw", True, True, False),
    ],
)
def test_the_connected_host_decides_which_memory_every_conversation_pays(
    root: Path, opened: Opener, host: str, activated: bool, index: bool, memory_md: bool
) -> None:
    written(root)
    memory = opened()
    memory.store(category="fact", content="The gate is red.")
    connect(Layout(root), host, [WholeFile(root / "host.json", b"{}")], lambda _diff: True)
    if activated:
        activate(Layout(root), "0a1b2c3d")

    shown = by_source(memory.audit(tools="tool text"))

    assert (LOADED in shown["memory/INDEX.md"], LOADED in shown["MEMORY.md § People"]) == (
        index,
        memory_md,
    )


def test_each_file_says_what_it_is_and_when_it_is_loaded(root: Path, opened: Opener) -> None:
    written(root)
    memory = opened()
    memory.store(category="fact", content="The gate is red.")

    shown = by_source(memory.audit(tools="tool text"))

    assert shown == {
        "AGENTS.md": "instructions, every conversation",
        "SOUL.md": "persona, every conversation",
        "IDENTITY.md": "persona, every conversation",
        "USER.md": "about the user, every conversation",
        "TOOLS.md": "places and tools, every conversation",
        "HEARTBEAT.md": "recurring tasks, every conversation",
        "MEMORY.md § Memory": "curated memory, every conversation",
        "MEMORY.md § People": "curated memory, every conversation",
        "MEMORY.md § Rules": "curated memory, every conversation",
        "skills (name and description of 1)": "skills, every conversation",
        "skills/*/SKILL.md": "skills, on demand",
        "memory tools (core profile)": "tool schemas, every conversation",
        "memory/INDEX.md": "index, on demand",
        "memory/domains/facts.md": "entries, on demand",
        "memory/ (daily notes: 1)": "daily notes, on demand",
        "memory/ (other notes: 1)": "other notes, on demand",
    }


def test_the_parts_add_up_to_the_total(root: Path, opened: Opener) -> None:
    written(root)
    audit = opened().audit()
    costs = audit.analysis.breakdown

    assert audit.analysis.total_tokens == sum(cost.tokens for cost in costs)
    assert abs(sum(cost.percentage for cost in costs) - 100) < 1
    assert audit.headline is not None
    assert audit.headline.every_conversation_tokens == sum(
        cost.tokens for cost in costs if cost.category.endswith("every conversation")
    )


@pytest.mark.parametrize(
    ("scope", "begins"),
    [
        ("memory_md", ("MEMORY.md",)),
        ("domains", ("memory/domains/",)),
        (
            "system_prompt",
            ("AGENTS", "SOUL", "IDENTITY", "USER", "TOOLS", "HEART", "skills (", "memory/INDEX"),
        ),
    ],
)
def test_a_scope_selects_its_sources(
    root: Path, opened: Opener, scope: str, begins: tuple[str, ...]
) -> None:
    written(root)
    memory = opened()
    memory.store(category="fact", content="The gate is red.")

    sources = by_source(memory.audit(scope))

    assert sources
    assert all(source.startswith(begins) for source in sources)
    assert {
        name for name in begins if not any(source.startswith(name) for source in sources)
    } == set()


def test_a_long_file_is_cut_in_the_middle_as_the_host_does() -> None:
    long = omitted_parts({MEMORY_MD: 60_000, "USER.md": 5_000, "AGENTS.md": 20_000})

    assert (long[MEMORY_MD].head, 60_000 - long[MEMORY_MD].tail) == (15_000, 5_000)
    assert (long["USER.md"].head, 5_000 - long["USER.md"].tail) == (3_000, 1_000)
    assert long["AGENTS.md"].head == long["AGENTS.md"].tail == 20_000


def test_all_files_together_have_a_limit_too() -> None:
    long = omitted_parts({file.name: 20_000 for file in HOST_FILES})
    loaded = sum(cut.head + 20_000 - cut.tail for cut in long.values())

    assert loaded == 60_000
    assert long[MEMORY_MD].head == 0


def test_what_the_host_cuts_is_named_and_not_counted(root: Path, opened: Opener) -> None:
    bullets = "".join(f"- item {number} of the long list\n" for number in range(1_500))
    written(root, {"MEMORY.md": f"# Memory\n\n## All\n{bullets}", **QUIET})
    audit = opened(embedder=None).audit("memory_md")
    shown = {item.source: item for item in audit.analysis.breakdown}

    assert shown["MEMORY.md (middle)"].category == "curated memory, cut by the host's limit"
    assert audit.headline is not None
    assert audit.headline.cut_tokens == shown["MEMORY.md (middle)"].tokens
    assert audit.headline.memory_tokens == audit.analysis.total_tokens - audit.headline.cut_tokens


def test_once_activated_every_conversation_pays_for_the_index(root: Path, opened: Opener) -> None:
    memory = opened()
    before = memory.audit().headline
    activate(Layout(root), "0123abcd")
    audit = memory.audit()

    assert by_source(audit)["memory/INDEX.md"] == "index, every conversation"
    assert before is not None
    assert audit.headline is not None
    assert audit.headline.memory_tokens == before.memory_tokens + memory.index().tokens


def test_a_heading_in_a_code_fence_starts_no_section() -> None:
    text = "# M\n## A\n```\n## not one\n```\n## B\n- x\n"

    assert [(section.title, section.start, section.end) for section in sections(text)] == [
        ("M", 1, 1),
        ("A", 2, 5),
        ("B", 6, 8),
    ]


def test_a_file_that_only_has_small_headings_is_cut_at_those() -> None:
    assert [section.title for section in sections("intro\n### A\n### B\n")] == ["(top)", "A", "B"]


def test_a_skill_costs_its_name_and_description() -> None:
    folded = FileContent("skills/post/SKILL.md", FILES["skills/post/SKILL.md"].encode())
    bare = FileContent("skills/bare/SKILL.md", b"no front matter")

    assert skill_summary(folded) == "post: Writes letters to authorities."
    assert skill_summary(bare) == "bare: "


def test_a_file_that_cannot_be_read_is_named_and_the_rest_counted(
    root: Path, opened: Opener
) -> None:
    written(root)
    (root / "SOUL.md").unlink()
    (root / "SOUL.md").symlink_to(root / "AGENTS.md")

    audit = opened().audit()

    assert any("SOUL.md is a symbolic link" in note for note in audit.notes)
    assert "SOUL.md" not in by_source(audit)
    assert "AGENTS.md" in by_source(audit)


def test_odd_files_do_not_stop_an_audit(root: Path, opened: Opener, tmp_path: Path) -> None:
    written(root, {"SOUL.md": "Calm.\n"})
    (root / "AGENTS.md").symlink_to(tmp_path / "nowhere")
    (root / "MEMORY.md").mkdir()
    (root / "skills").symlink_to(tmp_path)
    (tmp_path / "post").mkdir()
    (tmp_path / "post/SKILL.md").write_text("outside\n")

    audit = opened().audit(recommend=True)

    assert {"SOUL.md", "memory/INDEX.md"} == set(by_source(audit))
    assert len(audit.notes) >= 3


def test_odd_bytes_are_counted_and_break_nothing(root: Path, opened: Opener) -> None:
    written(root)
    (root / "MEMORY.md").write_bytes(b"\xff\xfe## A\r\n- x\x00y\r\n```\nnever closed\n")

    assert opened().audit("memory_md", recommend=True).analysis.total_tokens > 5
