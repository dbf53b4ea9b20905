"""Lines that say nothing: empty fields, prompts to fill one in, template prose, edit stamps."""

from __future__ import annotations

import pytest

from remem.text.line_status import is_placeholder, is_stamp, is_template


@pytest.mark.parametrize(
    "line",
    [
        "**Name:**",
        "**Pronouns:** _(optional)_",
        "Name: *(to be learned)*",
        "Birthday: unknown",
        "(add notes here)",
        "_What do they care about?_",
        "_(What do they care about? What annoys them?)_",
        "<your name>",
        "TBD",
        "暂无",
        "なし",
        "нет",
        "(noch nichts)",
    ],
)
def test_a_field_without_a_value_is_a_placeholder(line: str) -> None:
    assert is_placeholder(line)


@pytest.mark.parametrize(
    "line",
    [
        "**Name:** Ines",
        "Favourite tea: none of the smoked ones",
        "Add a note here whenever the ferry is late",
        "(Ines only) the blue key opens the shed",
        "时区：里斯本",
        "Имя: Инес",
    ],
)
def test_a_statement_is_no_placeholder(line: str) -> None:
    assert not is_placeholder(line)


@pytest.mark.parametrize(
    "line",
    [
        "_Learn about the person you're helping. Update this as you go._",
        "The more you know, the better you can help. But remember — you're learning about a person,"
        " not building a dossier. Respect the difference.",
        "Curated long-term memory",
        "*Long-term memories, kept by the assistant*",
    ],
)
def test_prose_of_a_new_file_is_a_template(line: str) -> None:
    assert is_template(line)


@pytest.mark.parametrize(
    "line",
    [
        "Learn the names of new guests before they arrive.",
        "Curated memories of the harbour: the crane was red.",
        "The more you water it, the sooner it rots.",
    ],
)
def test_a_statement_is_no_template(line: str) -> None:
    assert not is_template(line)


@pytest.mark.parametrize(
    "line",
    [
        "Last updated: 2026-11-02",
        "*Last updated: 2 November 2026*",
        "_Updated 2026-11-02_",
        "Created: 2026-01-01",
        "Stand: 02.11.2026",
        "Zuletzt aktualisiert am 02.11.2026",
        "Обновлено: 02.11.2026",
        "Dernière mise à jour : 2 novembre 2026",
        "Última atualização: 02/11/2026",
        "最后更新：2026年11月2日",
        "最終更新: 2026-11-02",
    ],
)
def test_the_date_of_an_edit_is_a_stamp(line: str) -> None:
    assert is_stamp(line)


@pytest.mark.parametrize(
    "line",
    [
        "Birthday: 1990-05-03",
        "Updated invoices go to Teo",
        "Created by hand, no machine touches it",
        "Stand mixer: the red one",
        "更新した資料は金曜日に送る",
    ],
)
def test_other_dates_and_sentences_are_no_stamps(line: str) -> None:
    assert not is_stamp(line)
