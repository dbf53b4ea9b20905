"""A scope without a gate gets a first one; an existing gate is never overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remem.errors import FileError
from remem.files.layout import Layout
from remem.learn.first_gate import create_gate, main_trigger, without_topics
from remem.model.gate import read_gate_file
from remem.model.scope import MAIN, Scope
from tests.conftest import SECRET, Opener
from tests.faults import crowd

GARDEN = Scope("group", "garden")


def test_a_group_gets_the_routes_of_the_protocol(tmp_path: Path) -> None:
    """ "P0 attention.md: any work conversation. P1 project.md: technical decisions. P2
    experience.md: search hit. P3 people.md: need to find someone." """
    for name in ("attention.md", "project.md", "experience.md", "people.md"):
        (tmp_path / "memory/groups/garden").mkdir(parents=True, exist_ok=True)
        (tmp_path / "memory/groups/garden" / name).write_text("# Mine\n")

    made = create_gate(Layout(tmp_path), GARDEN)

    assert made == tmp_path / "memory/groups/garden.md"
    text = made.read_text()
    assert text.startswith("# garden\n")
    assert "marked deprecated, never removed" in text
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if ".md |" in line]
    assert [(file, tier) for _, file, tier in rows] == [
        ("attention.md", "P0"),
        ("project.md", "P1"),
        ("experience.md", "P2"),
        ("people.md", "P3"),
    ]
    assert rows[0][0].startswith("any work conversation")
    assert made.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("said", "rules", "routing"),
    [
        (
            "Wir haben beschlossen, dass die Bohnen im April gesät werden.",
            "Feste Regeln",
            "Wegweiser",
        ),
        ("Nous avons décidé que les haricots sont semés en avril.", "Règles fermes", "Aiguillage"),
        ("Hemos decidido que las judías se siembran en abril.", "Reglas firmes", "Rutas"),
        (
            "Nós decidimos que os feijões são semeados em abril, não antes.",
            "Regras firmes",
            "Rotas",
        ),
        ("我们决定在四月种豆子。", "硬性规则", "路由"),
        ("四月に豆をまくことに決めました。", "守るべきルール", "ルーティング"),
        ("Мы решили, что бобы сеют в апреле.", "Твёрдые правила", "Маршруты"),
    ],
)
def test_a_gate_has_the_language_of_the_conversation_and_only_routes_that_lead_somewhere(
    opened: Opener, root: Path, said: str, rules: str, routing: str
) -> None:
    (root / "memory").mkdir(parents=True, exist_ok=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    opened("agent:main:telegram:group:-100").flush([{"kind": "decision", "text": said}])

    text = (root / "memory/groups/garden.md").read_text(encoding="utf-8")
    gate = read_gate_file(text)
    assert f"## {rules}\n" in text
    assert f"## {routing}\n" in text
    assert len(gate.rules) == 4
    assert [(route.file, route.tier) for route in gate.routes] == [("experience.md", "P2")]


def test_main_is_routed_by_the_headings_of_memory_md_and_what_exists(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(
        f"# Memory\n\n## Garden | beds\n\n- beans\n\n## Key {SECRET}\n\n### Deep\n\n"
        "## What the neighbours said about the fence and the old gate\n"
    )
    (tmp_path / "memory/main/projects").mkdir(parents=True)
    (tmp_path / "memory/main/projects/new-shed.md").write_text("# Shed\n")
    (tmp_path / "memory/main/longterm.md").write_text("# Long\n")

    made = create_gate(Layout(tmp_path), MAIN)

    assert made is not None
    text = made.read_text()
    assert "| what lasts: Garden beds, Key" in text
    assert "| new shed | projects/new-shed.md | P3 |" in text
    assert SECRET not in text
    assert "Deep" not in text
    assert "What the neighbours said about the… | longterm.md" in text


def test_the_topics_of_memory_md_are_a_sentence_until_a_file_condenses_it(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(
        "# Memory\n\n## Garden\n\n- beans\n\n## 🚤 The boat (2026-11-02) ⭐\n\n## Shed (mine!)\n"
    )

    made = create_gate(Layout(tmp_path), MAIN)

    assert made is not None
    text = made.read_text()
    assert text.startswith("# Main\n\nWhat lasts: Garden, The boat, Shed.\n\n## ")
    trigger = main_trigger(Layout(tmp_path), "longterm.md", "en")
    assert trigger == "what lasts: Garden, The boat, Shed"
    assert without_topics(text, "en").startswith("# Main\n\n## ")


def test_main_is_routed_by_the_headings_of_its_pages_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "memory/main/projects").mkdir(parents=True)
    (tmp_path / "memory/main/projects/new-shed.md").write_text("# New Shed\n")
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n## Garden\n\n## Boat\n\n## Shed\n")
    (tmp_path / "memory/main/longterm.md").write_text("# Long\n\n## Boat\n\n## Shed\n")

    made = create_gate(Layout(tmp_path), MAIN)

    assert made is not None
    text = made.read_text()
    assert "| what lasts: Boat, Shed | longterm.md | P1 |" in text
    assert "| New Shed | projects/new-shed.md | P3 |" in text


def test_without_notes_of_the_owner_mains_gate_is_in_the_language_of_the_lessons(
    tmp_path: Path,
) -> None:
    made = create_gate(Layout(tmp_path), MAIN, ["Die Bohnen kommen in das dritte Beet."])

    assert made is not None
    assert made.read_text().startswith("# Übersicht\n")


def test_an_unreadable_memory_md_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("# x\n\n## private\n")
    (tmp_path / "MEMORY.md").symlink_to(tmp_path / "elsewhere")

    made = create_gate(Layout(tmp_path), MAIN)

    assert made is not None
    assert "private" not in made.read_text()


def test_an_existing_gate_is_never_overwritten(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    (tmp_path / "memory/groups").mkdir(parents=True)
    gate = tmp_path / "memory/groups/garden.md"
    for make in (
        lambda: gate.write_text(""),
        lambda: gate.write_text("mine"),
        gate.mkdir,
        lambda: gate.symlink_to("nowhere"),
    ):
        make()
        assert create_gate(layout, GARDEN) is None
        assert not gate.is_file() or gate.read_text() in ("", "mine")
        gate.rmdir() if gate.is_dir() else gate.unlink()


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "memory/groups").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(FileError, match="symbolic link"):
        create_gate(Layout(tmp_path), GARDEN)
    assert os.listdir(tmp_path / "elsewhere") == []


def test_one_of_several_processes_creates_the_gate(tmp_path: Path) -> None:
    for round_ in range(5):
        layout = Layout(tmp_path / str(round_))

        def act(say: crowd.Say, layout: Layout = layout) -> None:
            said = [f"words of process {os.getpid()}", "花园" * 500]
            say(b"made" if create_gate(layout, GARDEN, said) else b"found")

        told = [child.heard for child in crowd.together([act] * 8)]

        assert sorted(told) == [b"found"] * 7 + [b"made"]
        text = (layout.root / "memory/groups/garden.md").read_text()
        assert text.endswith("不删除。\n")
        assert os.listdir(layout.root / "memory/groups") == ["garden.md"]


def test_a_peer_has_no_gate(tmp_path: Path) -> None:
    assert create_gate(Layout(tmp_path), Scope("peer", "telegram:direct:7")) is None
