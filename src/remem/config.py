"""Settings of a workspace, read from `.remem/config.toml` into one frozen value.

A new setting is a field of `Config` and a line of `EXAMPLE`; the reference page is generated from
the example.
"""

from __future__ import annotations

from dataclasses import field, fields
from datetime import tzinfo
from typing import Any, Final

from remem.errors import ConfigError, quoted
from remem.fast_dataclass import dataclass

_FOLDERS: Final = ("openclaw_home", "claude_home", "codex_home")
_CHOICES: Final = {
    "embedder": ("auto", "minilm", "multilingual", "folder", "endpoint", "none"),
    "extractor": ("rules", "llm", "client"),
    "citations": ("auto", "on", "off"),
    "token_counter": ("auto", "exact", "estimate"),
}

_TYPE_NAMES: Final = {
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    bool: "true or false",
}
_MAX_TIMEOUT_SECONDS: Final = 3600

EXAMPLE: Final = """\
# remem: settings of this workspace. Everything here has a default.

# topics = ["openclaw", "goals"]   # entries with one of these tags get their own domain file
# owner_peers = []                 # session keys of your own direct chats: they count as main
# main_is_shared = false           # true if your host lets other people into the main session
# keep_codes = false               # true: do not mask PINs and door codes that you store yourself
#                                  # with `remem store` in main; an agent's are always masked

# single_valued = ["lives in"]     # relations of which a thing has one at a time: a new one
#                                  # replaces the old one, which stays in the history

# graph = "neo4j://127.0.0.1:7687" # a graph server that answers main's graph queries instead; its
#                                  # name and password: NEO4J_USERNAME and NEO4J_PASSWORD

# extra_paths = ["../notes"]       # more folders and Markdown files to search

# transcripts = ["main"]           # scopes whose conversations may be searched: "main",
#                                  # "group:garden", "peer:telegram:direct:4711"; default: none
# openclaw_agents = ["main"]       # OpenClaw agents that use this workspace from another folder
# openclaw_home = "~/.openclaw"    # where hosts keep transcripts, if not in the default place
# claude_home = "~/.claude"
# codex_home = "~/.codex"

# embedder = "auto"                # "minilm", "multilingual", "endpoint", "none", or "auto":
#                                  # multilingual if it is installed, otherwise minilm
#                                  # "folder": any small encoder in model_folder
# model_folder = "~/models/e5"     # with model.onnx, vocab.txt or tokenizer.json, and model.toml
# endpoint_url = "http://127.0.0.1:11434/v1"
# endpoint_model = "nomic-embed-text"
# endpoint_key_variable = "OPENAI_API_KEY"   # the environment variable that holds the key
# endpoint_timeout = 10.0          # seconds

# rerank_url = "http://127.0.0.1:8080"       # an optional reranker (TEI's /rerank): the first 20
#                                  # results of each question are sent to it
# rerank_key_variable = "RERANK_API_KEY"
# rerank_timeout = 2.0             # seconds

# llm_url = "http://127.0.0.1:11434/v1"      # an optional language model, for better prose
# llm_model = "qwen3"
# llm_key_variable = "OPENAI_API_KEY"
# llm_timeout = 60.0
# extractor = "rules"              # what reads conversations: "rules", "llm" (the model above), or
#                                  # "client" (the model of the connected MCP client)
# qmd = "qmd"                      # a QMD command to run when brain/areas changes
# qmd_timeout = 60.0

# this_project_only = false        # true: recall, the index and the start of a conversation leave
#                                  # out what was learned in other projects; a filter, not a wall
# index_tokens = 1500              # target size of memory/INDEX.md; at most 2000
# memory_budget = 3000             # tokens for a group's memory, unless its gate sets another
# timezone = "Europe/Berlin"       # your time zone; default: this machine's
# citations = "auto"               # cite sources in search results: "on", "off", or "auto" (only
#                                  # in one-to-one chats)
# token_counter = "auto"           # "exact", "estimate", or "auto" (exact if the counter is
#                                  # installed)

# store = "postgresql://remem@db.example.com/memory"   # a store that several machines share;
#                                  # default: "sqlite", files in .remem; REMEM_STORE overrides it
"""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one workspace."""

    topics: tuple[str, ...] = ()
    owner_peers: frozenset[str] = frozenset()
    main_is_shared: bool = False
    keep_codes: bool = False
    single_valued: tuple[str, ...] = ()
    graph: str = ""
    extra_paths: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    openclaw_agents: tuple[str, ...] = ()
    openclaw_home: str = ""
    claude_home: str = ""
    codex_home: str = ""
    embedder: str = "auto"
    model_folder: str = ""
    endpoint_url: str = ""
    endpoint_model: str = ""
    endpoint_key_variable: str = ""
    endpoint_timeout: float = 10.0
    rerank_url: str = ""
    rerank_key_variable: str = ""
    rerank_timeout: float = 2.0
    llm_url: str = ""
    llm_model: str = ""
    llm_key_variable: str = ""
    llm_timeout: float = 60.0
    extractor: str = "rules"
    qmd: str = ""
    qmd_timeout: float = 60.0
    this_project_only: bool = False
    index_tokens: int = 1500
    memory_budget: int = 3000
    timezone: str = ""
    citations: str = "auto"
    token_counter: str = "auto"  # noqa: S105 - tokens, not secrets
    store: str = field(default="", repr=False)  # may contain a password


def parse_config(text: str, where: str) -> Config:
    """Parse the settings in a TOML text; `where` names the file in errors.

    An unknown or invalid setting raises ConfigError with its name.
    """
    text = text.removeprefix("\ufeff")  # some editors write a byte order mark
    if all(line.lstrip()[:1] in ("", "#") for line in text.split("\n")):
        return Config()  # only comments, as `remem init` writes the file

    import tomllib  # slow to import

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for too many digits or brackets
        raise ConfigError(f"{where} is not valid TOML: {error}") from error
    known = {setting.name for setting in fields(Config)}
    settings: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise ConfigError(
                f"{where} has an unknown setting {quoted(name)}",
                hint=f"known settings: {', '.join(setting.name for setting in fields(Config))}",
            )
        settings[name] = _validate(name, value, where)
    config = Config(**settings)
    if config.embedder == "folder" and not config.model_folder:
        raise ConfigError(f"{where}: embedder = 'folder' needs model_folder")
    if config.embedder == "endpoint" and not (config.endpoint_url and config.endpoint_model):
        raise ConfigError(f"{where}: embedder = 'endpoint' needs endpoint_url and endpoint_model")
    if bool(config.llm_url) != bool(config.llm_model):
        raise ConfigError(f"{where}: a language model needs both llm_url and llm_model")
    if config.extractor == "llm" and not config.llm_url:
        raise ConfigError(f"{where}: extractor = 'llm' needs llm_url and llm_model")
    return config


def timezone_of(config: Config) -> tzinfo | None:
    """Return the owner's time zone, or None for the machine's own."""
    if not config.timezone:
        return None
    from zoneinfo import ZoneInfo  # lazy: most workspaces set no time zone

    try:
        return ZoneInfo(config.timezone)
    except (ValueError, OSError, LookupError) as error:
        raise ConfigError(
            f"unknown timezone {quoted(config.timezone)}",
            hint="use a name such as Europe/Berlin, or remove the setting",
        ) from error


def _validate(name: str, value: Any, where: str) -> Any:
    """Return the value in the type of the setting, or raise ConfigError."""
    expected = type(getattr(Config(), name))
    if expected in (tuple, frozenset):
        _check_list(name, value, where)
        return expected(value)
    if type(value) is not expected and not (expected is float and type(value) is int):
        raise ConfigError(f"{where}: {name} must be {_TYPE_NAMES[expected]}, not {quoted(value)}")
    if expected is float and not 0 < value <= _MAX_TIMEOUT_SECONDS:
        raise ConfigError(
            f"{where}: {name} must be more than 0 and at most {_MAX_TIMEOUT_SECONDS} seconds, "
            f"not {quoted(value)}"
        )
    if name in _CHOICES and value not in _CHOICES[name]:
        choices = ", ".join(_CHOICES[name])
        raise ConfigError(
            f"{where}: {name} {quoted(value)} is not valid", hint=f"one of: {choices}"
        )
    if name in _FOLDERS and value and (not value.startswith(("/", "~")) or "\0" in value):
        raise ConfigError(
            f"{where}: {name} {quoted(value)} is not an absolute path",
            hint="start it with / or ~",
        )
    if name == "memory_budget" and not 200 <= value <= 20_000:
        raise ConfigError(f"{where}: memory_budget {quoted(value)} is not between 200 and 20000")
    if name == "index_tokens" and not 200 <= value <= 2000:
        raise ConfigError(f"{where}: index_tokens {quoted(value)} is not between 200 and 2000")
    return expected(value)


def _check_list(name: str, value: Any, where: str) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: {name} must be a list of texts in quotes, not {quoted(value)}")
    if name == "transcripts":
        _check_scopes(value, where)
    if name == "extra_paths":
        _check_paths(value, where)


def _check_paths(paths: list[str], where: str) -> None:
    for path in paths:
        if not path.strip() or "\0" in path:
            raise ConfigError(
                f"{where}: extra_paths contains {quoted(path)}, which is not a path",
                hint="use a folder or Markdown file, relative to the workspace or absolute",
            )


def _check_scopes(scopes: list[str], where: str) -> None:
    for scope in scopes:
        kind, _, name = scope.partition(":")
        if scope != "main" and not (kind in ("group", "peer") and name.strip()):
            raise ConfigError(
                f"{where}: transcripts contains {quoted(scope)}, which is not a scope",
                hint='use "main", "group:<name>" or "peer:<id>"',
            )
