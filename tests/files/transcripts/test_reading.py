import gc
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.files.transcripts.reading import NOT_A_TRANSCRIPT, READERS, open_transcript
from remem.files.transcripts.records import HostName
from tests.files.transcripts.samples import (
    assistant,
    claude,
    event,
    item,
    lines_of,
    meta,
    session,
    texts_of,
    typed,
    user,
    written,
)
from tests.samples.secret_tokens import WEBHOOKS, drawn, tokens
from tests.tables import each_row
from tests.tiers import examples

OPENCLAW = [session(), user("what I said"), assistant("what it said")]
CLAUDE = [typed("what I said"), claude("assistant", [{"type": "text", "text": "what it said"}])]
CODEX = [meta(), item("user", "what I said"), item("assistant", "what it said")]
HOSTS = {"openclaw": OPENCLAW, "claude-code": CLAUDE, "codex": CODEX}


def test_every_host_with_transcripts_has_a_reader_and_a_sample() -> None:
    assert set(READERS) == set(get_args(HostName)) == set(HOSTS)


@each_row("host", HOSTS)
@each_row("name", ["s.jsonl", "s.jsonl.reset.2026-01-01T00-00-00.000Z", "notes.txt"])
def test_the_host_is_recognised_by_what_it_wrote_and_not_by_a_name(
    tmp_path: Path, host: str, name: str
) -> None:
    path = written(tmp_path / name, HOSTS[host])

    assert open_transcript(path).host == host
    assert texts_of(path) == ["User: what I said", "Assistant: what it said"]


@each_row(
    "records",
    [
        [],
        [b""],
        [{"ts": 1, "event": "started"}] * 80,
        [{"type": "user", "name": "Ada", "email": "ada@x.org"}],
        [{"type": "message", "text": "queued", "to": "lab"}],
        [{"type": "message", "message": "queued"}],
        [{"type": "message", "message": {"text": "queued"}}],
        [{"type": "session", "name": "yoga", "version": "1"}],
        [{"type": "event_msg", "message": "x"}],
        [{"role": "user", "content": "a dataset"}],
        [{"query": "tea", "results": []}],
        ["text", 5, None, []],
        [b"\x89PNG\r\n\x1a\n\x00\x00"],
        [{"type": ["session"], "version": {}, "id": 5, "payload": [], "message": []}],
    ],
)
def test_other_jsonl_files_are_not_transcripts(tmp_path: Path, records: list[Any]) -> None:
    reading = open_transcript(written(tmp_path / "memory" / "events.jsonl", records))

    assert (reading.host, reading.refusal) == (None, NOT_A_TRANSCRIPT)
    assert list(reading.lines()) == []


def test_a_few_strange_records_at_the_beginning_do_not_hide_a_transcript(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [b"{torn", {"type": "new-thing"}, *OPENCLAW])

    assert texts_of(path) == ["User: what I said", "Assistant: what it said"]


def test_reading_twice_counts_once(tmp_path: Path) -> None:
    reading = open_transcript(written(tmp_path / "s.jsonl", [*OPENCLAW, b"{torn"]))

    for _ in range(2):
        list(reading.lines())
        assert reading.skipped == {"other record": 1, "not json": 1}


def test_a_file_that_is_torn_anywhere_gives_what_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [session(), user("数据中心 one"), assistant("two")])
    whole = path.read_bytes()
    texts = texts_of(path)

    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert texts_of(path) == texts[: len(texts_of(path))]


def test_a_line_of_432_000_characters_is_read(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(45_000))[:432_000]
    path = written(tmp_path / "s.jsonl", [session(), user(words), assistant("short")])

    *long, last = lines_of(path)

    assert {line.line for line in long} == {2}
    assert max(len(line.text) for line in long) <= len("User: ") + 800
    assert " ".join(line.text.removeprefix("User: ") for line in long) == words.strip()
    assert (last.text, last.line) == ("Assistant: short", 3)


def test_every_line_is_found_again_in_the_line_of_the_file_that_it_names(tmp_path: Path) -> None:
    rng = random.Random(7)
    for host in HOSTS:
        records: list[Any] = [HOSTS[host][0]]
        for number in range(400):
            words = " ".join(f"w{rng.randrange(10**6)}" for _ in range(rng.choice([1, 5, 400])))
            noise = rng.choice([b"{torn", b"", b"\xff", {"type": "unknown"}, [], None])
            records += [_turn(host, number, words), noise]
        path = written(tmp_path / f"{host}.jsonl", records)
        raw = path.read_bytes().split(b"\n")

        lines = lines_of(path)

        assert len(lines) > 400
        for line in lines:
            said = line.text.split(": ", 1)[1]
            assert said in raw[line.line - 1].decode()


def _turn(host: str, number: int, words: str) -> Any:
    if host == "openclaw":
        return user(words) if number % 2 else assistant(words)
    if host == "codex":
        return item("user", words) if number % 2 else event("agent_message", words)
    return typed(words) if number % 2 else claude("assistant", [{"type": "text", "text": words}])


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_ten_thousand_lines_are_read_in_a_small_part_of_their_size(
    tmp_path: Path, host: str
) -> None:
    words = "some words of a conversation " * 30
    records = [HOSTS[host][0], *(_turn(host, n, f"{n} {words}") for n in range(10_000))]
    path = written(tmp_path / "s.jsonl", records)
    del records
    texts_of(written(tmp_path / "warm.jsonl", HOSTS[host]))
    gc.collect()

    tracemalloc.start()
    try:
        count = sum(1 for _ in open_transcript(path).lines())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count >= 20_000
    assert peak < path.stat().st_size / 20


NAMED = (
    *("openai", "github", "gitlab", "slack", "google", "jwt", "aws", "huggingface", "npm"),
    *("pypi", "stripe", "telegram", "discord", "anthropic"),
)


@each_row("host", HOSTS)
def test_no_key_of_a_vendor_comes_out_of_any_reader(tmp_path: Path, host: str) -> None:
    by_vendor = tokens()
    keys = [*map(drawn, WEBHOOKS), *(key for vendor in NAMED for key in by_vendor[vendor])]
    places = ("use {} for it", "{}", "X={}\nand more", '{{"apiKey": "{}"}}', "`{}`,", "it is\n{}")
    records = [HOSTS[host][0]]
    for key in keys:
        records += [_turn(host, n, place.format(key)) for n, place in enumerate(places)]
    records.append(_turn(host, 1, "password: hunter22 and DB_PASSWORD=correcthorse"))

    text = "\n".join(texts_of(written(tmp_path / "s.jsonl", records)))

    assert [key for key in keys if key in text or key[-20:-4] in text] == []
    assert "hunter22" not in text
    assert "correcthorse" not in text


def test_a_reader_that_does_not_redact_would_be_found_out(tmp_path: Path) -> None:
    key = drawn("ghp_{a36}")
    path = written(tmp_path / "s.jsonl", [session(), user(f"use {key}")])

    assert key in path.read_text()
    assert key not in "\n".join(texts_of(path))


@each_row(
    "text",
    [
        "the password is stored in the safe",
        "see commit 3f2a9c1d7e8b4a6f5c0d9e8f7a6b5c4d3e2f1a0b",
        "session 5b0e7a3c-0000-4000-8000-000000000001 is over",
        "sk-learn and hf_hub are libraries, ghp_ is a prefix",
        "read memory/2026-11-10.md#L4-L5",
    ],
)
def test_ordinary_words_come_out_as_they_are(tmp_path: Path, text: str) -> None:
    assert texts_of(written(tmp_path / "s.jsonl", [session(), user(text)])) == [f"User: {text}"]


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["text", "message", "user", "assistant", "[cron:x] y", "NO_REPLY"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "role", "content", "kind", "sourceTool", "message"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
FIELDS = (
    *("type", "message", "payload", "timestamp", "isSidechain", "sessionId", "cwd", "version"),
    *("id", "data", "runId", "sessionKey", "toolUseResult", "isMeta"),
)
TYPES = (
    *("session", "message", "custom", "user", "assistant", "summary", "session_meta"),
    *("response_item", "event_msg"),
)
SHAPED = st.builds(
    lambda kind, message, payload: {"type": kind, "message": message, "payload": payload},
    st.sampled_from(TYPES),
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]) | ODD, "content": ODD},
        optional={"provenance": ODD, "timestamp": ODD},
    )
    | ODD,
    st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "user_message"]) | ODD, "content": ODD},
        optional={"role": st.sampled_from(["user"]) | ODD, "message": ODD, "source": ODD},
    )
    | ODD,
)
RECORDS = st.lists(
    SHAPED | st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=6) | ODD, max_size=12
)


@pytest.mark.parametrize("host", HOSTS)
@given(records=RECORDS)
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_shape_of_records_stops_a_reader(tmp_path: Path, host: str, records: list[Any]) -> None:
    lines = [json.dumps(record).encode() for record in (HOSTS[host][0], *records)]
    reading = open_transcript(written(tmp_path / "s.jsonl", lines))

    for line in reading.lines():
        line.text.encode()
        assert 1 < line.line + 1 <= len(lines) + 1


@given(data=st.binary(max_size=300))
@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_bytes_stop_a_reader(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(json.dumps(OPENCLAW[0]).encode() + b"\n" + data)

    assert lines_of(path) == []
