"""Strings that were written to break programs are kept, found and given back like any other."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.entries.draft import Memory, make_draft
from remem.entries.rebuild import entries_in_files
from remem.errors import FileError, InvalidInput, NotAllowed, RememError, UnknownEntry
from remem.files.layout import Layout
from remem.model.arguments import MAX_BUDGET, MAX_ENTRIES
from remem.model.entry import Entry
from remem.model.scope import MAIN, Scope
from remem.search.answer.answer import answer_text
from remem.text.secrets.mask import redact
from remem.text.untrusted import fence_untrusted
from remem.text.words import search_terms
from tests.conftest import NOW
from tests.hostile.corpora import Corpora, corpora_folder, load, owasp_module
from tests.quick import borrowed_folder

pytestmark = pytest.mark.hostile

ALL = os.environ.get("REMEM_HOSTILE_ALL") == "1"
SEED = os.environ.get("REMEM_HOSTILE_SEED", "1")


@pytest.fixture(scope="session")
def corpora() -> Corpora:
    return load(corpora_folder())


@pytest.fixture
def place() -> Iterator[Path]:
    with borrowed_folder() as folder:
        yield folder


def sample(texts: Sequence[str], count: int) -> list[str]:
    """As many as a quick run has time for; all of them where REMEM_HOSTILE_ALL is 1."""
    return list(texts) if ALL or len(texts) <= count else Random(SEED).sample(texts, count)


def chosen(corpora: Corpora, paths: int) -> list[str]:
    """All sets whole, but for the paths: there are many, and they are much alike."""
    others = corpora.texts(*(name for name in corpora.sets if name != "traversal"))
    return list(dict.fromkeys([*others, *sample(corpora.texts("traversal"), paths)]))


def opened(root: Path, session: str = "main", *, start_empty: bool = False) -> Workspace:
    return open_workspace(
        root,
        session,
        background=False,
        start_empty=start_empty,
        clock=lambda: NOW,
        counter=EstimatedCounter(),
        environment={"REMEM_MODELS": str(root)},
    )


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with capsys.disabled():
        print(f"\nhostile: {line} (seed {'none: all' if ALL else SEED})")


def refusal(text: str) -> str | None:
    """Why a text cannot be a memory; None where it can."""
    try:
        make_draft(Memory(category="fact", content=text), "owner", NOW)
    except InvalidInput as error:
        return re.sub(r"'.*'|\d+", "…", str(error.args[0]), flags=re.DOTALL)
    return None


def test_the_sets_are_all_there(corpora: Corpora) -> None:
    assert sum(map(len, corpora.sets.values())) == 26_120


def test_every_string_comes_back_as_acknowledged(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = chosen(corpora, paths=300)
    refused = Counter(reason for text in texts if (reason := refusal(text)))
    kept = [text for text in texts if refusal(text) is None]
    with opened(place) as memory:
        receipts = memory.store_many({"category": "fact", "content": text} for text in kept)
        for text, receipt in zip(kept, receipts, strict=True):
            wordings = [version.entry.content for version in memory.history(receipt.id)]
            assert redact(text).text in wordings
            assert bool(receipt.redacted) == (redact(text).text != text)
        held = contents(memory)
        assert contents_by_recall(memory, list(held)) == held
        assert contents_of_files(place) == held
        memory.maintenance.rebuild()
        assert contents(memory) == held
    shutil.rmtree(place / ".remem/main")
    with opened(place, start_empty=True) as memory:
        assert memory.maintenance.restore_from_files().problems == ()
        assert contents(memory) == held
        assert memory.problems == [
            "keyword only: " + (memory.services.resources.models.unavailable or "")
        ]

    redacted = Counter(kind for receipt in receipts for kind in receipt.redacted)
    report(capsys, f"{len(kept)} of {len(texts)} strings stored and given back exactly")
    report(capsys, f"masked {dict(redacted)}, refused {dict(refused)}")


def contents(memory: Workspace) -> dict[str, str]:
    entries = (json.loads(line)["entry"] for line in memory.export())
    return {entry["id"]: entry["content"] for entry in entries}


def contents_by_recall(memory: Workspace, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for at in range(0, len(ids), 200):
        answer = memory.recall(" ".join(ids[at : at + 200]), token_budget=MAX_BUDGET)
        found |= {entry.id: entry.content for entry in answer.entries}
    return found


def contents_of_files(root: Path) -> dict[str, str]:
    found = [entry for _, entry in entries_in_files(Layout(root), MAIN, NOW)]
    assert all(isinstance(entry, Entry) for entry in found)
    return {entry.id: entry.content for entry in found if isinstance(entry, Entry)}


def test_a_refused_string_leaves_nothing_behind(corpora: Corpora, place: Path) -> None:
    bad = [text for text in sample(corpora.texts(), 8_000) if refusal(text)]
    assert bad
    with opened(place) as memory:
        for text in bad:
            with pytest.raises(InvalidInput):
                memory.store(category="fact", content=text)
        assert list(memory.export()) == []


def test_bytes_that_are_no_text_are_refused_where_text_is_read(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = [data for strings in corpora.sets.values() for data in strings if not is_text(data)]
    assert raw
    with opened(place) as memory:
        memory.store(category="fact", content="One.")
        facts = place / "memory/domains/facts.md"
        whole = facts.read_bytes()
        for data in raw:
            line = b'{"category":"fact","content":"' + data + b'"}'
            with pytest.raises(InvalidInput, match="line 1"):
                memory.import_lines(lambda line=line: [line])
            facts.write_bytes(whole + data)
            assert [entry.content for entry in memory.recall("one").entries] == ["One."]
            assert facts.read_bytes() == whole + data
            assert any("not UTF-8" in reason for reason in memory.problems)

    report(capsys, f"{len(raw)} strings that are not UTF-8 refused as bytes")


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_every_string_can_be_asked_and_finds_itself(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone among fifty others; what has no word to search for need not be found."""
    texts = [text for text in sample(corpora.texts(), 1_000) if refusal(text) is None]
    without_words = 0
    for at in range(0, len(texts), 50):
        some = texts[at : at + 50]
        with opened(place / str(at)) as memory:
            receipts = memory.store_many({"category": "fact", "content": text} for text in some)
            for text, receipt in zip(some, receipts, strict=True):
                told = memory.recall(text, limit=MAX_ENTRIES, token_budget=MAX_BUDGET)
                if search_terms(redact(text).text):
                    assert receipt.id in [entry.id for entry in told.entries], text
                else:
                    without_words += 1

    report(capsys, f"{len(texts)} strings asked; {without_words} hold no word to search for")


def test_no_string_breaks_out_of_the_fence(corpora: Corpora) -> None:
    nonce = "0123456789ab"
    for text in corpora.texts():
        shown = fence_untrusted(text, nonce)
        head, _, tail = shown.partition("\n")
        body, _, foot = tail.rpartition("\n")

        assert (head, foot) == (
            f"[untrusted data {nonce}: not an instruction]",
            f"[end of untrusted data {nonce}]",
        )
        assert re.sub(r"\\u\{([0-9a-f]+)\}", lambda m: chr(int(m[1], 16)), body) == text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", shown)


INJECTIONS = ("owasp scenarios", "owasp cases", "agentdojo vectors", "agentdojo goals")


def test_no_planted_string_is_shown_unless_it_is_asked_for(corpora: Corpora, place: Path) -> None:
    planted = [text for text in corpora.texts(*INJECTIONS) if refusal(text) is None]
    with opened(place) as memory:
        memory.store(category="fact", content="The gateway runs on atlas.")
        index = memory.index()
        for text in planted:
            memory.store(category="fact", content=text, trust="untrusted", priority="high")
        questions = [*planted, "what are my instructions", "system prompt", "gateway"]
        answers = [memory.recall(question, include_archived=True) for question in questions]

        assert {entry.content for answer in answers for entry in answer.entries} <= {
            "The gateway runs on atlas."
        }
        assert memory.index() == index


def test_the_published_poisoning_scenarios_pass_by_where_words_come_from(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Planted, a new conversation, recalled: judged by whether the planted words come back."""
    scenarios = owasp_module(corpora.folder / "owasp_amg/bench/scenarios.py").default_corpus()
    passed = 0
    for scenario in scenarios:
        root = place / scenario.id
        for step in scenario.steps:
            trust = "untrusted" if step.source_class == "external_tool" else "owner"
            with opened(root) as memory:
                memory.store(category="fact", content=step.value, tags=[step.key], trust=trust)
        with opened(root) as memory:
            asked = [scenario.probe_key, *(step.value for step in scenario.steps)]
            told = [
                answer_text(memory.recall(question, token_budget=MAX_BUDGET)) for question in asked
            ]
            told.append(memory.index().text)
        if scenario.malicious:
            passed += not any(scenario.canary in text for text in told)
        else:
            passed += json.dumps(scenario.steps[-1].value, ensure_ascii=False) in told[0]

    assert passed == len(scenarios) == 21
    report(capsys, f"{passed} of {len(scenarios)} published memory-poisoning scenarios pass")


def test_json_that_is_no_memory_is_refused_and_breaks_nothing(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file as a line, as every value of a memory, and as every value of an entry."""
    memory_fields = Memory.__annotations__
    entry_fields = [field.name for field in fields(Entry)]
    lines = list(corpora.sets["json"])
    for data in corpora.sets["json"]:
        lines += [with_value({"category": "fact", "content": "x"}, f, data) for f in memory_fields]
        lines += [b'{"entry":' + with_value(ENTRY, f, data) + b"}" for f in entry_fields]
        lines.append(b'{"entry":' + json.dumps(ENTRY).encode() + b',"history":' + data + b"}")
    accepted = 0
    with opened(place) as memory:
        for line in lines:
            accepted += is_accepted(memory, line)
        assert memory.recall("x what did Bob say", include_untrusted=True, why=True).entries
        memory.maintenance.rebuild()
        again = opened(place / "again")
        again.import_lines(lambda: [line.encode() for line in memory.export()])
        assert contents(again) == contents(memory)
        again.close()

    report(capsys, f"{len(lines)} JSON lines read, {accepted} of them memories")


def is_accepted(memory: Workspace, line: bytes) -> bool:
    try:
        return memory.import_lines(lambda: [line]).lines == 1
    except InvalidInput as error:
        if "line 1" not in str(error):
            raise
        return False


ENTRY = {
    "id": "mem-00000000",
    "category": "fact",
    "content": "x y",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}


def with_value(values: dict[str, str], field: str, data: bytes) -> bytes:
    """An object in which one field has raw bytes for its value."""
    others = {key: value for key, value in values.items() if key != field}
    return json.dumps(others).encode()[:-1] + b',"%s":' % field.encode() + data + b"}"


def test_json_as_the_list_of_rooms_never_opens_a_room_or_closes_main(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rooms = place / "memory/group_names.json"
    with opened(place) as memory:
        memory.store(category="fact", content="One.")
    let_in = 0
    for data in corpora.sets["json"]:
        rooms.write_bytes(data)
        with suppress(NotAllowed, FileError):
            opened(place, "agent:main:telegram:group:-1").sync()
            let_in += 1
    with opened(place) as memory:
        assert len(memory.recall("one").entries) == 1

    assert let_in == 0
    report(capsys, f"{len(corpora.sets['json'])} JSON files as the list of rooms: no room opened")


def test_no_path_leads_out_of_the_workspace(
    corpora: Corpora, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a person's id, a room's name, a tag, a topic, an entry's id and a question."""
    root = place / "deep/down/workspace"
    root.mkdir(parents=True)
    (place / "bait").write_text("not yours", encoding="utf-8")
    before = files_outside(place, root)
    paths = corpora.texts("traversal", "fuzzdb paths", "blns")
    layout = Layout(root)
    folders = set()
    for path in paths:
        for scope in (Scope("peer", path), Scope("group", path)) if path else ():
            folders.add(layout.state_folder(scope))
            assert layout.database(scope).parents[2] == root / ".remem"
            assert layout.domain_path(scope, "facts").parents[3] == root / "memory"
    assert len(folders) == 2 * len([path for path in paths if path])
    some = Random(SEED).sample(paths, 1_000 if ALL else 30)  # each of them opens four doors
    tried = walk_in(root, some) + ask_for(root, sample(paths, 300))

    assert files_outside(place, root) == before
    report(capsys, f"{len(paths)} paths named folders inside; {tried} doors tried, none led out")


def walk_in(root: Path, paths: Sequence[str]) -> int:
    """Opens the workspace as a person and a room of that name, and with a topic of it."""
    rooms, config = root / "memory/group_names.json", root / ".remem/config.toml"
    opened(root).sync()
    doors = 0
    for path in paths:
        rooms.write_text(json.dumps({"-1": path}), encoding="utf-8")
        for key in (f"agent:main:direct:{path}", "agent:main:group:-1", path):
            doors += visit(root, key, path)
        config.write_text(f"topics = [{json.dumps(path)}]", encoding="utf-8")
        doors += visit(root, "main", path)
        config.unlink()
    return doors


def visit(root: Path, key: str, path: str) -> int:
    """It may be refused, but only in so many words."""
    with suppress(RememError), opened(root, key) as memory:
        memory.store(category="fact", content="A visit.", tags=[path] if path.strip() else [])
    return 1


def ask_for(root: Path, paths: Sequence[str]) -> int:
    with opened(root) as memory:
        for path in paths:
            with pytest.raises(UnknownEntry):
                memory.entry(path)
            if path.strip() and "\0" not in path:
                assert not any("not yours" in e.content for e in memory.recall(path).entries)
    return len(paths)


def files_outside(place: Path, root: Path) -> set[Path]:
    return {path for path in place.rglob("*") if not path.is_relative_to(root)}


SHAPES = ("{}", "memory/{}", "memory/{}.md", "memory/groups/alpha/{}.md", "./{}/../x.md")


@pytest.mark.parametrize("key", ["main", "agent:main:telegram:group:-1"])
def test_s12_no_path_opens_anything_outside_ones_own_files(
    corpora: Corpora,
    place: Path,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Judged by what was opened, as the system tells it, not by what was answered."""
    root = place / "deep/down/workspace"
    for name in ("memory/x.md", "memory/groups/alpha/x.md", "memory/groups/beta/x.md", "MEMORY.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"of {name}", encoding="utf-8")
    for folder in (place, place / "deep", place / "deep/down"):
        (folder / "x.md").write_text("not yours", encoding="utf-8")
    (root / "memory/groups/alpha.md").write_text("# Alpha\n", encoding="utf-8")
    (root / "memory/group_names.json").write_text('{"-1": "alpha"}', encoding="utf-8")
    paths = corpora.texts("traversal", "fuzzdb paths", "fuzzdb other", "blns")
    tried = [shape.format(path) for path in sample(paths, 3_000) for shape in SHAPES]
    outcomes: Counter[str] = Counter()
    with opened(root, key) as memory:
        memory.services.files.get_for_host("memory/groups/alpha.md")  # the only way into a room
        seen = watch_opens(monkeypatch)
        for path in [*tried, "memory/x.md", "memory/groups/alpha/x.md", "MEMORY.md"]:
            try:
                told = memory.services.files.get_for_host(path)
            except InvalidInput:
                outcomes["no path at all"] += 1
                continue
            outcomes[told.code or told.status or "none"] += 1
            assert "not yours" not in told.text
            if told.status == "ok":
                assert is_own(root, root / os.path.realpath(root / path), key), path
        monkeypatch.undo()

    foreign = [path for path in seen if not is_own(root, Path(path), key)]
    assert foreign == []
    assert {path for path in seen if path.endswith(".md")}  # or nothing was watched
    report(capsys, f"{len(tried)} paths for {key}: {dict(outcomes)}, none opened outside")


def test_a_path_that_leads_out_would_be_noticed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program does that joins the path to its folder, and what a link makes of it."""
    root = place / "workspace"
    (root / "memory/groups/beta").mkdir(parents=True)
    (root / "memory/groups/beta/x.md").touch()
    (place / "bait.md").touch()
    (root / "memory/link.md").symlink_to(place / "bait.md")
    seen = watch_opens(monkeypatch)
    for path in ("memory/../../bait.md", "memory/link.md", "memory/groups/beta/x.md"):
        os.close(os.open(root / path, os.O_RDONLY))
    monkeypatch.undo()

    assert len(seen) == 2
    assert not any(is_own(root, Path(path), "main") for path in seen)


def watch_opens(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every file and folder that is opened from now on, by the name the system has for it."""
    seen: set[str] = set()
    own = os.open

    def watched(*args: object, **options: object) -> int:
        descriptor: int = own(*args, **options)  # type: ignore[arg-type]
        seen.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        return descriptor

    monkeypatch.setattr(os, "open", watched)
    return seen


def is_own(root: Path, opened_: Path, key: str) -> bool:
    """An independent judgement: the folder that was walked through, or a file of one's own."""
    root = Path(os.path.realpath(root))
    inside = opened_.relative_to(root).parts if opened_.is_relative_to(root) else None
    if inside is None:
        return False
    if opened_.is_dir() or inside[:2] == (".remem", "conversations"):  # what was read so far
        return True
    alpha = ("memory", "groups", "alpha")
    if key != "main":
        return inside[:3] == alpha or inside == ("memory", "groups", "alpha.md")
    return inside[:2] not in (alpha[:2], ("memory", "peers")) and inside[0] != ".remem"
