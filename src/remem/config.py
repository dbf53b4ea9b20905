"""What may be set? Few things, in one frozen value, read from `.remem/config.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from datetime import tzinfo
from typing import Any, Final

from remem.errors import ConfigError, shown

_LISTS: Final = ("topics", "owner_peers", "extra_paths", "transcripts", "openclaw_agents")
_HOMES: Final = ("openclaw_home", "claude_home", "codex_home")
_CHOICES: Final = {
    "embedder": ("minilm", "endpoint", "none"),
    "extractor": ("rules", "llm", "client"),
    "citations": ("auto", "on", "off"),
    "token_counter": ("auto", "exact", "estimate"),
}

EXAMPLE: Final = """\
# remem: settings of this workspace. Everything here has a default.

# topics = ["openclaw", "goals"]   # entries with such a tag get a domain file of their own
# owner_peers = []                 # your own direct chats, as session keys: they count as main
# main_is_shared = false           # true where your host lets strangers into the main session
# keep_codes = false               # true: PINs and door codes that you store yourself, with
#                                  # `remem store` in main, are not masked; an agent's always are

# extra_paths = ["../notes"]       # folders and Markdown files that search reads for you too

# transcripts = ["main"]           # whose conversations search may read: "main", "group:garden",
#                                  # "peer:telegram:direct:4711"; by default nobody's
# openclaw_agents = ["main"]       # OpenClaw's agents of this workspace, if their folder is not it
# openclaw_home = "~/.openclaw"    # where the hosts keep their transcripts, if elsewhere
# claude_home = "~/.claude"
# codex_home = "~/.codex"

# embedder = "minilm"              # "minilm" (local), "endpoint", or "none"
# endpoint_url = "http://127.0.0.1:11434/v1"
# endpoint_model = "nomic-embed-text"
# endpoint_key_variable = "OPENAI_API_KEY"   # the environment variable that holds the key

# llm_url = "http://127.0.0.1:11434/v1"      # a language model, for better prose; none is needed
# llm_model = "qwen3"
# llm_key_variable = "OPENAI_API_KEY"
# extractor = "rules"              # who reads conversations: "rules", "llm" (the model above), or
#                                  # "client" (the MCP client's own model, while it is served)
# qmd = "qmd"                      # a QMD installation that is to follow brain/areas

# index_tokens = 1500              # the target for memory/INDEX.md; it is never above 2000
# memory_budget = 3000             # tokens for a group's memory, if its gate names no other
# timezone = "Europe/Berlin"       # whose midnight ends your day; by default this machine's
# citations = "auto"               # search results name their source: "on", "off", or one to one
# token_counter = "auto"           # "exact" (needs remem[tokens]), "estimate", or what there is
"""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one workspace."""

    topics: tuple[str, ...] = ()
    owner_peers: frozenset[str] = frozenset()
    main_is_shared: bool = False
    keep_codes: bool = False
    extra_paths: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    openclaw_agents: tuple[str, ...] = ()
    openclaw_home: str = ""
    claude_home: str = ""
    codex_home: str = ""
    embedder: str = "minilm"
    endpoint_url: str = ""
    endpoint_model: str = ""
    endpoint_key_variable: str = ""
    endpoint_timeout: float = 10.0
    llm_url: str = ""
    llm_model: str = ""
    llm_key_variable: str = ""
    llm_timeout: float = 60.0
    extractor: str = "rules"
    qmd: str = ""
    qmd_timeout: float = 60.0
    index_tokens: int = 1500
    memory_budget: int = 3000
    timezone: str = ""
    citations: str = "auto"
    token_counter: str = "auto"  # noqa: S105 - tokens, not secrets


def parse_config(text: str, where: str) -> Config:
    """The settings of a TOML text; an unknown or unusable one is an error that names it."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is not TOML: {error}") from error
    known = {field.name: field for field in fields(Config)}
    settings: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise ConfigError(
                f"{where} has an unknown setting {shown(name)}",
                hint=f"known settings: {', '.join(known)}",
            )
        settings[name] = _checked(name, value, where)
    config = Config(**settings)
    if config.embedder == "endpoint" and not (config.endpoint_url and config.endpoint_model):
        raise ConfigError(f"{where}: embedder = 'endpoint' needs endpoint_url and endpoint_model")
    if bool(config.llm_url) != bool(config.llm_model):
        raise ConfigError(f"{where}: a language model needs both llm_url and llm_model")
    if config.extractor == "llm" and not config.llm_url:
        raise ConfigError(f"{where}: extractor = 'llm' needs llm_url and llm_model")
    return config


def zone_of(config: Config) -> tzinfo | None:
    """The owner's time zone; None for the machine's, whose summer time the system knows."""
    if not config.timezone:
        return None
    from zoneinfo import ZoneInfo  # most workspaces do not name one

    try:
        return ZoneInfo(config.timezone)
    except (ValueError, OSError, LookupError) as error:
        raise ConfigError(
            f"timezone {shown(config.timezone)} is not known here",
            hint="name one such as Europe/Berlin, or leave the setting out",
        ) from error


def _checked(name: str, value: Any, where: str) -> Any:
    if name in _LISTS:
        return _checked_list(name, value, where)
    wanted = type(getattr(Config(), name))
    if wanted is float and isinstance(value, int):
        value = float(value)
    if type(value) is not wanted:
        raise ConfigError(f"{where}: {name} must be {wanted.__name__}, not {shown(value)}")
    if name in _CHOICES and value not in _CHOICES[name]:
        choices = ", ".join(_CHOICES[name])
        raise ConfigError(f"{where}: {name} {shown(value)} is unknown", hint=f"one of: {choices}")
    if name in _HOMES and value and (not value.startswith(("/", "~")) or "\0" in value):
        raise ConfigError(
            f"{where}: {name} {shown(value)} is not a whole path",
            hint="begin it with / or ~",
        )
    if name == "memory_budget" and not 200 <= value <= 20_000:
        raise ConfigError(f"{where}: memory_budget {value} is not between 200 and 20000")
    if name == "index_tokens" and not 200 <= value <= 2000:
        raise ConfigError(f"{where}: index_tokens {value} is not between 200 and 2000")
    return value


def _checked_list(name: str, value: Any, where: str) -> tuple[str, ...] | frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ConfigError(f"{where}: {name} must be a list of texts, not {shown(value)}")
    if name == "transcripts":
        _check_scopes(value, where)
    if name == "extra_paths":
        _check_paths(value, where)
    return frozenset(value) if name == "owner_peers" else tuple(value)


def _check_paths(paths: list[str], where: str) -> None:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise ConfigError(
                f"{where}: extra_paths has {shown(path)}, which is no path",
                hint="name a folder or a Markdown file, from the workspace or from / on",
            )


def _check_scopes(names: list[str], where: str) -> None:
    for each in names:
        kind, _, name = each.partition(":")
        if each != "main" and not (kind in ("group", "peer") and name.strip()):
            raise ConfigError(
                f"{where}: transcripts has {shown(each)}, which is no scope",
                hint='use "main", "group:<name>" or "peer:<id>"',
            )
