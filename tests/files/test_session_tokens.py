"""A workspace knows whom a token stands for, and not the token."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remem.errors import FileError, InvalidInput, NotAllowed
from remem.files.layout import Layout
from remem.files.session_tokens import MAX_TOKENS, SessionTokens
from remem.model.session import Lifetime, TokenSubject
from remem.text.timestamps import format_time

GROUP = "agent:main:telegram:group:-100"


class Hours:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> str:
        return format_time(datetime.fromtimestamp(self.seconds, UTC))


@pytest.fixture
def clock() -> Hours:
    return Hours()


@pytest.fixture
def tokens(root: Path, clock: Hours) -> SessionTokens:
    root.mkdir()
    return SessionTokens(Layout(root), clock)


def kept(root: Path) -> list[Path]:
    return sorted((root / ".remem/tokens").glob("*.json"))


def refusal(tokens: SessionTokens, token: object) -> str:
    with pytest.raises(NotAllowed) as caught:
        tokens.subject_of(token)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_a_token_identifies_its_session_and_conversation(tokens: SessionTokens) -> None:
    issued = tokens.issue(GROUP, "7f3a")

    assert tokens.subject_of(issued.token) == TokenSubject(GROUP, "7f3a")
    assert (issued.session, issued.conversation, issued.expires_in) == (GROUP, "7f3a", 7200)


def test_only_a_digest_is_kept_and_only_the_owner_can_read_it(
    tokens: SessionTokens, root: Path
) -> None:
    token = tokens.issue("main").token

    (path,) = kept(root)
    text = path.read_text(encoding="utf-8")
    assert token.removeprefix("rmt_") not in text + path.name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_every_bad_token_gets_the_same_answer(
    tokens: SessionTokens, root: Path, clock: Hours, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    revoked, idle, old = (tokens.issue("main", name).token for name in ("r", "i", "o"))
    foreign = SessionTokens(Layout(elsewhere), clock).issue("main").token
    tokens.revoke("main", "r")
    limited = tokens.issue("main", "l", Lifetime(idle=10**6, limit=60)).token
    clock.seconds += 7201
    good = tokens.issue("main").token
    digest = json.loads(kept(root)[0].read_text(encoding="utf-8"))["digest"]

    answers = {
        refusal(tokens, token)
        for token in (
            *(None, "", 7, [], good.upper(), good[:-1], good + "0", f" {good}", f"{good}\n"),
            *("rmt_" + "0" * 32, "../" * 9, "\ud800", "x" * 10**6, digest),
            *(revoked, idle, old, limited, foreign),
        )
    }

    assert len(answers) == 1
    assert tokens.subject_of(good)


def test_a_store_that_distinguishes_expired_from_forged_is_caught(
    tokens: SessionTokens, clock: Hours, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens.issue("main").token
    own = SessionTokens.subject_of

    def talkative(self: SessionTokens, given: object) -> TokenSubject:
        if given == token:
            raise NotAllowed("this token has expired")
        return own(self, given)

    monkeypatch.setattr(SessionTokens, "subject_of", talkative)

    assert refusal(tokens, token) != refusal(tokens, "forged")


def test_use_keeps_a_token_good_but_not_beyond_its_limit(
    tokens: SessionTokens, clock: Hours
) -> None:
    token = tokens.issue("main", lifetime=Lifetime(idle=100, limit=1000)).token

    for _ in range(11):
        clock.seconds += 90
        tokens.subject_of(token)
    clock.seconds += 90

    assert refusal(tokens, token)


def test_tokens_outlive_the_server(tokens: SessionTokens, root: Path, clock: Hours) -> None:
    token = tokens.issue("main").token
    clock.seconds += 3600
    tokens.subject_of(token)
    clock.seconds += 3600

    assert SessionTokens(Layout(root), clock).subject_of(token) == TokenSubject("main")


def test_the_end_of_a_conversation_is_the_end_of_its_tokens_and_of_no_others(
    tokens: SessionTokens,
) -> None:
    ended = [tokens.issue(GROUP, "one").token, tokens.issue(GROUP, "one").token]
    nameless = tokens.issue(GROUP).token
    others = [tokens.issue(GROUP, "two").token, tokens.issue("main", "one").token]

    assert tokens.revoke(GROUP, "one") == 3

    assert all(refusal(tokens, token) for token in (*ended, nameless))
    assert [tokens.subject_of(token).session for token in others] == [GROUP, "main"]
    assert tokens.revoke(GROUP) == 1
    assert tokens.revoke(GROUP) == 0


def test_a_token_revoked_in_the_middle_of_a_call_is_refused(
    tokens: SessionTokens, clock: Hours, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens.issue("main").token
    clock.seconds += 600
    own = os.utime

    def too_late(path: Path, *times: object, **options: object) -> None:
        path.unlink()
        own(path, *times, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "utime", too_late)

    assert refusal(tokens, token)


def test_a_workspace_that_cannot_be_written_still_knows_its_tokens(
    tokens: SessionTokens, clock: Hours, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens.issue("main").token
    clock.seconds += 600

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", read_only)

    assert tokens.subject_of(token) == TokenSubject("main")


def test_expired_tokens_are_removed_when_the_next_is_issued(
    tokens: SessionTokens, root: Path, clock: Hours
) -> None:
    for number in range(5):
        tokens.issue("main", str(number))
    clock.seconds += 7201

    tokens.issue("main")

    assert len(kept(root)) == 1
    assert len(tokens.valid_tokens()) == 1


def test_one_conversation_does_not_pile_up_tokens(tokens: SessionTokens, clock: Hours) -> None:
    issued = []
    for _ in range(MAX_TOKENS + 5):
        issued.append(tokens.issue("main", "c").token)
        clock.seconds += 1
    other = tokens.issue("main", "d").token

    assert [refusal(tokens, token) for token in issued[:5]]
    assert all(tokens.subject_of(token) for token in (*issued[5:], other))


def test_eight_hooks_at_once_get_eight_tokens(tokens: SessionTokens) -> None:
    with ThreadPoolExecutor(8) as pool:
        issued = list(pool.map(lambda n: tokens.issue("main", str(n)), range(40)))

    assert {tokens.subject_of(issue.token).conversation for issue in issued} == set(
        map(str, range(40))
    )


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"7", b'{"digest": 1}', b"\xff"])
def test_a_file_that_is_not_a_token_is_ignored(
    tokens: SessionTokens, root: Path, broken: bytes
) -> None:
    token = tokens.issue("main").token
    (path,) = kept(root)
    (path.parent / "stray.json").write_bytes(broken)
    assert tokens.subject_of(token)

    path.write_bytes(broken)

    assert refusal(tokens, token)
    assert tokens.subject_of(tokens.issue("main").token)


def test_another_workspaces_folder_cannot_be_lent_by_a_link(
    tokens: SessionTokens, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    (root / ".remem").mkdir()
    (root / ".remem/tokens").symlink_to(tmp_path / "theirs")

    with pytest.raises(FileError, match="symbolic link"):
        tokens.issue("main")


@pytest.mark.parametrize(
    ("session", "conversation", "reason"),
    [
        ("", "", "empty"),
        (" ", "", "empty"),
        ("x" * 1001, "", "too long"),
        ("a", "\ud800", "Unicode"),
    ],
)
def test_a_token_without_a_session_is_refused(
    tokens: SessionTokens, session: str, conversation: str, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        tokens.issue(session, conversation)


def test_the_decoy_is_not_a_valid_token(tokens: SessionTokens, root: Path) -> None:
    tokens.issue("main")
    decoy = root / ".remem/tokens/nobody"
    digest = json.loads(decoy.read_text(encoding="utf-8"))["digest"]

    assert refusal(tokens, digest) == refusal(tokens, "nobody")
    decoy.unlink()
    assert refusal(tokens, "rmt_forged")
    assert [kept.session for kept, _ in tokens.valid_tokens()] == ["main"]


def test_the_steps_for_a_forged_and_for_a_revoked_token_are_the_same(
    tokens: SessionTokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared is compared in constant time, also where nothing is kept."""
    compared: list[tuple[int, int]] = []
    from remem.files import session_tokens as module

    own: Callable[[str, str], bool] = module.compare_digest  # type: ignore[attr-defined]

    def noting(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return own(one, other)

    monkeypatch.setattr(module, "compare_digest", noting)
    revoked = tokens.issue("main").token
    tokens.revoke("main")
    for token in (revoked, "rmt_forged", None, 7):
        refusal(tokens, token)

    assert compared == [(64, 64)] * 4
