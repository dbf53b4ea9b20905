"""The samples are what the other tests lean on: they must have the shapes that they promise."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.text.secrets.mask import redact
from remem.text.secrets.shapes import secrets_by_format
from scripts import make_sample
from tests import samples
from tests.samples import fake_secrets, memory_md, notes, odd_notes, room_files
from tests.samples.host_files import LINK
from tests.samples.transcripts import IMAGE_LINE, SAID
from tests.samples.world import world
from tests.tables import each_row

MAKERS = {**make_sample.LANGUAGES, "agents": samples.thirty_agents}
HERE = Path(__file__).parent
DATED = re.compile(r"\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|[A-Z][a-z]{2} \d")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.grown(tmp_path_factory.mktemp("samples") / "grown")


@pytest.fixture(scope="module")
def memory(grown: Path) -> str:
    return (grown / "MEMORY.md").read_text(encoding="utf-8")


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"#{1,4} ", line)]


@each_row("kind", MAKERS)
def test_one_seed_gives_the_same_bytes_and_another_seed_others(kind: str, tmp_path: Path) -> None:
    make: Callable[..., Path] = MAKERS[kind]

    first, again, other = (
        contents(make(tmp_path / name, seed=seed)) for name, seed in (("a", 5), ("b", 5), ("c", 6))
    )

    assert first == again
    assert first["MEMORY.md"] != other["MEMORY.md"]


@each_row(
    ("size", "least", "most"),
    [(0, 0, 0), (400, 300, 500), (3_000, 2_700, 3_300), (25_000, 24_500, 27_000)],
)
def test_memory_md_has_the_size_that_was_asked_for(
    size: int, least: int, most: int, tmp_path: Path
) -> None:
    root = samples.grown(tmp_path / "w", size, note_count=40)

    assert least <= (root / "MEMORY.md").stat().st_size <= most
    assert len(samples.questions(root)) >= 50


def test_a_grown_memory_md_has_the_proportions_of_life(memory: str) -> None:
    lines = memory.split("\n")
    bullets = [line for line in lines if re.match(r" *[-*+] ", line)]
    above = headings(memory)

    assert 59_000 <= len(memory.encode()) <= 64_000
    assert 500 <= len(lines) <= 900
    assert 55 <= len(above) <= 125
    assert 140 <= len(bullets) <= 700
    assert 0.15 <= sum(bool(DATED.search(line)) for line in above) / len(above) <= 0.45
    assert max(Counter(above).values()) > 1, "a heading stands twice"
    assert 700 <= max(map(len, lines)) <= 1_000
    repeated = sum(n - 1 for line, n in Counter(bullets).items())
    assert 0 < repeated / len(bullets) < 0.12


SHAPES = (
    r"^# ", r"^## ", r"^### ", r"^#### ", r"^    [-*+] ", r"^  \* ", r"^\| .* \|$",
    r"^- \[ \] ", r"^- \[x\] ", r"~~.+~~ ✅", r"^## \[decision\]", r"\(updated 04-20\)",
    r"<!-- trigger: .* -->", r"<!-- importance: 9 -->", r"<!-- project: .* -->",
    r"memory-promotion:memory:memory/.*:5:5 -->\n- no active sessions", r"\[score=0\.\d+ recal",
    r"^```toml$",
    r"Never use the helper script `ship.sh`", r"`ship.sh` helper script is now the primary way",
    r"Tests: 371 passing", r"Tests: 384 passing", r"Always answer Ilse", r"stop answering her",
    r"\[\[Runbook\]\]", r"C:\\Users", r"🔧",
)  # fmt: skip


def test_a_grown_memory_md_has_the_shapes_of_life(memory: str) -> None:
    assert [shape for shape in SHAPES if not re.search(shape, memory, re.M)] == []


def test_the_same_topic_is_written_three_times_with_other_details(memory: str) -> None:
    about = [line for line in memory.split("\n") if re.search("photo library", line, re.I)]

    assert len(set(about)) >= 3
    for detail in ("every night", "encrypted", "box 212"):
        assert detail in memory


def test_notes_reach_back_three_years_under_every_kind_of_name(grown: Path) -> None:
    names = [path.relative_to(grown).as_posix() for path in (grown / "memory").rglob("*.md")]
    forms = [
        r"memory/\d{4}-\d\d-\d\d\.md",
        r"memory/\d{4}-\d\d-\d\d-[a-z-]+\.md",
        r"memory/[a-z-]+-\d{4}-\d\d-\d\d\.md",
        r"memory/\d{4}-\d\d-\d\d-\d{4}\.md",
        r"memory/\d{4}-\d\d-\d\d_.+\.md",
        r"memory/\d{8}\.md",
        r"memory/.+/\d{4}-\d\d\.md",
        r"memory/.+/\d{4}-W\d\d\.md",
        r"memory/.+/\d{4,5}\.md",
        r"memory/people/.+\.md",
    ]

    assert 400 <= len(names) <= 450
    for form in forms:
        assert any(re.fullmatch(form, name) for name in names), form
    assert {f"memory/{year}" for year in (2023, 2024, 2025, 2026)} <= {name[:11] for name in names}
    busy = [name for name in names if name.startswith(f"memory/{notes.BUSY_DAY}")]
    assert len(busy) == notes.BUSY_DAY_NOTES


def test_the_huge_note_has_a_hundred_blocks_that_differ_little(grown: Path) -> None:
    text = (grown / odd_notes.HUGE_NOTE).read_text(encoding="utf-8")

    assert 335_000 <= len(text.encode()) <= 350_000
    assert text.count("## Heartbeat ") == 100


def test_odd_bytes_are_really_there(grown: Path) -> None:
    data = {path: (grown / path).read_bytes() for path in odd_notes.odd_notes(world("english", 1))}

    assert b"\0" in data[odd_notes.NUL]
    assert b"\r\n" in data[odd_notes.CRLF]
    assert data[odd_notes.UNCLOSED].count(b"```") == 1
    assert data[odd_notes.H2_FIRST].startswith(b"\n## ")
    assert b"\n\t\t- " in data[odd_notes.TABS]
    assert not data[odd_notes.UNENDED].endswith(b"\n")
    assert data[odd_notes.BLANK].strip() == b"" != data[odd_notes.BLANK]
    assert data[odd_notes.EMPTY] == b""
    assert "\u200b" in data[odd_notes.ZERO_WIDTH].decode()
    assert re.search(rb"[A-Za-z0-9+/]{200}", data[odd_notes.BASE64])
    assert data[odd_notes.MATTER].startswith(b"---\n")
    assert data[odd_notes.SESSION].startswith(b"# Session: ")
    assert data[odd_notes.BOM].startswith(b"\xef\xbb\xbf")
    assert data[odd_notes.UTF16].startswith((b"\xff\xfe", b"\xfe\xff"))
    with pytest.raises(UnicodeDecodeError):
        data[odd_notes.LATIN1].decode()


def test_a_default_changes_four_times_in_three_weeks(grown: Path) -> None:
    days = [day for day, _ in odd_notes.DEFAULTS]

    assert len({value for _, value in odd_notes.DEFAULTS}) == 4
    assert (days[-1] - days[0]).days <= 21
    for day, value in odd_notes.DEFAULTS:
        assert f"at {value} by default" in (grown / f"memory/{day}.md").read_text(encoding="utf-8")


def test_what_is_no_note_lies_between_the_notes(grown: Path) -> None:
    assert (grown / LINK).is_symlink()
    assert not (grown / LINK).resolve().is_relative_to(grown)
    assert (grown / "memory/cache.sqlite").read_bytes().startswith(b"SQLite format 3\0")
    assert (grown / "memory/tidy_notes.py").is_file()
    assert (grown / "memory/MEMORY.md").read_bytes() != (grown / "MEMORY.md").read_bytes()
    for name in "USER SOUL AGENTS TOOLS IDENTITY HEARTBEAT".split():
        assert (grown / f"{name}.md").stat().st_size > 50
    assert len(list((grown / "skills").glob("*/SKILL.md"))) == 3


def test_facts_come_in_all_their_variants(grown: Path) -> None:
    roots: list[type] = []
    facts: list[dict[str, Any]] = []
    for path in [*grown.glob("brain/**/*.json"), *grown.glob("life/**/*.json")]:
        if "broken" in path.parts:
            continue
        value = json.loads(path.read_text(encoding="utf-8"))
        roots.append(type(value))
        facts += value if isinstance(value, list) else value["facts"]

    assert set(roots) == {list, dict}
    assert {"active", "superseded", "completed"} <= {fact["status"] for fact in facts}
    assert any("source" not in fact for fact in facts)
    assert any("supersededBy" not in fact for fact in facts)
    assert any(fact.get("supersededBy", "") is None for fact in facts)
    assert any(len(fact["timestamp"]) > 10 for fact in facts)
    assert max(len(fact["fact"]) for fact in facts) > 200


def test_rooms_have_names_gates_and_secrets_of_their_own(grown: Path) -> None:
    names = json.loads((grown / "memory/group_names.json").read_text(encoding="utf-8"))
    choir = (grown / "memory/groups/choir/attention.md").read_text(encoding="utf-8")

    assert room_files.CHOIR in names
    assert not any(room_files.UNMAPPED in key for key in names)
    assert room_files.CHOIR_ONLY in choir
    assert (grown / "memory/groups/choir.md").is_file()


def test_secrets_are_recognised_and_look_alikes_are_not() -> None:
    for secret in fake_secrets.secrets(1):
        assert secret.value not in redact(secret.line).text, secret.line
    for alike in fake_secrets.look_alikes(1):
        assert redact(alike.line).text == alike.line
    key = fake_secrets.private_key(1)
    assert key.split("\n")[2] not in redact(key).text


def test_no_key_stands_in_the_tree() -> None:
    assert list(secrets_by_format(fake_secrets.secrets(1)[0].line)), "a key would be caught"
    for path in [*HERE.rglob("*.py"), *HERE.rglob("*.txt")]:
        found = [secret.kind for secret in secrets_by_format(path.read_text(encoding="utf-8"))]
        assert found == [], path


@each_row("kind", make_sample.LANGUAGES)
def test_every_question_is_answered_by_its_line_alone(kind: str, tmp_path: Path) -> None:
    root = make_sample.LANGUAGES[kind](tmp_path / kind)

    asked = samples.questions(root)

    assert len(asked) >= 50
    assert len({(one.path, one.line) for one in asked}) > len(asked) * 0.9
    for one in asked:
        assert (
            one.answer in (root / one.path).read_text("utf-8", "replace").split("\n")[one.line - 1]
        )


@each_row(
    ("kind", "script"),
    [("chinese", r"[\u4e00-\u9fff]"), ("japanese", r"[\u3040-\u30ff]"), ("russian", r"[а-яё]")],
)
def test_a_language_speaks_its_own_script(kind: str, script: str, tmp_path: Path) -> None:
    root = make_sample.LANGUAGES[kind](tmp_path / kind)

    text = (root / "MEMORY.md").read_text(encoding="utf-8")

    assert len(re.findall(script, text)) > len(text) / 5


def test_the_mixed_sample_spells_a_date_in_five_ways(tmp_path: Path) -> None:
    text = (samples.mixed(tmp_path / "mixed") / "MEMORY.md").read_text(encoding="utf-8")

    for spelled in ("2026-02-05", "- 2/5 ", "- 02-05 ", "Feb 5", "2月5日"):
        assert spelled in text
    assert re.search(r"[\u4e00-\u9fff],[\u4e00-\u9fffa-z]", text), "a half-width comma"
    assert re.search(r"[a-zA-Z]，", text), "a full-width comma after Latin letters"


def test_most_of_thirty_agents_never_changed_their_files(tmp_path: Path) -> None:
    root = samples.thirty_agents(tmp_path / "agents")
    memories = [path.read_bytes() for path in root.glob("agents/**/MEMORY.md")]

    assert (root / "MEMORY.md").is_file()
    assert len(list(root.glob("agents/*"))) == 30
    assert len(memories) == 28
    assert max(Counter(memories).values()) >= 15
    assert b"" in memories
    assert max(map(len, memories)) > 55_000
    assert len({path.read_bytes() for path in root.glob("agents/**/AGENTS.md")}) == 1


def test_transcripts_bury_the_words_below_everything_else(tmp_path: Path) -> None:
    samples.transcripts(tmp_path)
    folder = tmp_path / "agents/main/sessions"
    sessions = json.loads((folder / "sessions.json").read_text(encoding="utf-8"))

    assert set(sessions) == set(SAID)
    for key, said in SAID.items():
        text = (folder / f"{sessions[key]['sessionId']}.jsonl").read_text(encoding="utf-8")
        assert said in text
        assert max(map(len, text.split("\n"))) > IMAGE_LINE
        assert json.loads(text.split("\n")[0])["type"] == "session"
    assert len(list(folder.glob("*.jsonl.reset.*"))) == 1
    assert len(list(folder.glob("*.jsonl.deleted.*"))) == 1


def test_labels_name_every_category_in_several_languages() -> None:
    shown, hidden = samples.labelled(), samples.held_out()

    assert len(shown) >= 300
    assert len(hidden) >= 150
    for sample in (shown, hidden):
        counts = Counter(one.category for one in sample)
        assert set(counts) == set(samples.CATEGORIES)
        assert min(counts.values()) >= 12
        assert len({one.language for one in sample}) >= 5
    assert any(one.parents for one in shown)


def test_the_held_out_lines_share_neither_words_nor_headings() -> None:
    shown, hidden = samples.labelled(), samples.held_out()

    assert {one.text for one in shown}.isdisjoint(one.text for one in hidden)
    assert {one.headings[-1] for one in shown}.isdisjoint(one.headings[-1] for one in hidden)


def test_a_folder_that_holds_something_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.md").write_text("mine", encoding="utf-8")

    assert make_sample.main([str(tmp_path)]) == 1
    assert "not an empty folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]


def test_the_script_makes_a_sample_and_prints_its_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(tmp_path / "w")

    assert make_sample.main([root, "--size", str(memory_md.TIDY), "--notes", "40"]) == 0
    assert make_sample.main([root, "--questions"]) == 0

    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(printed) >= 50
    assert set(printed[0]) == {"question", "path", "line", "answer"}
