"""Tokens of every format in the table are masked."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from remem.text.secrets.mask import mask, redact
from remem.text.secrets.shapes import ALPHABETS, FORMATS, SOURCES
from tests.samples.secret_tokens import COMPOSED, WEBHOOKS, drawn, tokens
from tests.tables import each_row

PLACES = (
    *("{}", "use {} for it", "use {}.", "`{}`", '{{"value": "{}"}}', "https://x.org/?q={}&page=2"),
    *("这是{}，别丢了", "line\n{}\nline", "({})", "X={}", "{}, and more"),
)


def left_readable(masked: Callable[[str], str]) -> set[str]:
    """The vendors of which a token gets through."""
    return {
        name
        for seed, around in enumerate(PLACES)
        for name, samples in tokens(seed).items()
        for token in samples
        if token[6:-4] in masked(around.format(token))
    }


def test_every_format_of_the_table_is_masked_in_any_position() -> None:
    assert left_readable(lambda text: redact(text).text) == set()


def test_masking_that_knows_two_vendors_would_be_noticed() -> None:
    two = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{20,}|ghp_[A-Za-z0-9]{36})\b")

    assert len(left_readable(lambda text: two.sub("***", text))) > 80


def test_the_kind_is_the_vendor_and_the_mask_identifies_the_token() -> None:
    ambiguous = {"facebook", "square", "openai", "jwt", "grafana", "mapbox", "1password", "google"}
    for name, samples in tokens().items():
        for token in samples:
            redaction = redact(f"see {token} there")
            if name not in ambiguous:
                assert redaction.kinds == (name,), token
            assert redaction.text == f"see {mask(token)} there"


def test_every_row_names_its_source() -> None:
    assert {row.source for row in FORMATS} == set(SOURCES)
    assert all(row.date == SOURCES[row.source][1] for row in FORMATS)
    assert all(row.alphabet in ALPHABETS and row.length >= 12 for row in FORMATS)
    prefixes = [prefix for row in FORMATS for prefix in row.prefixes]
    assert len(prefixes) == len(set(prefixes)) > 200


@each_row("address", WEBHOOKS)
def test_webhook_urls_keep_their_host_and_lose_their_key(address: str) -> None:
    url = drawn(address)
    text = redact(f"post to {url} daily").text

    assert text.startswith(f"post to {url[:20]}")
    assert text.endswith(" daily")
    assert max(re.findall(r"\w+", url), key=len) not in text


SAMPLES = (
    "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCY" + "EXAMPLEKEY",
    "sk-" + "x" * 48,
    "ghp_" + "0" * 36,
    "OPENAI_API_KEY=sk-…",
    "the key begins with sk-proj- and the token with ghp_",
    "4b1d" + "0a9f8e7d6c5b4a39" * 3,  # a checksum that begins like a token
)


def test_samples_and_bare_prefixes_are_not_masked() -> None:
    assert [text for text in SAMPLES if redact(text).text != text] == []


def base64_lines(count: int) -> list[str]:
    return [drawn("{a64}", number) for number in range(count)]


@each_row("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "])
@each_row("newline", ["\n", "\r\n", "\\n", " "])
def test_private_keys_are_masked_even_without_their_start_or_end(label: str, newline: str) -> None:
    block = " BLOCK" if label == "PGP " else ""
    begin, end = (f"-----{mark} {label}PRIVATE KEY{block}-----" for mark in ("BEGIN", "END"))
    lines = base64_lines(5)
    for before, after in (([begin], [end]), ([begin], []), ([], [end])):
        text = newline.join([*before, *lines, *after])
        redaction = redact(f"key:\n{text}\nthanks")

        assert not any(line[10:50] in redaction.text for line in lines)
        assert redaction.kinds == ("private key",)
        assert "thanks" in redaction.text
        assert redact(redaction.text).text == redaction.text


def test_a_putty_key_is_masked_except_for_its_public_part() -> None:
    public, private, more = base64_lines(3)
    text = (
        f"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{public}\nPrivate-Lines: 2\n{private}\n"
        f"{more}\nPrivate-MAC: {drawn('{h64}')}"
    )
    redaction = redact(text)

    assert public in redaction.text
    assert private not in redaction.text
    assert more not in redaction.text
    assert drawn("{h64}") not in redaction.text


def test_public_keys_and_empty_markers_are_not_masked() -> None:
    for text in (
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "paste it between -----BEGIN PRIVATE KEY----- and the end",
    ):
        assert redact(text).text == text


def test_the_script_names_the_prefixes_that_the_table_lacks(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "[[rules]]\nid = 'known'\nregex = '''ghp_[0-9a-zA-Z]{36}'''\n"
        "[[rules]]\nid = 'new-vendor'\nregex = '''\\b(nv_(?:live|test)_[a-z0-9]{40})\\b'''\n"
        "[[rules]]\nid = 'no-prefix'\nregex = '''(?i)acme[ =]([a-z0-9]{32})'''\n",
        encoding="utf-8",
    )
    script = Path(__file__).parents[3] / "scripts" / "secret_formats.py"
    done = subprocess.run(
        [sys.executable, script, rules], capture_output=True, text=True, check=True
    )

    assert "new-vendor" in done.stdout
    assert "nv_" in done.stdout
    assert "known" not in done.stdout.split("1 rule", 1)[-1]


def test_the_script_says_what_is_wrong_with_its_file(tmp_path: Path) -> None:
    script = Path(__file__).parents[3] / "scripts" / "secret_formats.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path / "none.toml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "none.toml" in done.stderr


def test_the_samples_cover_every_composed_format() -> None:
    assert all(redact(drawn(shape)).kinds for shape in COMPOSED.values())
