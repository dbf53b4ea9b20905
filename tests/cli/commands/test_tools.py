"""The tools on the command line."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable

import click
import pytest

from remem.app.tools.declare import Tool
from remem.app.tools.table import TOOLS
from remem.cli.main import remem
from tests.cli.conftest import Run
from tests.tables import each_row


def command(tool: Tool) -> click.Command:
    found = remem.get_command(click.Context(remem), tool.command)
    assert found is not None
    return found


@each_row("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_parameter_of_a_tool_is_an_option(tool: Tool) -> None:
    names = {param.name for param in command(tool).params}

    assert {parameter.name for parameter in tool.parameters} | {"as_json"} <= names


def test_no_agent_can_ask_to_keep_a_secret() -> None:
    assert not any(parameter.name == "keep" for tool in TOOLS for parameter in tool.parameters)


def test_what_was_check_stored_entries(run: Run) -> None:
    stored = run(
        "store", "-c", "preference", "-t", "coffee", "-p", "high", "David drinks it black."
    )
    found = run("recall", "how does David drink it?")

    assert stored.stdout.startswith("stored mem-")
    assert "David drinks it black." in found.stdout
    assert "preference  high  #coffee" in found.stdout
    assert "1 of 1 matches" in found.stdout


def test_json_is_exactly_one_line_of_the_tools_answer(run: Run) -> None:
    stored = json.loads(run("store", "-c", "fact", "Zoë lives in Köln.", "--json").stdout)
    found = run("recall", "Zoë", "--json").stdout

    assert stored["stored"] is True
    assert found.endswith("}\n")
    assert "Köln" in found
    assert json.loads(found)["entries"][0]["id"] == stored["id"]


def test_every_option_reaches_the_memory(run: Run) -> None:
    first = json.loads(run("store", "-c", "fact", "The gate is red.", "--json").stdout)["id"]
    second = json.loads(
        run(
            *("store", "-c", "fact", "The gate was painted blue.", "--json"),
            *("--context", "we looked", "-p", "low", "-t", "gate", "-t", "colour"),
            *("--supersedes", first, "--expires", "2099-01-01"),
        ).stdout
    )["id"]

    answer = json.loads(
        run(
            *("recall", "gate", "--json", "--include-context", "--why", "--include-archived"),
            *("-c", "fact", "-t", "gate", "--priority-min", "low", "--format", "detailed"),
            *("--limit", "1", "-b", "500", "--now", "2026-11-15", "--include-untrusted"),
        ).stdout
    )

    (entry,) = answer["entries"]
    assert (entry["id"], entry["context"], entry["priority"]) == (second, "we looked", "low")
    assert entry["expires_at"].startswith("2099-01-01")
    assert "why" in entry


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_content_can_be_piped_in(run: Run, arguments: tuple[str, ...]) -> None:
    run("store", "-c", "fact", *arguments, input="Two lines\nabout tea.\n")

    found = json.loads(run("recall", "tea", "--json").stdout)
    assert found["entries"][0]["content"] == "Two lines\nabout tea."


def test_a_question_can_be_piped_in(run: Run) -> None:
    run("store", "-c", "fact", "Tea is at five.")

    assert "Tea is at five." in run("recall", "-", input="When is tea?").stdout


def test_piped_bytes_that_are_not_utf8_are_refused_with_their_position(run: Run) -> None:
    result = run("store", "-c", "fact", "-", input=b"caf\xe9 noir")

    assert result.exit_code == 1
    assert "standard input is not UTF-8: byte 3 is 0xe9" in result.stderr


def test_an_argument_that_is_not_text_is_refused(run: Run) -> None:
    result = run("store", "-c", "fact", "caf\udce9")

    assert result.exit_code == 1
    assert "content is not UTF-8: byte 3 is 0xe9" in result.stderr
    assert "iconv" in result.stderr


def test_utf_8_is_understood_in_a_locale_without_it(
    process: Callable[..., subprocess.CompletedProcess[bytes]],
) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    stored = process("store", "-c", "person", "Zoë mag Tee".encode(), env={**os.environ, **locale})

    assert stored.returncode == 0, stored.stderr
    assert "Zoë mag Tee" in process("list").stdout.decode()


def test_zero_is_a_number_not_an_absence(run: Run) -> None:
    result = run("recall", "x", "--limit", "0")

    assert result.exit_code == 1
    assert "limit 0 is not a whole number from 1" in result.stderr


def test_what_the_owner_stores_has_owner_trust(run: Run) -> None:
    id_ = json.loads(run("store", "-c", "fact", "I said so.", "--json").stdout)["id"]

    assert json.loads(run("recall", id_, "--json").stdout)["entries"][0]["trust"] == "owner"


def test_options_are_spelled_with_hyphens() -> None:
    for tool in TOOLS:
        for param in command(tool).params:
            if isinstance(param, click.Option):
                assert not any("_" in spelling for spelling in param.opts)
