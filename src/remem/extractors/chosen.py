"""Who reads what was said? The rules, or a language model with the rules behind it."""

from __future__ import annotations

from collections.abc import Mapping

from remem.config import Config
from remem.extractors.rules import Rules
from remem.ports import Extractor


def choose_extractor(config: Config, environment: Mapping[str, str]) -> Extractor:
    """The extractor of the settings; a model's parts are loaded only where one is wanted."""
    if config.extractor == "rules":
        return Rules()
    from remem.extractors.asked import Asked
    from remem.extractors.chat import configured_chat
    from remem.extractors.client_model import ask_client

    chat = configured_chat(config, environment) if config.extractor == "llm" else ask_client
    assert chat is not None, "the settings were checked"
    return Asked(chat, Rules())
