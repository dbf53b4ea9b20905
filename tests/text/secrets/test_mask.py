"""Every occurrence of a secret is masked, in all texts of a call, and in proportional time."""

import random
import re
import string
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.text.secrets.find import may_have_secrets
from remem.text.secrets.mask import mask, redact, redact_all
from remem.text.secrets.shapes import has_long_word
from tests.samples.secret_tokens import drawn, tokens
from tests.tables import each_row
from tests.text.secrets.test_fields import FIELDS, ORDINARY
from tests.text.secrets.test_sentences import SAID_OF, STATED

KEYS = [token for samples in tokens().values() for token in samples]


def test_short_secrets_and_passwords_are_masked_completely() -> None:
    assert mask("x" * 17) == "***"
    assert mask("abcdefgh1234567890") == "abcdef…7890"
    assert mask("correct horse battery staple", "passphrase") == "***"


def test_several_secrets_are_masked_and_each_kind_is_named_once() -> None:
    first, second = drawn("ghp_{a36}", 1), drawn("ghp_{a36}", 2)
    redaction = redact(f"{first} or {second}; password: hunter22; passwort: hunter33")

    assert redaction.kinds == ("github", "password")
    assert not any(secret in redaction.text for secret in (first, second, "hunter"))


def test_a_key_after_its_name_is_masked_once() -> None:
    key = drawn("ghp_{a36}")

    assert redact(f"GITHUB_TOKEN={key}").text == f"GITHUB_TOKEN={key[:6]}…{key[-4:]}"
    assert redact(f"GITHUB_TOKEN={key}").kinds == ("github",)


@each_row(
    "secret", ["sunflower99", "Tr0ub4dor&3", "p@ss-w0rd!", "4921", "向日葵花", "blue whale 7"]
)
def test_every_occurrence_of_a_recognised_secret_is_masked(secret: str) -> None:
    again = "{0} twice, ({0}) or **{0}** or _{0}_; `{0}`: {0}. Then {0}\n{0}"
    stated = f'The wifi password is "{secret}".'
    for text in (f"{stated} Guests type {again}", f"Guests type {again} – {stated}"):
        assert secret not in redact(text.format(secret)).text, text


def test_the_texts_of_one_call_share_their_secrets() -> None:
    content, context, tag, other = redact_all(
        ["Guests type sunflower99.", "The wifi password is sunflower99", "sunflower99", "garden"]
    )

    assert content.text == "Guests type ***."
    assert content.kinds == ("password",)
    assert (context.text, tag.text) == ("The wifi password is ***", "***")
    assert (other.text, other.kinds) == ("garden", ())


def test_a_short_secret_is_masked_as_a_whole_word_only() -> None:
    kept = "Order 14921, part 4921-77, 4921.50 euro, a4921, 49210, 12:4921, #4921x, v1.4921"

    assert redact(f"My PIN is 4921. {kept}").text == f"My PIN is ***. {kept}"
    assert redact("my password is sunshine, Sunshines and sunshine").text == (
        "my password is ***, Sunshines and ***"
    )


def test_kept_kinds_and_secrets_that_were_there_before_stay() -> None:
    text = "The gate code is 4821, the password is hunter22, gate code 4821"

    assert redact_all([text], keep=("code",))[0].text == text.replace("hunter22", "***")
    assert redact_all([text], keep_if_in="code 4821")[0].text == text.replace("hunter22", "***")


FRAGMENTS = st.one_of(
    st.sampled_from([around for around, _ in FIELDS]).map(lambda around: around.split("{}")[0]),
    st.sampled_from([secret for _, secret in FIELDS]),
    st.sampled_from([*ORDINARY, *STATED, *SAID_OF]),
    st.sampled_from(KEYS),
    st.sampled_from([" ", "\n", '"', "'", "=", ": ", "&", "…", "***", "@", "://", "-----", "\\"]),
    st.text(max_size=12),
)


@given(st.lists(FRAGMENTS, max_size=12).map("".join) | st.text())
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text).text

    assert redact(once).text == once
    assert redact(once).kinds == ()


@given(st.lists(FRAGMENTS, max_size=8).map("".join))
def test_a_text_changes_exactly_if_a_kind_is_named(text: str) -> None:
    redaction = redact(text)

    assert (redaction.text != text) == bool(redaction.kinds)


def test_the_quick_check_stops_every_secret_and_passes_most_ordinary_texts() -> None:
    named = [around.format(secret) for around, secret in FIELDS]
    secrets = [*named, *(f"It opens with {key}, they said." for key in KEYS), *STATED]
    plain = ["Mara drinks her coffee black.", "我们在里斯本见面。", "Ж" * 30, ""]

    assert all(map(may_have_secrets, secrets))
    assert not any(map(may_have_secrets, plain))


def test_only_one_letter_is_longer_in_lower_case() -> None:
    """Places found in lower case are places in the text; that letter is replaced before."""
    longer = [c for c in map(chr, range(sys.maxunicode + 1)) if len(c.lower()) != 1]

    assert longer == ["İ"]


def test_a_long_word_is_found_in_any_position() -> None:
    """The quick look decides whether any shape is tried: it must not miss one."""
    rng = random.Random(4)
    long_word = re.compile(r"[A-Za-z0-9_.+/=~%-]{16}")
    for _ in range(3_000):
        text = "".join(rng.choice("aZ9_.+/=~%- é\n,中\ud800") * rng.randint(1, 6) for _ in range(9))
        assert has_long_word(text) == bool(long_word.search(text)), text


def many(template: str) -> str:
    """A text that repeats a line, each time with another number in it."""
    return "".join(template.replace("#", str(1000 + number)) for number in range(300))


FLOODS = (
    *("password: ", "curl -u ", "api_key=", "Cookie: a=b; ", "able acid army baby "),
    *("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "QUJDREVGR0hJSktMTU5P\n"),
    *("otpauth://a?b=c&", "recovery codes: ", "login a ", "$2y$1", "passphrase is ", "://a:b"),
    *("x_session_session", "Private-Lines: 3\n", "user pass: ", "mysql -", "://a1a1a1a1a1a1a1a1a1"),
    *("password a b c ", "a,password\n", "name: X_KEY value: ", "is the password "),
    *("2fa code abcd ", "seed phrase "),
)


@pytest.mark.slow
@pytest.mark.parametrize("flood", [*FLOODS, many("password: hunter#x hunter#x\n"), "x" * 40 + "-"])
def test_repeated_patterns_take_linear_time(flood: str) -> None:
    def seconds(length: int) -> float:
        text = flood * max(1, length // len(flood))
        began = time.thread_time()  # of the processor, whatever else the machine does
        redact(text)
        return time.thread_time() - began

    seconds(2_000)
    short = min(seconds(4_000) for _ in range(3))
    assert min(seconds(32_000) for _ in range(2)) < short * 8 * 4


@pytest.mark.slow
def test_many_different_secrets_take_linear_time() -> None:
    rng = random.Random(7)

    def seconds(count: int) -> float:
        words = ["".join(rng.choices(string.ascii_lowercase, k=9)) + "7" for _ in range(count)]
        text = "".join(f"password: {word}\n" for word in words) + " ".join(words)
        began = time.thread_time()
        masked = redact(text).text
        passed = time.thread_time() - began
        assert not any(word in masked for word in words[:3])
        return passed

    seconds(50)
    assert min(seconds(1_600) for _ in range(2)) < min(seconds(200) for _ in range(3)) * 8 * 4
