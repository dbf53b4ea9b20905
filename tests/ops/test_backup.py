"""A backup counts when it has been restored and compared."""

from __future__ import annotations

import io
import json
import os
import stat
import tarfile
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.errors import FileError, InvalidInput, RememError, StoreDamaged, StoreError
from remem.files.layout import Layout
from remem.model.scope import MAIN
from remem.ops.backup import back_up
from remem.ops.restore import restore
from tests.conftest import Opener
from tests.tables import each_row

GROUP = "agent:main:telegram:group:-100123"
KINDS = ["kept.tar.gz", "kept.tar", "kept"]


@pytest.fixture(autouse=True)
def workspace(root: Path, opened: Opener) -> dict[str, list[str]]:
    """Two scopes, a hand-written file, an archived entry; what each scope exports."""
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\ntopics = ["garden"]\n')
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "kitchen"}')
    (root / "MEMORY.md").write_bytes(b"# Mine\r\n\r\n- caf\xc3\xa9\r\n")
    (root / "memory/2026-11-15.md").write_text("A note.\n")
    main, group = opened(), opened(GROUP)
    main.store_many({"category": "fact", "content": f"Parcel {i} waits."} for i in range(30))
    old = main.store(category="fact", content="The gate opens at eight.").id
    main.store(category="fact", content="The gate opens at nine.", supersedes=[old])
    main.forget(main.store(category="insight", content="Nobody needs this.").id)
    group.store(category="fact", content="The oven is hot.")
    held = {"main": list(main.export()), GROUP: list(group.export())}
    main.close()
    group.close()
    return held


def exported(root: Path, session: str = "main") -> list[str]:
    with open_workspace(root, session, background=False) as memory:
        return list(memory.export())


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".remem" not in path.parts
    }


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_kept_comes_back_exactly(
    root: Path, tmp_path: Path, workspace: dict[str, list[str]], kind: str
) -> None:
    before = tree(root)
    done = back_up(Layout(root), tmp_path / kind)
    restored = restore(Layout(tmp_path / "new"), tmp_path / kind)

    assert done.entries == {"main": 33, "group:kitchen": 1}
    assert restored.entries == done.entries
    assert tree(tmp_path / "new") == before
    assert exported(tmp_path / "new") == workspace["main"]
    assert exported(tmp_path / "new", GROUP) == workspace[GROUP]
    with open_workspace(tmp_path / "new", background=False) as memory:
        assert memory.recall("when does the gate open").entries[0].content.endswith("nine.")
        assert memory.services.context.config.topics == ("garden",)


def test_what_is_stored_after_the_backup_is_not_in_it_and_not_lost(
    root: Path, tmp_path: Path, workspace: dict[str, list[str]], opened: Opener
) -> None:
    server = opened()
    back_up(Layout(root), tmp_path / "kept.tar.gz")  # while a server runs
    server.store(category="fact", content="Said later.")
    server.close()

    done = restore(Layout(root), tmp_path / "kept.tar.gz", force=True)

    assert exported(root) == workspace["main"]
    assert done.kept is not None
    assert "Said later." in (root / done.kept / "memory/domains/facts.md").read_text()


def test_a_backup_is_private_and_replaces_nothing(root: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.tar.gz"
    back_up(Layout(root), target)

    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(FileError, match="already exists"):
        back_up(Layout(root), target)
    with pytest.raises(InvalidInput, match="is inside the workspace"):
        back_up(Layout(root), root / "memory/kept")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_where_a_backup_lies_is_judged_by_the_place_not_by_its_spelling(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "alias").symlink_to(root)

    with pytest.raises(InvalidInput, match="is inside the workspace"):
        back_up(Layout(root), tmp_path / "alias/memory/kept")
    kept = back_up(Layout(root), root / ".." / "kept.tar.gz")

    assert kept.path == str(root.parent / "kept.tar.gz")


def test_names_that_differ_only_in_case_or_unicode_form_come_back(
    root: Path, tmp_path: Path
) -> None:
    names = ["memory/Note.md", "memory/note.md", "memory/café.md", "memory/cafe\u0301.md"]
    (root / "memory").mkdir(parents=True, exist_ok=True)
    for name in names:
        (root / name).write_text(name, encoding="utf-8")
    back_up(Layout(root), tmp_path / "backup.tar")

    restore(Layout(tmp_path / "new"), tmp_path / "backup.tar")

    assert [(tmp_path / "new" / name).read_text(encoding="utf-8") for name in names] == names


def test_a_link_is_named_and_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("not mine")
    (root / "memory/linked.md").symlink_to(tmp_path / "outside.md")

    done = back_up(Layout(root), tmp_path / "kept")

    assert done.left_out == ("memory/linked.md",)
    assert not (tmp_path / "kept/memory/linked.md").exists()


def test_what_is_damaged_is_not_kept_as_if_it_were_sound(root: Path, tmp_path: Path) -> None:
    import apsw

    raw = apsw.Connection(str(root / ".remem/main/entries.db"))
    raw.execute("UPDATE memory_entries SET content = 'x' WHERE row = 3")
    raw.close()

    with pytest.raises(StoreDamaged, match="its backup would be damaged too"):
        back_up(Layout(root), tmp_path / "kept")

    assert not (tmp_path / "kept").exists()


def test_a_place_that_is_not_empty_is_refused_and_left_as_it_is(root: Path, tmp_path: Path) -> None:
    back_up(Layout(root), tmp_path / "kept")
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("theirs")

    with pytest.raises(FileError, match=r"not empty: it contains MEMORY\.md"):
        restore(Layout(other), tmp_path / "kept")

    assert {path.name for path in other.iterdir()} == {"MEMORY.md"}


def test_a_workspace_that_is_only_initialised_counts_as_empty(
    root: Path, tmp_path: Path, workspace: dict[str, list[str]]
) -> None:
    from remem.setup.init import initialise

    back_up(Layout(root), tmp_path / "kept")
    initialise(Layout(tmp_path / "new"))

    assert restore(Layout(tmp_path / "new"), tmp_path / "kept").kept is None
    assert exported(tmp_path / "new") == workspace["main"]


@pytest.mark.parametrize("name", ["memory/yarn.lock", "memory/.gitignore", "brain/config.toml"])
def test_a_file_of_a_person_is_never_replaced_for_its_name(
    root: Path, tmp_path: Path, name: str
) -> None:
    backup = back_up(Layout(root), tmp_path / "kept")
    file = tmp_path / "new" / name
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n")

    with pytest.raises(FileError, match="is not empty"):
        restore(Layout(tmp_path / "new"), Path(backup.path))

    assert file.read_text() == "# mine\n"


def test_nothing_is_restored_under_a_running_server(
    root: Path, tmp_path: Path, opened: Opener
) -> None:
    back_up(Layout(root), tmp_path / "kept")
    server = opened()

    with pytest.raises(StoreError, match="another program has the database"):
        restore(Layout(root), tmp_path / "kept", force=True)

    assert server.store(category="fact", content="It goes on.").stored
    assert [path for path in root.iterdir() if "restor" in path.name] == []


def test_what_was_erased_since_stays_erased_where_its_tombstone_survives(
    root: Path, tmp_path: Path, opened: Opener, workspace: dict[str, list[str]]
) -> None:
    back_up(Layout(root), tmp_path / "kept.tar.gz")
    memory = opened()
    (gone,) = [
        entry for entry in memory.recall("parcel 7").entries if entry.content == "Parcel 7 waits."
    ]
    memory.erase(gone.id)
    memory.close()

    done = restore(Layout(root), tmp_path / "kept.tar.gz", force=True)

    assert done.erased == (gone.id,)
    assert [json.loads(line)["entry"]["id"] for line in exported(root)] == [
        id_ for line in workspace["main"] if (id_ := json.loads(line)["entry"]["id"]) != gone.id
    ]
    assert "Parcel 7 waits." not in (root / "memory/domains/facts.md").read_text()
    elsewhere = restore(Layout(tmp_path / "new"), tmp_path / "kept.tar.gz")
    assert elsewhere.erased == ()


def test_erasures_that_cannot_be_read_are_reported(root: Path, tmp_path: Path) -> None:
    back_up(Layout(root), tmp_path / "kept.tar.gz")
    Layout(root).database(MAIN).write_bytes(b"no database" * 1000)

    done = restore(Layout(root), tmp_path / "kept.tar.gz", force=True)

    assert done.unread == ("main",)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_byte_in_a_backup_restores_nothing(root: Path, tmp_path: Path, kind: str) -> None:
    back_up(Layout(root), tmp_path / kind)
    place = tmp_path / kind
    file = place / "MEMORY.md" if place.is_dir() else place
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))

    with pytest.raises(RememError):
        restore(Layout(tmp_path / "new"), place)

    assert [path for path in (tmp_path / "new").rglob("*") if path.is_file()] == []


def forged(path: Path, listed: list[dict[str, object]], *members: tarfile.TarInfo) -> Path:
    """An archive that remem never made."""
    manifest = {"made_at": "x", "files": listed, "entries": {}, "left_out": [], "format": 1}
    data = json.dumps(manifest).encode()
    with tarfile.open(path, "w") as tar:
        first = tarfile.TarInfo("manifest.json")
        first.size = len(data)
        tar.addfile(first, io.BytesIO(data))
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def listing(path: str, size: int = 1) -> dict[str, object]:
    return {
        "path": path,
        "size": size,
        "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    }


def member(name: str, **values: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = 1
    for key, value in values.items():
        setattr(info, key, value)
    return info


@each_row(
    "name",
    [
        "../MEMORY.md",
        "memory/../../x.md",
        "/etc/passwd.md",
        "memory//x.md",
        "memory/./x.md",
        "C:/x.md",
        "memory\\x.md",
        "memory/x\x00.md",
        "memory/\u202ex.md",
        "AGENTS.txt",
        ".git/hooks/pre-commit",
        "memory/" + "x" * 300 + ".md",
        "memory/" + "a/" * 40 + "x.md",
        "",
    ],
)
def test_s18_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    source = forged(tmp_path / "bad.tar", [listing(name)], member(name or "x"))

    with pytest.raises(InvalidInput):
        restore(Layout(tmp_path / "new"), source)

    assert [path for path in (tmp_path / "new").rglob("*") if path.is_file()] == []


@each_row(
    "twins",
    [
        ("MEMORY.md", "memory.md"),
        ("memory/é.md", "memory/e\u0301.md"),
        ("memory/a.md", "memory/a.md"),
        ("memory/a.md", "memory/a.md/b.md"),
    ],
)
def test_s18_two_names_for_one_file_are_refused(tmp_path: Path, twins: tuple[str, str]) -> None:
    listed = [listing(twin) for twin in twins]
    source = forged(tmp_path / "bad.tar", listed, *map(member, twins))

    with pytest.raises(InvalidInput, match=r"same file|parent folder"):
        restore(Layout(tmp_path / "new"), source)


@each_row(
    "bad",
    [
        member("memory/a.md", type=tarfile.SYMTYPE, linkname="/etc/passwd", size=0),
        member("memory/a.md", type=tarfile.LNKTYPE, linkname="MEMORY.md", size=0),
        member("memory/a.md", type=tarfile.CHRTYPE, size=0),
        member("memory/a.md", type=tarfile.FIFOTYPE, size=0),
        member("memory/a.md", type=tarfile.DIRTYPE, size=0),
        member("memory/unlisted.md"),
        member("memory/a.md", size=2),
    ],
    ids=["symlink", "hard link", "device", "pipe", "folder", "unlisted", "longer"],
)
def test_s18_what_is_no_plain_listed_file_is_refused(tmp_path: Path, bad: tarfile.TarInfo) -> None:
    source = forged(tmp_path / "bad.tar", [listing("memory/a.md")], bad)

    with pytest.raises(InvalidInput):
        restore(Layout(tmp_path / "new"), source)

    assert not (tmp_path / "new/memory").exists()


def test_s18_a_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    source = forged(tmp_path / "bomb.tar", [listing("memory/a.md", 1 << 40)])

    with pytest.raises(InvalidInput, match=r"too large|not plausible"):
        restore(Layout(tmp_path / "new"), source)


def test_s18_a_folder_with_a_link_in_it_is_refused(root: Path, tmp_path: Path) -> None:
    back_up(Layout(root), tmp_path / "kept")
    (tmp_path / "kept/MEMORY.md").unlink()
    os.symlink("/etc/passwd", tmp_path / "kept/MEMORY.md")

    with pytest.raises(RememError):
        restore(Layout(tmp_path / "new"), tmp_path / "kept")


@each_row("content", [b"", b"nothing", b"\x1f\x8b broken"])
def test_what_is_no_backup_is_called_that(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.tar.gz").write_bytes(content)

    with pytest.raises(RememError):
        restore(Layout(tmp_path / "new"), tmp_path / "x.tar.gz")


def test_a_lost_database_is_no_empty_one(root: Path, tmp_path: Path) -> None:
    for path in root.glob(".remem/main/entries.db*"):
        path.unlink()

    with pytest.raises(StoreError, match=r"is missing, but its entries are still in facts\.md"):
        back_up(Layout(root), tmp_path / "kept")

    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("name", ["damaged", "tokens", "passages and pipes", "ebb-wal"])
def test_a_room_is_kept_whatever_it_is_called(root: Path, tmp_path: Path, name: str) -> None:
    """Some names are also those of folders that need no backup."""
    (root / "memory/group_names.json").write_text(json.dumps({"telegram:-100456": name}))
    with open_workspace(root, "agent:main:telegram:group:-100456", background=False) as memory:
        memory.store(category="fact", content="The tap drips.")
        state = Layout(root).state_folder(memory.scope)
    copy = state / "conflicts" / "tokens.md.1"
    copy.parent.mkdir(exist_ok=True)
    copy.write_text("a person's words")

    back_up(Layout(root), tmp_path / "kept")
    restore(Layout(tmp_path / "other"), tmp_path / "kept")

    there = tmp_path / "other" / copy.relative_to(root)
    assert there.read_text() == "a person's words"
    assert len(exported(tmp_path / "other", "agent:main:telegram:group:-100456")) == 1


def test_what_was_exported_before_a_restore_is_still_recognised_after_it(
    root: Path, tmp_path: Path, workspace: dict[str, list[str]]
) -> None:
    back_up(Layout(root), tmp_path / "kept.tar.gz")
    later = opened_rule(root)
    restore(Layout(root), tmp_path / "kept.tar.gz", force=True)
    restore(Layout(tmp_path / "new"), tmp_path / "kept.tar.gz")

    for place in (root, tmp_path / "new"):
        with open_workspace(place, background=False) as memory:
            done = memory.import_lines(lambda: [later.encode()])
            assert (done.stored, done.unproven) == (1, 0)


def test_a_strangers_backup_does_not_bring_a_key_that_replaces_ours(
    root: Path, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    forged = opened_rule(theirs)
    mine = opened_rule(root)
    back_up(Layout(theirs), tmp_path / "kept.tar.gz")

    restore(Layout(root), tmp_path / "kept.tar.gz", force=True)

    with open_workspace(root, background=False) as memory:
        gone = json.loads(forged)["entry"]["id"]
        memory.erase(gone)
        changed = forged.replace(gone, "mem-00000001").replace("Ask first.", "Do not ask.")
        assert memory.import_lines(lambda: [changed.encode()]).unproven == 1
        assert memory.import_lines(lambda: [mine.encode()]).unproven == 0


def opened_rule(root: Path) -> str:
    """A line of export that holds a critical instruction."""
    with open_workspace(root, background=False, keywords_only=True) as memory:
        memory.store(category="instruction", content="Ask first.", priority="critical")
        return next(line for line in memory.export() if "Ask first." in line)
