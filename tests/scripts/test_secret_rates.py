"""The test set of secrets is well-formed, the command measures what it says, and the rates hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scripts import secret_rates
from scripts.secret_rates import Outcome, Rates
from tests.samples import secret_corpus
from tests.samples.secret_corpus import FOLDER, PARTS, draw, harmless, line_of, rows, secrets
from tests.tables import each_row

SCRIPT = Path(secret_rates.__file__)
FILES = sorted(FOLDER.glob("*.jsonl"))
ALL_ROWS = [row for name in ("secrets", "harmless") for part in PARTS for row in rows(name, part)]

LIMITS = {"all": (5.0, 2.0), "open": (5.0, 2.0), "held": (10.0, 3.0)}
"""The highest rates of misses and false alarms, in percent. Rules may be adjusted to the open part,
so the held one is where a rule that fits single lines shows."""


VENDOR_SHAPED = re.compile(
    r"(?:gh[pousr]_|github_pat_|gl(?:pat|rt|dt|ptt)-|xox[bpe]-|xapp-|[sr]k_(?:live|test)_|sk-|hf_|npm_"
    r"|AKIA|ASIA|AIza|SG\.|dop_v1_|shp(?:at|ss)_|pypi-|dapi|hvs\.|lin_api_|gsk_|xai-|r8_|pplx-)"
    r"[A-Za-z0-9_]{16,}"
)
PUBLIC_KEY_HEADERS = ("AAAAC3NzaC1lZDI1NTE5AAAAI", "AAAAB3NzaC1yc2EAAAADAQABAAABAQ")


def looks_drawn(run: str) -> bool:
    """Whether a run of characters mixes cases and digits as a key does."""
    digits = sum(map(str.isdigit, run))
    mixed = re.search("[a-z]", run) and re.search("[A-Z]", run) and digits >= 4
    return bool(mixed) and run not in PUBLIC_KEY_HEADERS


def wifi(**fields: Any) -> secret_corpus.Line:
    text = "The wifi password is {value}. Guests type {value} twice."
    row = {"id": "wifi", "part": "open", "kind": "wifi", "language": "en", "text": text}
    return line_of({**row, "values": {"value": "sk-proj-<alnum 20>"}, **fields})


def test_the_set_is_large_and_names_every_line_once() -> None:
    assert len(secrets()) >= 150
    assert len([line for line in harmless() if not line.insist]) >= 300
    assert len([line for line in harmless() if line.insist]) >= 50
    assert not [id_ for id_, count in Counter(row["id"] for row in ALL_ROWS).items() if count > 1]
    assert len({line.language for line in secrets()}) >= 10


@each_row("name", ["secrets", "harmless"])
def test_every_kind_is_divided_in_half(name: str) -> None:
    opened, held = (Counter(row["kind"] for row in rows(name, part)) for part in PARTS)
    assert all(abs(opened[kind] - held[kind]) <= 1 for kind in opened | held)
    assert all(row["part"] == part for part in PARTS for row in rows(name, part))


def test_every_recipe_fills_a_placeholder_and_every_secret_can_survive() -> None:
    for row in ALL_ROWS:
        recipes = {**row.get("values", {}), **row.get("plain", {})}
        said = "\n".join((row["text"], row.get("context", ""), *row.get("tags", ())))
        assert not [name for name in recipes if f"{{{name}}}" not in said], row["id"]
        line = line_of(row)
        assert line == line_of(row)
        assert all(line.survivors([value.text]) for value in line.values), row["id"]
        assert line.survivors(["***"]) == []


def test_a_draw_is_the_same_in_every_version_of_python() -> None:
    assert draw("ghp_<alnum 12>", "seed").text == "ghp_io1rc7TLGOVz"
    assert draw("<words 3 ->", "seed").text == "anvil-kettle-crumpet"


def test_no_two_lines_become_one_memory() -> None:
    """The store merges a memory with one that says the same; then a context could get lost."""
    templates = [re.sub(r"\{\w+\}", "***", row["text"]).casefold() for row in ALL_ROWS]
    assert len(set(templates)) == len(templates)
    for row, template in zip(ALL_ROWS, templates, strict=True):
        if "context" in row or "tags" in row:
            assert [other for other in templates if template in other] == [template]


def test_no_drawn_value_and_nothing_in_the_shape_of_a_key_is_in_the_files() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    drawn = [value.text for line in secrets() for value in line.values]
    assert not [value for value in drawn if len(value) > 8 and value in text]
    assert not [match[0] for match in VENDOR_SHAPED.finditer(text)]
    assert not [run for run in re.findall(r"[A-Za-z0-9+]{20,}", text) if looks_drawn(run)]
    assert not [line for line in text.splitlines() if re.search(r"-----BEGIN.*PRIVATE", line)]


def test_the_check_for_key_shapes_recognises_drawn_keys() -> None:
    assert VENDOR_SHAPED.search(draw("ghp_<alnum 36>", "x").text)
    assert VENDOR_SHAPED.search(draw("AKIA<base32 16>", "x").text)
    assert looks_drawn(draw("<alnum 32>", "x").text)


def test_a_repetition_and_a_piece_of_a_secret_are_misses_and_its_prefix_is_not() -> None:
    line = wifi()
    secret = line.values[0].text
    assert line.survivors(["The wifi password is ***. Guests type *** twice."]) == []
    assert line.survivors([f"The wifi password is ***. Guests type {secret} twice."])
    assert line.survivors(["***", secret[12:20]])
    assert line.survivors([secret[12:19]]) == []
    assert line.survivors(["sk-proj-…"]) == []


def test_words_that_are_also_around_a_secret_are_no_survivors() -> None:
    line = wifi(text="the kettle-lagoon phrase is {value}", values={"value": "kettle-lagoon"})
    assert line.survivors(["the kettle-lagoon phrase is ***"]) == []


def test_an_unknown_alphabet_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown alphabet 'hexa'"):
        draw("<hexa 12>", "seed")


@pytest.mark.parametrize(("limits", "code"), [("0,0", 1), ("49,0", 1), ("50,0", 0)])
def test_a_rate_over_its_limit_fails_the_command(
    limits: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed, masked = (Outcome(wifi(), ("***",), failed) for failed in (True, False))
    monkeypatch.setattr(secret_rates, "measured", lambda *_: Rates([missed, masked], [masked], []))
    monkeypatch.setattr(sys, "argv", ["secret_rates.py", "--fail-over", limits])
    with pytest.raises(SystemExit) as exit_:
        secret_rates.main()
    assert exit_.value.code == code


def test_a_limit_that_is_no_pair_of_numbers_is_explained() -> None:
    run = subprocess.run(
        [sys.executable, SCRIPT, "--fail-over", "five"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "'five' is not MISSES,ALARMS: give two percentages, for example 5,2" in run.stderr


def test_few_secrets_of_a_sample_survive_and_few_harmless_lines_change() -> None:
    rates = secret_rates.measured(every=9)

    assert len(rates.secrets) > 40
    assert rates.misses <= LIMITS["held"][0]
    assert rates.alarms <= LIMITS["held"][1]


@pytest.mark.slow
def test_few_secrets_survive_in_a_workspace_and_few_harmless_lines_change() -> None:
    run = subprocess.run(
        [sys.executable, SCRIPT, "--json", "--failures"], capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    shown = [
        failure
        for title in found.values()
        if isinstance(title, dict)
        for failure in title["failures"]
    ]
    assert all(("texts" in failure) == (failure["part"] == "open") for failure in shown)
    rates = {"all": (found["misses"]["percent"], found["false alarms"]["percent"])}
    for part in PARTS:
        counts = (found[title]["by"]["part"][part] for title in ("misses", "false alarms"))
        rates[part] = tuple(100 * count["failed"] / count["of"] for count in counts)
    over = {
        part: rate for part, rate in rates.items() if any(map(float.__gt__, rate, LIMITS[part]))
    }
    assert not over, "see python scripts/secret_rates.py --failures"
