"""People edit domain files in every way that editors and sync programs allow, and lose nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.model.entry import Entry
from tests.conftest import NOW
from tests.deterministic import Deterministic

BLOCK = "<!-- remem: details"
FACTS = "facts.md"
PEOPLE = "people.md"
COPIES = (
    "facts.sync-conflict-20261118-071534-2N5Y64N.md",
    "facts (conflicted copy 2026-11-18 071534).md",
    "facts_conflict-20261118-071534.md",
    "facts (1).md",
)
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
    return "".join(f"{line}\n" for line in sorted(head.split("\n")) if line) + "\n"


def _moved(files: Files) -> Files:
    """The first bullet goes to another file, without its metadata."""
    line = next(iter(_bullets(files[FACTS])), "")
    return files | {FACTS: files[FACTS].replace(line, ""), PEOPLE: line + files[PEOPLE]}


def _nested(head: str) -> str:
    """The second bullet becomes a part of the list below the first."""
    lines = _bullets(head)
    return head.replace(lines[1], f"  {lines[1]}") if len(lines) > 1 else head


def _split(files: Files) -> Files:
    """Every second bullet goes to a new file."""
    lines = _bullets(files[FACTS])[::2]
    text = files[FACTS]
    for line in lines:
        text = text.replace(line, "")
    return files | {FACTS: text, "facts of the garden.md": f"# Garden\n\n{''.join(lines)}"}


def _wrapped(text: str) -> str:
    """Long lines of the metadata, wrapped by an editor."""
    head, mark, details = text.partition(BLOCK)
    first, _, rest = details.partition("\n")
    return f"{head}{mark}{first}\n" + re.sub(r'(, )(?=")', ",\n  ", rest)


EDITS: dict[str, Edit] = {
    "reverse the bullets": _body(_reversed),
    "sort the lines": _body(_sorted),
    "indent": _body(lambda head: re.sub(r"(?m)^- ", "   - ", head)),
    "indent with tabs": _body(lambda head: re.sub(r"(?m)^- ", "\t- ", head)),
    "other bullets": _body(lambda head: re.sub(r"(?m)^- ", "* ", head)),
    "plus signs": _body(lambda head: re.sub(r"(?m)^- ", "+ ", head)),
    "number the bullets": _body(lambda head: re.sub(r"(?m)^- ", "1. ", head)),
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
    "retype without the id": _body(lambda head: re.sub(r" \^mem-\w{8}", "", head, count=1)),
    "rename headings": _body(lambda head: head.replace("## ", "## My ")),
    "remove headings": _body(lambda head: re.sub(r"(?m)^#+ .*\n", "", head)),
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


def _without_place(entry: Entry) -> tuple[object, ...]:
    """What no edit of this test may change; a bullet in another file changes its category."""
    return (entry.content, entry.context, entry.tags, entry.priority, entry.created_at, entry.trust)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    contexts=st.lists(st.sampled_from(CONTEXTS), min_size=3, max_size=6),
    edits=st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=4),
    adds=st.booleans(),
)
def test_edits_of_people_keep_every_entry_and_all_that_is_known_about_it(
    tmp_path: Path, contexts: list[str | None], edits: list[str], adds: bool
) -> None:
    root = tmp_path / "w"
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
        files[FACTS] = f"{NEW}\n\n{files[FACTS]}"
    for name, text in files.items():
        (root / "memory/domains" / name).write_bytes(text.encode())
    memory = _opened(root)
    memory.recall("house")

    after = _entries(memory)
    assert {_without_place(after[id_]) for id_ in before} == {
        _without_place(entry) for entry in before.values()
    }, edits
    # A bullet that was retyped in a copy of the file may become a second entry.
    known = {entry.content for entry in before.values()}
    assert {entry.content for entry in after.values()} - known == (
        {NEW.removeprefix("- ")} if adds else set()
    )
    bullets = re.findall(r"\^(mem-\w{8})[ \r]*$", "\n".join(_texts(root).values()), re.MULTILINE)
    assert sorted(bullets) == sorted(after)
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
