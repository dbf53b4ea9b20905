import json
import os
from pathlib import Path
from typing import Any

import pytest

from remem.files.host_folders import HostHomes
from remem.files.transcripts.locate import TranscriptListing, transcripts_of
from remem.files.transcripts.records import TranscriptSearch
from remem.model.rooms import rooms_from
from remem.model.scope import MAIN, Scope, Session
from remem.model.session import read_session
from tests.files.transcripts.samples import claude, item, meta, session, typed, user, written

LAB, GARDEN = Scope("group", "lab"), Scope("group", "garden")
ADA = Scope("peer", "telegram:direct:4711")
ROOMS = rooms_from({"-100": "lab", "-200": "garden"})


def whose(key: str) -> Session:
    return read_session(key, ROOMS)


class Machine:
    """A home folder with the hosts' files, and a workspace."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work" / "my.space"
        self.home = folder / "home"
        self.root.mkdir(parents=True)
        self.places = HostHomes(self.home / "oc", self.home / "cc", self.home / "cx")
        self.keys: dict[str, Any] = {}

    def said(self, name: str, agent: str = "main", cwd: Path | None = None) -> Path:
        path = self.home / "oc" / "agents" / agent / "sessions" / name
        return written(path, [session(cwd=str(cwd or self.root)), user(f"in {name}")])

    def key(self, key: str, session_id: str, *, agent: str = "main", **entry: Any) -> None:
        self.keys[key] = {"sessionId": session_id, "updatedAt": 1, **entry}
        path = self.home / "oc" / "agents" / agent / "sessions" / "sessions.json"
        written(path, [self.keys])

    def listing(self, scope: Scope = MAIN, **places: Any) -> TranscriptListing:
        wanted = HostHomes(
            **{n: getattr(self.places, n) for n in ("openclaw", "claude", "codex")} | places
        )
        return transcripts_of(TranscriptSearch(scope, self.root, wanted, whose))

    def names(self, scope: Scope = MAIN, **places: Any) -> list[str]:
        return [transcript.reference for transcript in self.listing(scope, **places).transcripts]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_hosts_there_are_no_transcripts(machine: Machine) -> None:
    assert machine.listing() == TranscriptListing()


@pytest.mark.walls
def test_a_transcript_belongs_to_the_scope_of_its_session_key(machine: Machine) -> None:
    keys = {
        "agent:main:main": "m",
        "agent:main:telegram:group:-100": "l",
        "agent:main:telegram:group:-200:thread:5": "g",
        "agent:main:telegram:direct:4711": "a",
        "agent:main:telegram:group:-999": "unmapped",
        "agent:main:subagent:1": "s",
        "agent:main:cron:daily:run:2": "c",
        "agent:main:dashboard:incognito-1": "i",
        "agent:main:dreaming-narrative-1": "d",
        "agent:other:main": "wrong agent",
        "global": "w",
        "": "e",
    }
    for key, name in keys.items():
        machine.key(key, name)
        machine.said(f"{name}.jsonl")
    machine.said("orphan.jsonl")

    assert machine.names(MAIN) == ["sessions/main/m.jsonl"]
    assert machine.names(LAB) == ["sessions/main/l.jsonl"]
    assert machine.names(GARDEN) == ["sessions/main/g.jsonl"]
    assert machine.names(ADA) == ["sessions/main/a.jsonl"]


@pytest.mark.walls
def test_a_transcript_that_two_scopes_claim_belongs_to_neither(machine: Machine) -> None:
    machine.key("agent:main:main", "x")
    machine.key("agent:main:telegram:group:-100", "y", previousSessionId="x")
    machine.said("x.jsonl")
    machine.said("y.jsonl")

    assert machine.names(MAIN) == []
    assert machine.names(LAB) == ["sessions/main/y.jsonl"]


@pytest.mark.walls
@pytest.mark.parametrize("chat_type", ["group", "channel"])
def test_a_group_that_the_host_folds_into_main_is_not_mains(
    machine: Machine, chat_type: str
) -> None:
    machine.key("agent:main:main", "m", chatType=chat_type)
    machine.said("m.jsonl")

    assert machine.names(MAIN) == []


def test_a_chat_type_that_fits_changes_nothing(machine: Machine) -> None:
    machine.key("agent:main:main", "m", chatType="direct")
    machine.key("agent:main:telegram:group:-100", "l", chatType="group")
    machine.said("m.jsonl")
    machine.said("l.jsonl")

    assert machine.names(MAIN) == ["sessions/main/m.jsonl"]
    assert machine.names(LAB) == ["sessions/main/l.jsonl"]


def test_dreaming_and_scheduled_sessions_belong_to_no_scope(machine: Machine) -> None:
    machine.key("agent:main:main", "m", spawnedBy="agent:main:cron:daily:run:2")
    machine.said("m.jsonl")

    assert machine.names(MAIN) == []


def test_archives_belong_to_the_key_that_had_their_session(machine: Machine) -> None:
    machine.key(
        "agent:main:main", "now", previousSessionId="before", usageFamilySessionIds=["first", 7]
    )
    for name in ("now", "before", "first", "stranger"):
        machine.said(f"{name}.jsonl.reset.2026-11-10T09-00-00.000Z")
    machine.said("first.jsonl.deleted.2026-11-11T09-00-00.000Z")
    for name in (
        "now.jsonl.bak.2026-11-11T09-00-00.000Z",
        "now.jsonl.lock",
        "now.checkpoint.jsonl",
    ):
        machine.said(name)

    assert {name.removeprefix("sessions/main/") for name in machine.names()} == {
        "before.jsonl.reset.2026-11-10T09-00-00.000Z",
        "first.jsonl.deleted.2026-11-11T09-00-00.000Z",
        "first.jsonl.reset.2026-11-10T09-00-00.000Z",
        "now.jsonl.reset.2026-11-10T09-00-00.000Z",
    }


@pytest.mark.parametrize(
    ("session_file", "name"),
    [
        ("t-topic-7", "t-topic-7.jsonl"),
        ("t-topic-7.jsonl", "t-topic-7.jsonl"),
        ("/home/mara/.openclaw/agents/main/sessions/t-topic-7.jsonl", "t-topic-7.jsonl"),
    ],
)
def test_the_file_of_a_session_may_be_named_by_path_or_identifier(
    machine: Machine, session_file: str, name: str
) -> None:
    machine.key("agent:main:main", "t", sessionFile=session_file)
    machine.said(name)

    assert machine.names() == [f"sessions/main/{name}"]


@pytest.mark.walls
@pytest.mark.parametrize(
    "session_file",
    [
        "../../work/sessions/w.jsonl",
        "/etc/w.jsonl",
        "/home/mara/.openclaw/agents/work/sessions/w.jsonl",
        "sub/w.jsonl",
        "sqlite:agent.db#w",
        "",
        "..",
        "\x00",
    ],
)
def test_a_path_that_leads_elsewhere_claims_nothing(machine: Machine, session_file: str) -> None:
    machine.key("agent:main:main", "t", sessionFile=session_file)
    machine.said("w.jsonl")

    assert machine.names() == []


@pytest.mark.walls
def test_an_agent_of_another_workspace_is_not_read(machine: Machine, tmp_path: Path) -> None:
    machine.key("agent:main:main", "m")
    machine.said("m.jsonl", cwd=tmp_path / "elsewhere")

    assert machine.names() == []
    assert machine.names(agents=("other",)) == []
    assert machine.names(agents=("main",)) == ["sessions/main/m.jsonl"]


def test_openclaws_default_workspaces_need_no_working_folder(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for agent, folder in (("main", "workspace"), ("work", "workspace-work")):
        machine.root = machine.home / "oc" / folder
        machine.root.mkdir(parents=True)
        machine.keys = {}
        machine.key(f"agent:{agent}:main", "m", agent=agent)
        machine.said("m.jsonl", agent, cwd=tmp_path)

        assert machine.names() == [f"sessions/{agent}/m.jsonl"]


def test_a_listing_has_the_time_and_the_signature_of_a_file(machine: Machine) -> None:
    machine.key("agent:main:main", "m", previousSessionId="o")
    new, old = machine.said("m.jsonl"), machine.said("o.jsonl")
    os.utime(old, (1_700_000_000, 1_700_000_000))

    first, second = machine.listing().transcripts

    assert (first.file, second.file) == (old, new)
    assert first.modified_at == "2023-11-14T22:13:20Z"
    assert first.signature[2] == old.stat().st_size
    written(old, [session(), user("grown")])
    assert machine.listing().transcripts[-1].signature != first.signature


@pytest.mark.parametrize("data", [b'{"agent:main:whisper', b"\xff\xfe", b"[" * 100_000])
def test_a_broken_sessions_file_is_reported_without_quoting_it(
    machine: Machine, data: bytes
) -> None:
    machine.said("m.jsonl")
    written(machine.home / "oc" / "agents" / "main" / "sessions" / "sessions.json", [data])

    listing, told = machine.listing(), machine.listing(LAB)

    assert listing.transcripts == ()
    assert len(listing.problems) == 1
    assert listing == told
    assert "whisper" not in listing.problems[0]


def test_an_agent_whose_list_is_no_file_stops_no_other(machine: Machine) -> None:
    machine.key("agent:main:main", "m")
    machine.said("m.jsonl")
    machine.said("x.jsonl", "aaa")
    (machine.home / "oc" / "agents" / "aaa" / "sessions" / "sessions.json").mkdir()

    listing = machine.listing()

    assert [transcript.reference for transcript in listing.transcripts] == ["sessions/main/m.jsonl"]
    assert len(listing.problems) == 1


@pytest.mark.parametrize(
    "value", [[], 5, None, {"agent:main:main": 5}, {"agent:main:main": {"sessionId": ["m"]}}]
)
def test_a_list_of_another_shape_claims_nothing(machine: Machine, value: Any) -> None:
    machine.said("m.jsonl")
    written(machine.home / "oc" / "agents" / "main" / "sessions" / "sessions.json", [value])

    assert machine.listing() == TranscriptListing()


@pytest.mark.walls
def test_links_are_not_followed(machine: Machine, tmp_path: Path) -> None:
    machine.key("agent:main:main", "m")
    secret = written(tmp_path / "secret.jsonl", [session(cwd=str(machine.root)), user("x")])
    sessions = machine.home / "oc" / "agents" / "main" / "sessions"
    (sessions / "m.jsonl").symlink_to(secret)
    assert machine.listing() == TranscriptListing()
    assert machine.listing(agents=("main",)) == TranscriptListing()

    (sessions / "m.jsonl").unlink()
    machine.said("m.jsonl")
    assert machine.names() == ["sessions/main/m.jsonl"]
    sessions.rename(tmp_path / "moved")
    sessions.symlink_to(tmp_path / "moved")
    assert machine.names() == []


def project(machine: Machine, name: str, cwd: Path) -> Path:
    folder = "".join("-" if character in "/.\\:" else character for character in str(machine.root))
    path = machine.home / "cc" / "projects" / folder / name
    return written(path, [typed("hi", cwd=str(cwd)), claude("assistant", "ho", cwd=str(cwd))])


def test_claude_code_transcripts_belong_to_main_of_the_folder_it_ran_in(
    machine: Machine, tmp_path: Path
) -> None:
    project(machine, "mine.jsonl", machine.root)
    project(machine, "twin.jsonl", tmp_path / "work" / "my-space")
    project(machine, "notes.txt", machine.root)

    assert machine.names() == ["sessions/claude-code/mine.jsonl"]
    assert machine.names(LAB) == []
    assert machine.names(ADA) == []


def test_claude_code_names_its_folder_after_what_a_link_leads_to(
    machine: Machine, tmp_path: Path
) -> None:
    project(machine, "mine.jsonl", machine.root)
    machine.root = tmp_path / "link"
    machine.root.symlink_to(tmp_path / "work" / "my.space")

    assert machine.names() == ["sessions/claude-code/mine.jsonl"]


def test_codex_transcripts_belong_to_main_of_the_folder_it_ran_in(
    machine: Machine, tmp_path: Path
) -> None:
    days = machine.home / "cx" / "sessions" / "2026" / "11"
    written(days / "10" / "rollout-1.jsonl", [meta(str(machine.root)), item("user", "hi")])
    written(days / "11" / "rollout-2.jsonl", [meta(str(tmp_path)), item("user", "hi")])
    written(days / "11" / "rollout-3.jsonl", [{"no": "transcript"}])
    written(days / "11" / "rollout-4.jsonl", [meta("relative/../path"), item("user", "hi")])
    (days / "12").symlink_to(days / "10")

    assert machine.names() == ["sessions/codex/rollout-1.jsonl"]
    assert machine.names(LAB) == []


def test_a_workspace_that_is_reached_through_a_link_is_the_same(
    machine: Machine, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(machine.root)
    written(machine.home / "cx" / "sessions" / "r.jsonl", [meta(str(link)), item("user", "hi")])

    assert machine.names() == ["sessions/codex/r.jsonl"]


@pytest.mark.usefixtures("modes_hold")
def test_an_unreadable_folder_is_reported_and_does_not_hide_others(machine: Machine) -> None:
    closed = machine.home / "cx" / "sessions"
    closed.mkdir(parents=True)
    project(machine, "mine.jsonl", machine.root)
    closed.chmod(0)
    try:
        listing = machine.listing()
    finally:
        closed.chmod(0o700)

    assert [transcript.reference for transcript in listing.transcripts] == [
        "sessions/claude-code/mine.jsonl"
    ]
    assert str(closed) in listing.problems[0]


@pytest.mark.walls
def test_what_a_group_sees_does_not_depend_on_mains_files(machine: Machine) -> None:
    machine.key("agent:main:telegram:group:-100", "l")
    machine.said("l.jsonl")
    before = machine.listing(LAB)

    machine.key("agent:main:main", "m")
    machine.said("m.jsonl")
    (machine.home / "cx").mkdir()
    (machine.home / "cx" / "sessions").write_text("not a folder")
    project(machine, "mine.jsonl", machine.root)

    assert machine.listing(LAB) == before


def test_a_list_in_the_hosts_format_is_read(machine: Machine) -> None:
    machine.said("m.jsonl")
    entry = {"sessionId": "m", "chatType": "direct", "skillsSnapshot": {"prompt": "x" * 5000}}
    path = machine.home / "oc" / "agents" / "main" / "sessions" / "sessions.json"
    path.write_text(json.dumps({"agent:main:main": entry}, indent=2), encoding="utf-8")

    assert machine.names() == ["sessions/main/m.jsonl"]
