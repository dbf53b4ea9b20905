"""Paths are checked by name before any file is opened."""

from __future__ import annotations

from pathlib import Path

from remem.disclose.path_access import NOT_ALLOWED, PathRefusal, ResolvedPath, resolve_path
from remem.files.layout import Layout
from remem.files.walking import ExtraPath
from remem.model.scope import MAIN, Scope, Session
from tests.tables import each_row

OWNER = Session("main", "main", "agent:main:main", MAIN, None)
ALPHA = Session("group", "main", "agent:main:group:-1", Scope("group", "alpha"), None)
PEER = Session("peer", "main", "agent:main:direct:77", Scope("peer", "77"), None)
NOBODY = Session("unknown", "main", "what?", None, "unknown key")
ROOT = Path("/nowhere/workspace")  # nothing of it exists: the judgement needs no disk


def judged(session: Session, path: str, extra: tuple[ExtraPath, ...] = ()) -> str | None:
    """The name that a path has in answers; None where it is refused."""
    way = resolve_path(session, path, Layout(ROOT), extra)
    if isinstance(way, PathRefusal):
        assert way == NOT_ALLOWED
        return None
    return way.path


@each_row(
    "path",
    [
        "MEMORY.md",
        "USER.md",
        "dreams.md",
        "DREAMS.md",
        "memory/2026-11-15.md",
        "memory/deep/er/note.md",
        "memory/.dreams/light.md",
        "memory/INDEX.md",
        "memory/domains/facts.md",
        "memory/main/index.md",
        "memory/shared/team/plan.md",
        "memory/groups.md",
        "memory/a\nb.md",
        "memory/%2e%2e.md",
        "brain/areas/mara/summary.md",
        "life/areas/health.md",
        "para/areas/health.md",
    ],
)
def test_the_owner_opens_their_memory_files(path: str) -> None:
    assert judged(OWNER, path) == path


@each_row(
    ("path", "name"),
    [
        ("./MEMORY.md", "MEMORY.md"),
        ("././memory//x.md", "memory/x.md"),
        ("memory/./x.md", "memory/x.md"),
        ("/nowhere/workspace/MEMORY.md", "MEMORY.md"),
        ("/nowhere//workspace/./memory/x.md", "memory/x.md"),
    ],
)
def test_a_path_is_made_relative_to_the_workspace(path: str, name: str) -> None:
    assert judged(OWNER, path) == name


@each_row(
    "path",
    [
        "AGENTS.md",
        "memory.md",
        "Memory.md",
        "user.md",
        "DREAMS.MD",
        "README.md",
        "../secret.md",
        "memory/../../secret.md",
        "memory/../MEMORY.md",
        "memory/..",
        "memory",
        "memory/",
        "memory/x.json",
        "memory/x.md/",
        "memory/x.md.",
        "memory/x.MD",
        "memory/x.md ",
        "Memory/x.md",
        "notes/x.md",
        "brain/areas/mara/items.json",
        ".remem/config.toml",
        ".remem/main/x.md",
        "agents/two/MEMORY.md",
        "sessions/main/1.jsonl",
        "~/MEMORY.md",
        "file:///nowhere/workspace/MEMORY.md",
        "/nowhere/MEMORY.md",
        "/nowhere/workspace",
        "/nowhere/workspace-2/MEMORY.md",
        "/nowhere/workspace/../workspace/MEMORY.md",
        "/etc/passwd",
        "C:\\MEMORY.md",
        "memory\\x.md",
        "memory/..\\..\\x.md",
        "memory/x\0.md",
        "MEMORY.md\0",
        "",
        ".",
        "/",
        "memory/groups/alpha.md",
        "memory/groups/alpha/attention.md",
        "memory/peers/77/domains/facts.md",
        "memory/Groups/alpha.md",
        "memory/GROUPS/alpha.md",
        "memory/groups./alpha.md",
        "memory/groups /alpha.md",
        "memory/ｇroups/alpha.md",
        "memory/gro\u200bups/alpha.md",
        "memory/group\u017f/alpha.md",
        "memory/./groups/alpha.md",
        "/nowhere/workspace/memory/groups/alpha.md",
    ],
)
def test_every_other_path_is_refused_to_the_owner_too(path: str) -> None:
    assert judged(OWNER, path) is None


def test_a_group_opens_only_its_gate_and_its_own_folder() -> None:
    assert judged(ALPHA, "memory/groups/alpha.md") == "memory/groups/alpha.md"
    assert judged(ALPHA, "memory/groups/alpha/conventions/tone.md")
    assert judged(ALPHA, "memory/groups/alpha/domains/facts.md")
    for path in (
        "MEMORY.md",
        "USER.md",
        "dreams.md",
        "memory/2026-11-15.md",
        "memory/INDEX.md",
        "memory/domains/facts.md",
        "memory/main/index.md",
        "memory/shared/team/plan.md",
        "memory/groups/beta.md",
        "memory/groups/beta/attention.md",
        "memory/groups/alpha2/attention.md",
        "memory/groups/alph/attention.md",
        "memory/groups/ALPHA/attention.md",
        "memory/groups/alpha/../beta/attention.md",
        "memory/groups/alpha/../../../MEMORY.md",
        "memory/groups/alpha/x.json",
        "memory/peers/77/domains/facts.md",
        "brain/areas/mara/summary.md",
        "/nowhere/workspace/MEMORY.md",
    ):
        assert judged(ALPHA, path) is None, path


def test_a_peer_opens_only_their_own_folder() -> None:
    assert judged(PEER, "memory/peers/77/domains/facts.md")
    for path in ("memory/peers/77.md", "memory/peers/7/x.md", "memory/peers/770/x.md", "USER.md"):
        assert judged(PEER, path) is None, path


def test_a_scope_with_a_name_that_cannot_be_a_folder_opens_its_encoded_folder() -> None:
    scope = Scope("group", "Garten & Haus")
    session = Session("group", "main", "agent:main:group:-2", scope, None)
    folder = Layout(ROOT).domains(scope).parent.name

    assert judged(session, f"memory/groups/{folder}.md")
    assert judged(session, "memory/groups/Garten & Haus.md") is None


def test_a_session_without_a_scope_opens_nothing() -> None:
    for path in ("MEMORY.md", "memory/x.md", "memory/shared/team/plan.md"):
        assert judged(NOBODY, path) is None


def test_only_the_owner_opens_extra_paths() -> None:
    extra = (
        ExtraPath(ROOT / "notes", is_file=False),
        ExtraPath(Path("/vault"), is_file=False),
        ExtraPath(Path("/other/one.md"), is_file=True),
    )

    assert judged(OWNER, "notes/deep/x.md", extra) == "notes/deep/x.md"
    assert judged(OWNER, "/vault/x.md", extra) == "/vault/x.md"
    assert judged(OWNER, "/other/one.md", extra) == "/other/one.md"
    for path in ("notes/x.txt", "/vault/x.json", "/vault/../x.md", "/other/two.md", "/vaults/x.md"):
        assert judged(OWNER, path, extra) is None, path
    assert judged(ALPHA, "notes/deep/x.md", extra) is None
    assert judged(ALPHA, "/vault/x.md", extra) is None


def test_no_extra_path_opens_another_scope() -> None:
    extra = (ExtraPath(ROOT, is_file=False), ExtraPath(Path("/nowhere"), is_file=False))

    for path in ("memory/groups/alpha.md", "memory/peers/77/x.md", ".remem/main/x.md"):
        assert judged(OWNER, path, extra) is None
        assert judged(OWNER, f"{ROOT}/{path}", extra) is None


def test_a_linked_workspace_is_accepted_under_both_paths(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)

    for start in (real, link):
        way = resolve_path(OWNER, f"{start}/MEMORY.md", Layout(link))
        assert isinstance(way, ResolvedPath)
        assert way.path == "MEMORY.md"
