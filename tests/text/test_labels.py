"""Fixed texts exist in every language, with the same values in them."""

from __future__ import annotations

import re

from remem.text.labels import label, labels
from remem.text.pattern_file import pattern_file
from tests.tables import each_row

LABELS = pattern_file("text/labels")
TABLES = ("headings", "gate_rules", "gate_triggers", "texts")
KEYS = [(table, key) for table in TABLES for key in LABELS[table]]


@each_row(("table", "key"), KEYS)
def test_a_text_exists_in_all_languages_and_names_the_same_values(table: str, key: str) -> None:
    texts = LABELS[table][key]

    assert len(texts) == len(LABELS["languages"])
    assert all(text.strip() == text and text for text in texts)
    assert len({frozenset(re.findall(r"\{\w+\}", text)) for text in texts}) == 1


def test_an_unknown_language_gets_english() -> None:
    assert label("facts", "tlh") == "Facts"
    assert label("facts", "de") == "Fakten"
    assert labels("facts")[0] == "Facts"
