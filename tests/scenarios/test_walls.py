"""The chats never meet: nothing private can change the answers to another session.

"A question is answered only from the files that the session may open, so nothing private can
change a group's results: not a hit, not an order, not a count, not an id, not an error text."
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed
from remem.files.layout import Layout
from remem.files.rooms import NAME_FILES, SEEN_FOLDER
from remem.files.workspace_key import read_or_create
from remem.model.scope import MAIN as MAIN_SCOPE
from remem.model.scope import Scope
from remem.setup.rooms import map_room
from tests.conftest import Opener, through_the_gate
from tests.scenarios.twin_world import ROOMS
from tests.scenarios.twins import ALPHA, BETA, KEYS, MAIN, NOBODY, PEER

pytestmark = pytest.mark.walls


@pytest.fixture
def one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Layout.database
    monkeypatch.setattr(Layout, "database", lambda self, _scope: own(self, MAIN_SCOPE))


@pytest.mark.usefixtures("one_database", "rooms")
def test_a_database_is_never_opened_for_another_scope(opened: Opener) -> None:
    opened(MAIN).store(category="fact", content="gateway secret")

    with pytest.raises(NotAllowed, match="created for another scope"):
        opened(ALPHA)


@pytest.fixture
def rooms(root: Path) -> Path:
    path = root / "memory/group_names.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(ROOMS), encoding="utf-8")
    return path


def everything_said_to(workspace: Workspace) -> str:
    through_the_gate(workspace)
    return repr(
        [
            workspace.recall("gateway secret mara", include_untrusted=True, include_archived=True),
            workspace.services.files.search_for_host("gateway secret mara", max_results=50),
            workspace.services.files.get_for_host("MEMORY.md"),
            workspace.open("gateway secret mara: which task is next, who decided it and why?"),
            workspace.index(),
            workspace.start(),
            workspace.status(),
            workspace.audit(recommend=True),
            list(workspace.export()),
            workspace.review(),
        ]
    )


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("reader", KEYS)
def test_no_session_sees_anything_of_another(opened: Opener, reader: str) -> None:
    for writer in KEYS:
        if writer != reader:
            opened(writer).store(
                category="project", content=f"gateway secret of {writer}", priority="critical"
            )

    said = everything_said_to(opened(reader))

    assert "secret of" not in said
    assert opened(reader).status().progressive.total_entries == 0
    assert through_the_gate(opened(reader)).recall("gateway secret").total_entries_matched == 0


@pytest.mark.usefixtures("rooms")
def test_an_id_of_another_scope_is_as_unknown_as_one_that_never_was(opened: Opener) -> None:
    id_ = opened(MAIN).store(category="fact", content="gateway").id
    group = through_the_gate(opened(ALPHA))

    known, never = (group.recall(query) for query in (id_, "mem-00000000"))

    assert known == never
    for act in (group.entry, group.history, group.confirm):
        with pytest.raises(InvalidInput, match="no entry"):
            act(id_)


def refusal(opened: Opener, key: str) -> str:
    with pytest.raises(NotAllowed) as caught:
        opened(key)
    return str(caught.value)


@pytest.mark.parametrize("key", [*NOBODY, "agent:main:dashboard:incognito-1", "agent:main", ""])
def test_a_session_without_memory_gets_the_reason_and_nothing_else(
    opened: Opener, rooms: Path, root: Path, key: str
) -> None:
    """The same words whether or not there is anything to know, and not a file for them."""
    before = refusal(opened, key)
    empty = snapshot(root)
    assert empty == {rooms.relative_to(root).as_posix()}
    for owner in KEYS:
        opened(owner).store(category="fact", content="gateway secret")
    full = snapshot(root)

    assert refusal(opened, key) == before
    assert snapshot(root) == full


def snapshot(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_room_and_a_person_called_main_are_not_main(opened: Opener, rooms: Path) -> None:
    rooms.write_text('{"-100": "main"}', encoding="utf-8")
    opened(MAIN).store(category="fact", content="gateway secret")

    room, person = opened(ALPHA), opened("agent:main:telegram:direct:main")

    assert (str(room.scope), str(person.scope)) == ("group:main", "peer:telegram:direct:main")
    assert "secret" not in everything_said_to(room) + everything_said_to(person)
    room.store(category="fact", content="room talk")
    person.store(category="fact", content="person talk")
    assert "talk" not in everything_said_to(opened(MAIN))


def test_the_owners_own_chat_is_main_and_no_other(opened: Opener, root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text(f'owner_peers = ["{PEER}"]\n', encoding="utf-8")
    opened(MAIN).store(category="fact", content="gateway secret")

    assert "secret" in everything_said_to(opened(PEER))
    assert "secret" not in everything_said_to(opened(f"{PEER}7"))


def test_where_strangers_share_main_it_is_nobodys(opened: Opener, root: Path) -> None:
    opened(MAIN).store(category="fact", content="gateway secret")
    settings = f'owner_peers = ["{PEER}"]\nmain_is_shared = true\n'
    (root / ".remem/config.toml").write_text(settings, encoding="utf-8")

    assert "shared with strangers" in refusal(opened, MAIN)
    assert "secret" in everything_said_to(opened(PEER))


def test_two_rooms_with_one_name_are_an_error_and_never_a_merge(
    opened: Opener, rooms: Path, root: Path
) -> None:
    opened(ALPHA).store(category="fact", content="gateway secret")
    with pytest.raises(InvalidInput, match="another room"):
        map_room(Layout(root), "-300", "Alpha")

    rooms.write_text('{"-100": "alpha", "-200": "ALPHA"}', encoding="utf-8")

    assert "no unique name" in refusal(opened, ALPHA)
    assert "no unique name" in refusal(opened, BETA)


@pytest.mark.parametrize("broken", ["{", "[]", '{"-100": 7}', "\xff", '{"-100":"a","-100":"b"}'])
def test_a_broken_list_of_rooms_closes_the_rooms_and_nothing_else(
    opened: Opener, rooms: Path, broken: str
) -> None:
    opened(MAIN).store(category="fact", content="gateway secret")
    rooms.write_bytes(broken.encode("latin-1"))

    with pytest.raises(NotAllowed, match="the names of rooms cannot be read"):
        opened(ALPHA)

    assert "secret" in everything_said_to(opened(MAIN))
    opened(PEER).store(category="fact", content="still here")


@pytest.mark.usefixtures("rooms")
def test_every_scope_has_folders_of_its_own_that_only_the_owner_may_open(
    opened: Opener, root: Path
) -> None:
    for key in KEYS:
        workspace = opened(key)
        workspace.store(category="fact", content=f"of {key}")
        home, state = (
            f(workspace.scope) for f in (Layout(root).domains, Layout(root).state_folder)
        )
        assert [path.name for path in home.iterdir()] == ["facts.md"]
        assert (state / "entries.db").is_file()
        workspace.close()

    made = [path for path in root.rglob("*") if path.name not in ("memory", "group_names.json")]
    assert {open_to_others(file, root) for file in made} == {False}
    assert {mode(file) for file in made if file.suffix == ".md"} == {0o600}


def is_record_of(path: Path, layout: Layout, scope: Scope) -> bool:
    """Whether it is the record of a conversation in this scope; one that never was is nobody's."""
    if path.parent != layout.conversations:
        return False
    return not path.exists() or json.loads(path.read_bytes())["room"] == str(scope)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_others(path: Path, root: Path) -> bool:
    """Whether another user of the machine could reach it, through every folder above it."""
    way = [path, *path.parents[: len(path.relative_to(root).parts) - 1]]
    return all(mode(folder) & 0o077 for folder in way)


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("alias", [os.link, os.symlink])
def test_s13_no_other_name_of_a_private_file_carries_it_into_a_group(
    opened: Opener, root: Path, alias: Callable[[Path, Path], None]
) -> None:
    opened(MAIN).store(category="fact", content="gateway secret")
    opened(MAIN).sync()
    private = root / "MEMORY.md"
    private.write_text("- the gateway secret of the owner\n", encoding="utf-8")
    scope = opened(ALPHA).scope
    opened(ALPHA).sync()
    theirs = Layout(root).domains(scope)
    theirs.mkdir(parents=True)
    alias(private, theirs / "facts.md")
    alias(Layout(root).domains(MAIN_SCOPE) / "facts.md", theirs / "people.md")

    group = opened(ALPHA)
    group.store(category="fact", content="What is the gateway?")
    group.maintenance.restore_from_files()

    assert "secret" not in everything_said_to(group)
    assert private.read_text(encoding="utf-8") == "- the gateway secret of the owner\n"


WATCHED = """
import json, os, sys
from pathlib import Path
from remem.app.opening import open_workspace

root, key = Path(sys.argv[1]), sys.argv[2]
touched = set()
sys.addaudithook(lambda event, args: event == "open" and touched.add(str(args[0])))

def look():
    for link in Path("/proc/self/fd").iterdir():
        try:
            touched.add(os.readlink(link))
        except FileNotFoundError:
            pass

with open_workspace(root, key, background=False, environment={"REMEM_MODELS": "/nowhere"}) as ws:
    acts = (
        lambda: ws.store(category="fact", content="gateway"),
        lambda: ws.open("which task is next?"),
        lambda: ws.recall("gateway"), lambda: ws.search("gateway owner"), ws.refresh,
        lambda: [ws.services.files.get_for_host(path) for path in ("MEMORY.md", "memory/x.md",
            "memory/groups/alpha.md", "memory/groups/beta/x.md", "memory/peers/telegram/x.md",
            "USER.md")],
        ws.index, ws.start, ws.status, lambda: list(ws.export()),
        ws.review, ws.maintenance.rebuild, ws.maintenance.restore_from_files,
    )
    for act in acts:
        act()
        look()
print(json.dumps(sorted(path for path in touched if path.startswith(str(root)))))
"""


@pytest.mark.usefixtures("rooms")
@pytest.mark.parametrize("key", KEYS)
def test_no_file_of_another_scope_is_ever_opened(opened: Opener, root: Path, key: str) -> None:
    layout = Layout(root)
    for session in KEYS:
        opened(session).store(category="fact", content=f"of {session}")
    scope = opened(key).scope
    (root / "MEMORY.md").write_text("the owner's", encoding="utf-8")
    read_or_create(layout)

    command = [sys.executable, "-c", WATCHED, str(root), key]
    watched = subprocess.run(command, capture_output=True, text=True, check=False)
    assert watched.returncode == 0, watched.stderr
    touched = [path for line in json.loads(watched.stdout) if not (path := Path(line)).is_dir()]

    mine = [layout.state_folder(scope), layout.domains(scope), layout.config_file]
    mine.append(layout.key_file)  # random bytes, which say nothing of anybody
    mine += [path for path in touched if is_record_of(path, layout, scope)]
    mine.append(layout.flush_state_of(scope))
    if scope.kind == "group":
        mine += [root / place for place in (*NAME_FILES, SEEN_FOLDER, ".remem/renaming.json")]
        mine.append(root / "memory" / "groups" / f"{scope.name}.md")
    foreign = [path for path in touched if not any(path.is_relative_to(own) for own in mine)]
    if scope.kind == "main":
        own = (root, layout.memory, layout.memory / "main", root / "brain")
        foreign = [path for path in foreign if path.parent not in own]
        foreign = [path for path in foreign if path.name != "flush-state.json"]  # their time
    assert layout.database(scope) in touched
    assert foreign == []
