"""A room that gets another name keeps everything that it remembers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from remem.errors import FileError, InvalidInput, NotAllowed, StoreError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rooms import Renaming, begin_renaming
from remem.model.scope import Scope
from remem.ops.doctor import examine_workspace
from remem.ops.rename_room import finish_renaming, rename_room
from remem.setup.rooms import map_room, transcripts_allowed
from tests.conftest import Opener, through_the_gate

KEY = "agent:main:telegram:group:-100"
ROOM = "telegram:-100"


@pytest.fixture
def layout(root: Path, opened: Opener) -> Layout:
    """A room called kitchen, with a gate, a file and an entry that has a history."""
    layout = Layout(root)
    map_room(layout, ROOM, "kitchen")
    folder = root / "memory/groups/kitchen"
    folder.mkdir(parents=True)
    gate = "- todo → memory/groups/kitchen/attention.md\n"
    (root / "memory/groups/kitchen.md").write_text(gate, encoding="utf-8")
    (folder / "attention.md").write_text("- Buy flour\n", encoding="utf-8")
    settings(root, f'openclaw_home = "{root}/none"\ntranscripts = ["group:kitchen"]\n')
    with opened(KEY) as group:
        group.store(category="fact", content="The oven is hot.")
        group.store(category="fact", content="The oven is hot. Mind the door.")
        group.sync()
    return layout


def everything(opened: Opener) -> dict[str, Any]:
    """What the room remembers; its own name apart."""
    with through_the_gate(opened(KEY)) as group:
        (entry,) = group.recall("oven").entries
        return {
            "name": group.scope.name,
            "entry": entry.content,
            "history": [version.entry.content for version in group.history(entry.id)],
            "search": [hit.snippet for hit in group.search("flour").results],
            "open": [page.text for page in group.open("any todo?").pages],
        }


def test_everything_moves_along(layout: Layout, opened: Opener) -> None:
    before = everything(opened)

    assert rename_room(layout, ROOM, "Küche 🍞") == "kitchen"

    after = everything(opened)
    assert after["name"] == "Küche 🍞"
    assert {**after, "name": "kitchen"} == before
    assert [
        path.name for path in (layout.memory / "groups").iterdir() if "kitchen" in path.name
    ] == []
    assert not layout.state_folder(Scope("group", "kitchen")).exists()


def test_an_unfinished_flush_goes_on_under_the_new_name(
    layout: Layout, root: Path, opened: Opener
) -> None:
    groups = root / "memory/groups"
    known = {"kind": "decision", "text": "The oven is set to 200 degrees."}
    with opened(KEY) as group:
        group.flush([known])
        (groups / "kitchen/experience.md").write_bytes(b"\xff")
        items = [{"kind": "decision", "text": "Bread rises overnight."}]
        items += [{"kind": "task", "text": "Order yeast", "status": "open"}]
        assert len(group.flush(items).waiting) == 2

    rename_room(layout, ROOM, "bakery")
    (groups / "bakery/experience.md").unlink()

    with opened(KEY) as group:
        assert group.flush([known]).known[0].home == "memory/groups/bakery/experience.md"
    assert "Bread rises" in (groups / "bakery/experience.md").read_text("utf-8")
    assert "Order yeast" in (groups / "bakery/attention.md").read_text("utf-8")
    assert not (groups / "kitchen").exists()


def test_the_other_form_of_a_line_keeps_its_form(
    layout: Layout, root: Path, opened: Opener
) -> None:
    names = {"-100": {"name": "kitchen", "channel": "telegram"}, "-7": "cellar"}
    (root / "memory/group_names.json").write_text(json.dumps(names), encoding="utf-8")

    rename_room(layout, ROOM, "pantry")

    written = json.loads((root / "memory/group_names.json").read_text(encoding="utf-8"))
    assert written == {"-100": {"name": "pantry", "channel": "telegram"}, "-7": "cellar"}
    assert everything(opened)["name"] == "pantry"


def test_a_name_that_is_taken_is_refused_and_nothing_moves(
    layout: Layout, root: Path, opened: Opener
) -> None:
    map_room(layout, "-7", "cellar")
    (root / "memory/groups/pantry").mkdir()

    for name, error in (("Cellar", InvalidInput), ("pantry", FileError), ("", InvalidInput)):
        with pytest.raises(error):
            rename_room(layout, ROOM, name)
    with pytest.raises(InvalidInput, match="cannot be renamed"):
        rename_room(layout, "telegram:-9", "attic")

    assert everything(opened)["name"] == "kitchen"


def test_a_room_that_somebody_has_open_is_not_moved(layout: Layout, opened: Opener) -> None:
    server = opened(KEY)

    with pytest.raises(StoreError, match="another program"):
        rename_room(layout, ROOM, "pantry")

    server.store(category="fact", content="Still here.")
    server.close()
    assert everything(opened)["name"] == "kitchen"


def settings(root: Path, text: str) -> Path:
    path = root / ".remem/config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_what_the_owner_allowed_goes_along(layout: Layout, root: Path, opened: Opener) -> None:
    """Or the room that gets the old name one day would have its conversations read."""
    text = (
        '# "group:kitchen" is the loud one\r\nembedder = "none"\r\n'
        'transcripts = ["main",  # mine\r\n  "group:kitchen", \'group:kitchens\']\r\n'
    )
    path = settings(root, text)

    rename_room(layout, ROOM, "Küche 🍞")

    assert path.read_bytes().decode() == text.replace('"group:kitchen",', '"group:Küche 🍞",')
    assert not transcripts_allowed(layout, "kitchen")
    assert everything(opened)["name"] == "Küche 🍞"


def test_a_permission_after_a_byte_order_mark_goes_along(layout: Layout, root: Path) -> None:
    path = settings(root, '\ufefftranscripts = ["group:kitchen"]\nembedder = "none"\n')

    rename_room(layout, ROOM, "pantry")

    assert "group:pantry" in path.read_text()
    assert not transcripts_allowed(layout, "kitchen")


def test_the_shared_spaces_of_a_room_go_along(layout: Layout, opened: Opener) -> None:
    with opened() as owner:
        owner.spaces.create("team")
        owner.spaces.grant("team", "group:kitchen", "read")

    rename_room(layout, ROOM, "pantry")

    with opened() as owner:
        (space,) = owner.spaces.summaries()
    assert space.grants == {"main": "write", "group:pantry": "read"}


def test_settings_that_only_a_person_understands_stay_as_they_are(
    layout: Layout, root: Path
) -> None:
    text = 'embedder = "none"\ntranscripts = ["group:\\u006Bitchen"]\n'
    path = settings(root, text)

    rename_room(layout, ROOM, "pantry")

    assert path.read_text() == text
    assert transcripts_allowed(layout, "kitchen")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# kitchen\n\n- Tea\n", b"# pantry\n\n- Tea\n"),
        (b"\xef\xbb\xbf# kitchen\r\n# kitchen\r\n", b"\xef\xbb\xbf# pantry\r\n# kitchen\r\n"),
        (b"# kitchens\n", b"# kitchens\n"),
        (b"Of the\n# kitchen\n", b"Of the\n# kitchen\n"),
    ],
)
def test_a_gate_that_bears_the_rooms_name_bears_the_new_one(
    layout: Layout, root: Path, before: bytes, after: bytes
) -> None:
    (root / "memory/groups/kitchen.md").write_bytes(before)

    rename_room(layout, ROOM, "pantry")

    assert (root / "memory/groups/pantry.md").read_bytes() == after


class Killed(BaseException):
    """What a kill looks like from inside: nothing is tidied up."""


def deadly(real: Callable[..., Any], calls: itertools.count[int], last: int) -> Callable[..., Any]:
    def step(*given: Any, **named: Any) -> Any:
        if next(calls) == last:
            raise Killed
        return real(*given, **named)

    return step


@pytest.mark.parametrize("last", range(12))
def test_a_renaming_that_is_killed_is_finished_later(
    layout: Layout, opened: Opener, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    before, calls = everything(opened), itertools.count()
    with monkeypatch.context() as patched:
        for name in ("set_aside", "remove", "create", "swap"):
            patched.setattr(atomic, name, deadly(getattr(atomic, name), calls, last))
        try:
            rename_room(layout, ROOM, "pantry")
            survived = True
        except Killed:
            survived = False

    if not survived:
        with suppress(NotAllowed):  # under neither name, once it has begun
            opened(KEY).close()
        finish_renaming(layout)
    after = everything(opened)
    assert after["name"] in ("kitchen", "pantry")
    assert {**after, "name": "kitchen"} == before


def test_the_kills_above_reach_every_step(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = itertools.count()
    for name in ("set_aside", "remove", "create", "swap"):
        monkeypatch.setattr(atomic, name, deadly(getattr(atomic, name), calls, -1))

    rename_room(layout, ROOM, "pantry")

    assert 8 <= next(calls) <= 12


def test_the_doctor_tells_of_a_renaming_that_was_cut_short(layout: Layout) -> None:
    begin_renaming(layout, Renaming("kitchen", "pantry"))

    def told() -> list[str]:
        return [finding.what for finding in examine_workspace(layout, repair=False).findings]

    assert "a renaming was interrupted" in told()
    finish_renaming(layout)
    assert "a renaming was interrupted" not in told()


@pytest.mark.parametrize(
    "note", [b'{"old": ', b"[]", b'{"old": "kitchen"}', b'{"old": 1, "new": 2}']
)
def test_a_damaged_note_is_reported_with_the_reason_why_access_is_refused(
    layout: Layout, opened: Opener, note: bytes
) -> None:
    path = layout.root / ".remem/renaming.json"
    path.write_bytes(note)

    for look in (lambda: finish_renaming(layout), lambda: opened(KEY)):
        with pytest.raises(FileError, match=r"renaming\.json does not say") as caught:
            look()
        assert '{"old": ' in (caught.value.hint or "")
    found = examine_workspace(layout, repair=False).findings
    assert [finding.part for finding in found if finding.severity == "damage"] == [
        ".remem/renaming.json"
    ]

    path.write_text('{"old": "kitchen", "new": "pantry"}')
    assert finish_renaming(layout)
    assert opened(KEY).scope == Scope("group", "pantry")
