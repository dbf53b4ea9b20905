"""The settings of a workspace: the example names all of them, and mistakes are refused."""

import re
from dataclasses import fields

import pytest

from remem.config import EXAMPLE, Config, parse_config
from remem.errors import ConfigError
from tests.tables import each_row

NAMES = [field.name for field in fields(Config)]


def test_the_example_names_every_setting_once_and_its_values_are_valid() -> None:
    settings = re.sub(r"(?m)^# (?=\w+ = )", "", EXAMPLE)

    assert re.findall(r"(?m)^(\w+) = ", settings) == NAMES
    assert parse_config(EXAMPLE, "config.toml") == Config()
    parse_config(settings, "config.toml")


@each_row(
    "text",
    [
        "topics = 'one'",
        "index_tokens = 9000",
        "index_tokens = true",
        "endpoint_timeout = true",
        "endpoint_timeout = 0",
        "rerank_timeout = -1.0",
        "llm_timeout = nan",
        "llm_timeout = inf",
        "memory_budget = 10",
        "embedder = 'magic'",
        "embedder = 'endpoint'",
        "extractor = 'llm'",
        "llm_url = 'http://127.0.0.1/v1'",
        "codex_home = 'relative'",
        f"llm_timeout = 1{'0' * 400}",
        f"llm_timeout = 0x{'f' * 5000}",
        f"index_tokens = 1{'0' * 5000}",
        f"topics = [0x{'f' * 5000}]",
        f"topics = {'[' * 5000}",
        "extra_paths = [' ']",
        "transcripts = ['everyone']",
        "unheard_of = 1",
        "not toml",
    ],
)
def test_an_invalid_setting_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml"):
        parse_config(text, "config.toml")


def test_an_error_names_the_type_in_words() -> None:
    with pytest.raises(ConfigError, match="index_tokens must be a whole number, not 'many'"):
        parse_config("index_tokens = 'many'", "config.toml")


def test_a_timeout_may_be_a_whole_number() -> None:
    assert parse_config("qmd_timeout = 5", "config.toml").qmd_timeout == 5.0


def test_settings_may_begin_with_a_byte_order_mark() -> None:
    assert parse_config("\ufeffindex_tokens = 300", "config.toml").index_tokens == 300
    assert parse_config("\ufeff# only a comment", "config.toml") == Config()
