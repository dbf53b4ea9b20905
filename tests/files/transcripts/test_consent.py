from pathlib import Path

import pytest

from remem.app.environment import transcripts_for
from remem.config import Config, parse_config
from remem.errors import ConfigError
from remem.files.host_folders import HostHomes, host_homes
from remem.files.layout import Layout
from remem.files.transcripts.locate import TranscriptListing, allowed_transcripts
from remem.model.scope import MAIN, Scope
from tests.files.transcripts.samples import session, user, written
from tests.tables import each_row

LAB = Scope("group", "lab")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A workspace whose host has one transcript of main and one of the lab."""
    layout = Layout(tmp_path / "w")
    (layout.memory).mkdir(parents=True)
    written(layout.memory / "group_names.json", [{"telegram:-100": "lab"}])
    folder = tmp_path / "oc" / "agents" / "main" / "sessions"
    keys = {"agent:main:main": "m", "agent:main:telegram:group:-100": "l"}
    written(folder / "sessions.json", [{key: {"sessionId": name} for key, name in keys.items()}])
    for name in keys.values():
        written(folder / f"{name}.jsonl", [session(cwd=str(layout.root)), user("hi")])
    return layout


def listed(layout: Layout, scope: Scope, *transcripts: str, **settings: object) -> list[str]:
    config = Config(
        transcripts=transcripts, openclaw_home=str(layout.root.parent / "oc"), **settings
    )
    found = allowed_transcripts(layout, config, scope, {})
    return [transcript.reference for transcript in found.transcripts]


@pytest.mark.walls
def test_no_conversation_is_listed_until_its_own_scope_allows_it(layout: Layout) -> None:
    assert listed(layout, MAIN) == []
    assert listed(layout, MAIN, "group:lab") == []
    assert listed(layout, LAB, "main") == []
    assert listed(layout, MAIN, "main") == ["sessions/main/m.jsonl"]
    assert listed(layout, LAB, "group:lab") == ["sessions/main/l.jsonl"]


@pytest.mark.walls
def test_a_main_session_that_strangers_share_belongs_to_no_scope(layout: Layout) -> None:
    assert listed(layout, MAIN, "main", main_is_shared=True) == []


@pytest.mark.walls
def test_the_owners_own_direct_chat_is_mains(layout: Layout) -> None:
    folder = layout.root.parent / "oc" / "agents" / "main" / "sessions"
    key = "agent:main:telegram:direct:1"
    written(folder / "sessions.json", [{key: {"sessionId": "m"}}])

    assert listed(layout, MAIN, "main") == []
    assert listed(layout, MAIN, "main", owner_peers=frozenset({key})) == ["sessions/main/m.jsonl"]


def test_main_does_not_need_the_names_of_rooms(layout: Layout) -> None:
    (layout.memory / "group_names.json").write_text("{broken", encoding="utf-8")

    assert listed(layout, MAIN, "main") == ["sessions/main/m.jsonl"]


def test_what_is_not_allowed_is_not_even_looked_at(layout: Layout) -> None:
    (layout.memory / "group_names.json").write_text("{broken", encoding="utf-8")

    assert allowed_transcripts(layout, Config(), LAB, {}) == TranscriptListing()


def test_a_home_folder_comes_from_the_settings_the_environment_or_the_default(
    tmp_path: Path,
) -> None:
    config = Config(claude_home="/c", openclaw_agents=("work",))
    environment = {"CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/not this"}

    places = host_homes(config, environment)

    assert places == HostHomes(Path.home() / ".openclaw", Path("/c"), Path("/x"), ("work",))


def test_an_unknown_home_folder_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="nobody-at-all"):
        host_homes(Config(codex_home="~nobody-at-all/.codex"), {})


def test_the_settings_are_read() -> None:
    text = 'transcripts = ["main", "group:lab", "peer:telegram:direct:4711"]\ncodex_home = "~/c"'

    config = parse_config(text, "config.toml")

    assert config.transcripts == ("main", "group:lab", "peer:telegram:direct:4711")
    assert config.codex_home == "~/c"
    assert Config().transcripts == ()


@each_row(
    ("text", "named"),
    [
        ('transcripts = "main"', "'main'"),
        ("transcripts = true", "True"),
        ('transcripts = ["all"]', "'all'"),
        ('transcripts = ["group:"]', "'group:'"),
        ('transcripts = ["shared:team"]', "'shared:team'"),
        ('openclaw_agents = "main"', "'main'"),
        ('claude_home = "relative/path"', "'relative/path'"),
        ("codex_home = 5", "5"),
    ],
)
def test_an_unusable_setting_is_an_error_that_names_it(text: str, named: str) -> None:
    with pytest.raises(ConfigError, match=text.partition(" ")[0]) as caught:
        parse_config(text, "config.toml")

    assert named in str(caught.value)


def test_a_workspace_is_wired_to_the_transcripts_of_its_scope(layout: Layout) -> None:
    config = Config(transcripts=("main",), openclaw_home=str(layout.root.parent / "oc"))

    found = transcripts_for(layout, config, MAIN, {})

    assert [transcript.reference for transcript in found.transcripts] == ["sessions/main/m.jsonl"]
