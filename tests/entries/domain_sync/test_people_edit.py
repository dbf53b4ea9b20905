"""People edit domain files in every way that editors and sync programs allow, and lose nothing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.files import atomic, disk
from remem.files.domain_file import parse
from remem.model.entry import Entry
from tests.conftest import NOW
from tests.deterministic import Deterministic

BLOCK = "<!-- remem: details"
FACTS = "facts.md"
PEOPLE = "people.md"
GARDEN = "facts of the garden.md"
COPIES = (
    "facts.sync-conflict-20261118-071534-2N5Y64N.md",
    "facts (conflicted copy 2026-11-18 071534).md",
    "facts_conflict-20261118-071534.md",
    "facts (1).md",
)
TYPED = " indeed"
PASTED = """
From a web page:

> A quotation.

| name | value |
|---|---|
| a | b |

```sh
- not a bullet
```

"""
Files = dict[str, str]
Edit = Callable[[Files], Files]


def _body(change: Callable[[str], str]) -> Edit:
    """An edit of the text above the metadata."""

    def edit(files: Files) -> Files:
        head, mark, details = files[FACTS].partition(BLOCK)
        return files | {FACTS: f"{change(head)}{mark}{details}"}

    return edit


def _whole(change: Callable[[str], str]) -> Edit:
    return lambda files: files | {FACTS: change(files[FACTS])}


def _bullets(text: str) -> list[str]:
    return re.findall(r"(?m)^- .*\^mem-\w{8}\n", text)


def _reversed(head: str) -> str:
    bullets = _bullets(head)
    for line in bullets:
        head = head.replace(line, "")
    return f"{head.rstrip()}\n\n{''.join(reversed(bullets))}\n"


def _sorted(head: str) -> str:
    lines = [line for line in head.split("\n") if line]
    if any(line.startswith(" ") for line in lines):  # parts of bullets, which sorting would mix
        return head
    return "".join(f"{line}\n" for line in sorted(lines)) + "\n"


def _moved(files: Files) -> Files:
    """The first bullet goes to another file, without its metadata."""
    line = next(iter(_bullets(files[FACTS])), "")
    return files | {FACTS: files[FACTS].replace(line, ""), PEOPLE: line + files[PEOPLE]}


def _nested(head: str) -> str:
    """The second bullet becomes a part of the list below the first."""
    lines = _bullets(head)
    return head.replace(lines[1], f"  {lines[1]}") if len(lines) > 1 else head


def _typed(text: str) -> str:
    """Words are typed at the end of the first line, of which there is no copy."""
    ids = re.findall(r"\^mem-\w{8}", text)
    if len(ids) > len(set(ids)):
        return text
    return re.sub(r"(?m)(\^mem-\w{8})$", rf"\1{TYPED}", text, count=1)


def _table(head: str) -> str:
    """The bullets become rows of a table."""
    rows = [f"| {line[2:-1]} |\n" for line in _bullets(head)]
    for line in _bullets(head):
        head = head.replace(line, "")
    return f"{head.rstrip()}\n\n| text | id |\n|---|---|\n{''.join(rows)}\n"


def _split(files: Files) -> Files:
    """Every second bullet goes to a new file."""
    lines = _bullets(files[FACTS])[::2]
    text = files[FACTS]
    for line in lines:
        text = text.replace(line, "")
    garden = files.get(GARDEN, "# Garden\n\n")
    return files | {FACTS: text, GARDEN: f"{garden}{''.join(lines)}"}


def _wrapped(text: str) -> str:
    """Long lines of the metadata, wrapped by an editor."""
    head, mark, details = text.partition(BLOCK)
    first, _, rest = details.partition("\n")
    return f"{head}{mark}{first}\n" + re.sub(r'(, )(?=")', ",\n  ", rest)


EDITS: dict[str, Edit] = {
    "reverse the bullets": _body(_reversed),
    "sort the lines": _body(_sorted),
    "indent": _body(lambda head: re.sub(r"(?m)^(?=- |  \S)", "   ", head)),
    "indent with tabs": _body(lambda head: re.sub(r"(?m)^(?=- |  \S)", "\t", head)),
    "other bullets": _body(lambda head: re.sub(r"(?m)^- ", "* ", head)),
    "plus signs": _body(lambda head: re.sub(r"(?m)^- ", "+ ", head)),
    "number the bullets": _body(
        lambda head: re.sub(r"(?m)^- (?=.*(?:\n  .*)*\^mem-)", "1. ", head)
    ),
    "nest one below another": _body(_nested),
    "quote": _body(lambda head: re.sub(r"(?m)^- ", "> - ", head, count=1)),
    "a callout": _body(lambda head: re.sub(r"(?m)^- ", "> [!note]\n> - ", head, count=1)),
    "paste a page": _body(lambda head: PASTED + head),
    "paste below a bullet": _body(
        lambda head: re.sub(r"(?m)(\^mem-\w{8}\n)", r"\1" + PASTED, head, count=1)
    ),
    "a byte order mark": _whole(lambda text: "\ufeff" + text.removeprefix("\ufeff")),
    "no line break at the end": _whole(lambda text: text.rstrip("\n")),
    "split the file": _split,
    "blank lines": _body(lambda head: re.sub(r"(?m)^(?=- )", "\n", head)),
    "retype without the id": _body(
        lambda head: re.sub(r"(?m)^([-*+] .*) \^mem-\w{8}$", r"\1", head, count=1)
    ),
    "rename headings": _body(lambda head: head.replace("## ", "## My ")),
    "remove headings": _body(lambda head: re.sub(r"(?m)^#+ .*\n", "", head)),
    "make tasks": _body(lambda head: re.sub(r"(?m)^- ", "- [ ] ", head)),
    "type behind an id": _whole(_typed),
    "delete the space in front of an id": _body(lambda head: head.replace(" ^mem-", "^mem-", 1)),
    "put an id on its own line": _body(
        lambda head: re.sub(r"(?m)^(- .*) (\^mem-\w{8})$", r"\1\n  \2", head, count=1)
    ),
    "wrap a line": _body(lambda head: head.replace(" of the ", " of\n  the ", 1)),
    "make a table": _body(_table),
    "make a table with a column for ids": _body(
        lambda head: re.sub(r"(?m)^(\| .*) (\^mem-\w{8}) \|$", r"\1 | \2 |", _table(head))
    ),
    "save half of the file": lambda files: files | {FACTS: files[FACTS][: len(files[FACTS]) // 3]},
    "leave a swap file": lambda files: (
        files | {f".{FACTS}.swp": "b0VIM", f"{FACTS}~": files[FACTS]}
    ),
    "a remark": _body(lambda head: head.replace("\n\n", "\n\nA remark of mine.\n\n", 1)),
    "windows line endings": _whole(lambda text: re.sub(r"\r?\n", "\r\n", text)),
    "white space at line ends": _whole(lambda text: re.sub(r"(?m)$", "  ", text)),
    "delete the metadata": _whole(lambda text: text.partition(BLOCK)[0]),
    "cut off the end": _whole(lambda text: text[: len(text) - 40]),
    "wrap the metadata": _whole(_wrapped),
    "paste the file twice": _whole(lambda text: text + text),
    "move to another file": _moved,
    **{
        f"conflict copy {name}": lambda files, name=name: files | {name: files[FACTS]}
        for name in COPIES
    },
}
NEW = "- The cellar is dry."
KILLS = (None, "before", "after")
CONTEXTS = (
    None,
    "seen at the door",
    "MEMORY.md › Home › Kitchen",
    "MEMORY.md › Home › Bath",
    "MEMORY.md › Home",
    "MEMORY.md › Facts",
    "USER.md › Me",
)


def _opened(root: Path, **options: bool) -> Workspace:
    return open_workspace(
        root,
        "main",
        background=False,
        clock=lambda: NOW,
        random_bytes=Random(7).randbytes,
        embedder=Deterministic(),
        **options,
    )


def _entries(memory: Workspace) -> dict[str, Entry]:
    return {entry.id: entry for entry in memory.entries(limit=100)}


def _texts(root: Path) -> Files:
    folder = root / "memory/domains"
    return {path.name: path.read_bytes().decode() for path in sorted(folder.glob("*.md"))}


def _words(entry: Entry) -> str:
    """The text of an entry without what the edits add to it."""
    content = re.sub(r"^(?:\[ \] )+", "", " ".join(entry.content.split()))
    return content.replace(TYPED, "")


def _without_place(entry: Entry) -> tuple[object, ...]:
    """What no edit of this test may change; a bullet in another file changes its category."""
    return (_words(entry), entry.context, entry.tags, entry.priority, entry.created_at, entry.trust)


def _kill_while_writing(root: Path, when: str) -> None:
    """A process reads the edits, and dies when it exchanges a file with its new text."""
    if child := os.fork():
        os.waitpid(child, 0)
        return

    def dying(one: Path, other: Path) -> None:
        if when == "after":
            disk.exchange(one, other)
        os._exit(9)

    setattr(atomic, "exchange", dying)  # noqa: B010 - the module does not export it
    try:
        _opened(root).recall("house")
    finally:
        os._exit(0)


def _check(
    root: Path,
    contexts: Sequence[str | None],
    edits: Sequence[str],
    *,
    adds: bool = False,
    kill: str | None = None,
) -> None:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    memory = _opened(root)
    for number, context in enumerate(contexts):
        tags, priority = (["ops"], "high") if number % 2 else ([], "medium")
        memory.store(
            category="fact", content=f"Fact {number} of the house.", context=context, tags=tags,
            priority=priority,
        )  # fmt: skip
    memory.store(category="person", content="Pip is a beagle.")
    before = _entries(memory)
    memory.close()

    files = _texts(root)
    for name in edits:
        files = EDITS[name](files)
    if adds:
        files[FACTS] = f"{NEW}\n\n---\n\n{files[FACTS]}"
    for name, text in files.items():
        (root / "memory/domains" / name).write_bytes(text.encode())
    if kill:
        _kill_while_writing(root, kill)
    memory = _opened(root)
    memory.recall("house")

    after = _entries(memory)
    assert {_without_place(after[id_]) for id_ in before if id_ in after} == {
        _without_place(entry) for entry in before.values()
    }, edits
    # A bullet that was retyped in a copy of the file may become a second entry.
    known = {_words(entry) for entry in before.values()}
    assert {_words(entry) for entry in after.values()} - known == (
        {NEW.removeprefix("- ")} if adds else set()
    ), edits
    written = "\n".join(_texts(root).values())
    at_end = re.findall(r"(?m)\^(mem-\w{8})[ \r]*$", written)
    assert len(at_end) == len(set(at_end)), edits
    assert set(re.findall(r"(?<!\\)\^(mem-\w{8})", written)) == set(after), edits
    settled = _texts(root)
    memory.recall("house")
    assert _texts(root) == settled
    memory.close()

    shutil.rmtree(root / ".remem/main")
    restored = _opened(root, start_empty=True)
    restored.maintenance.restore_from_files()
    assert {id_: _without_place(entry) for id_, entry in _entries(restored).items()} == {
        id_: _without_place(entry) for id_, entry in after.items()
    }
    restored.close()


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    contexts=st.lists(st.sampled_from(CONTEXTS), min_size=3, max_size=6),
    edits=st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=4),
    adds=st.booleans(),
    kill=st.sampled_from(KILLS),
)
def test_edits_of_people_keep_every_entry_and_all_that_is_known_about_it(
    tmp_path: Path, contexts: list[str | None], edits: list[str], adds: bool, kill: str | None
) -> None:
    _check(tmp_path / "w", contexts, edits, adds=adds, kill=kill)


@pytest.mark.slow
@pytest.mark.parametrize("edit", sorted(EDITS))
def test_each_edit_alone_loses_and_doubles_nothing(tmp_path: Path, edit: str) -> None:
    for kill in KILLS:
        _check(tmp_path / "w", CONTEXTS[:3], [edit], kill=kill)


@pytest.mark.parametrize(
    ("edits", "name", "planted"),
    [
        (["type behind an id"], "with_ids_at_end", lambda bare, known, own: bare),
        (["wrap a line", "number the bullets"], "_end_of_changed_item", lambda *_: None),
    ],
)
def test_a_parser_that_loses_an_edit_is_caught(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    edits: list[str],
    name: str,
    planted: Callable[..., object],
) -> None:
    monkeypatch.setattr(parse, name, planted)

    with pytest.raises(AssertionError):
        _check(tmp_path / "w", CONTEXTS[:3], edits)
