"""Every key here is drawn from a seeded generator; none has ever opened anything."""

import random
import re
import string
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.core.secrets.shapes import has_long_word
from remem.core.secrets import mask, redact

ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase + string.digits,
    "n": string.digits,
    "s": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "u": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
}

# {a36} stands for 36 random letters and digits.
SHAPES = {
    "1password": ["ops_eyJ{a200}"],
    "adobe": ["p8e-{a32}"],
    "age": ["AGE-SECRET-KEY-1{u58}"],
    "airtable": ["pat{a14}.{h64}"],
    "alibaba": ["LTAI{a20}"],
    "anthropic": ["sk-ant-api03-{w80}AA", "sk-ant-oat01-{w80}AA"],
    "atlassian": ["ATATT3x{a180}", "ATBB{a32}"],
    "aws": ["AKIA{s16}", "ASIA{s16}"],
    "azure": ["{a3}8Q~{a34}"],
    "brevo": ["xkeysib-{h64}-{a16}"],
    "databricks": ["dapi{h32}"],
    "digitalocean": ["dop_v1_{h64}"],
    "discord": ["M{a23}.{a6}.{a38}", "O{a25}.{a6}.{a38}"],
    "docker": ["dckr_pat_{a27}"],
    "doppler": ["dp.pt.{a43}", "dp.st.dev.{a43}"],
    "dropbox": ["sl.{a140}"],
    "dynatrace": ["dt0c01.{u24}.{u64}"],
    "figma": ["figd_{a40}"],
    "github": ["ghp_{a36}", "gho_{a36}", "ghs_{a36}", "github_pat_{a22}_{a59}"],
    "gitlab": ["glpat-{a20}", "glrt-{a20}"],
    "google": ["AIza{a35}", "GOCSPX-{a28}", "ya29.{a60}"],
    "grafana": ["glsa_{a32}_{h8}"],
    "groq": ["gsk_{a52}"],
    "heroku": ["HRKU-AA{a58}"],
    "hubspot": ["pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"],
    "huggingface": ["hf_{a34}"],
    "jwt": ["eyJ{a30}.eyJ{a60}.{a43}"],
    "langfuse": ["sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"],
    "linear": ["lin_api_{a40}"],
    "mailchimp": ["{h32}-us14"],
    "mailgun": ["key-{h32}"],
    "netlify": ["nfp_{a36}"],
    "newrelic": ["NRAK-{u27}"],
    "notion": ["ntn_{a46}", "secret_{a43}"],
    "npm": ["npm_{a36}"],
    "nuget": ["oy2{l43}"],
    "nvidia": ["nvapi-{a64}"],
    "openai": ["sk-proj-{a74}T3BlbkFJ{a74}", "sk-{a48}"],
    "openrouter": ["sk-or-v1-{h64}"],
    "perplexity": ["pplx-{a48}"],
    "pinecone": ["pcsk_{a6}_{a60}"],
    "planetscale": ["pscale_tkn_{a43}"],
    "postman": ["PMAK-{h24}-{h34}"],
    "pulumi": ["pul-{h40}"],
    "pypi": ["pypi-AgEIcHlwaS5vcmc{a120}"],
    "replicate": ["r8_{a37}"],
    "rubygems": ["rubygems_{h48}"],
    "sendgrid": ["SG.{a22}.{a43}"],
    "sentry": ["sntryu_{h64}"],
    "shopify": ["shpat_{h32}"],
    "slack": ["xoxb-{n12}-{n13}-{a24}", "xapp-1-A{u10}-{n13}-{h64}"],
    "sonar": ["sqp_{h40}"],
    "square": ["sq0atp-{a22}"],
    "stripe": ["sk_live_{a24}", "rk_live_{a24}", "sk_test_{a99}"],
    "supabase": ["sbp_{h40}"],
    "tailscale": ["tskey-auth-k{a11}CNTRL-{a32}"],
    "telegram": ["{n10}:AA{a33}"],
    "tencent": ["AKID{a32}"],
    "terraform": ["{a14}.atlasv1.{a67}"],
    "twilio": ["SK{h32}"],
    "vault": ["hvs.{a90}"],
    "xai": ["xai-{a80}"],
}
KEYS = [(kind, shape) for kind, shapes in SHAPES.items() for shape in shapes]


def drawn(shape: str, seed: int = 0) -> str:
    rng = random.Random(f"{shape}{seed}")

    def letters(match: re.Match[str]) -> str:
        return "".join(rng.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"\{(\w)(\d+)\}", letters, shape)


def kinds_left_readable(redacted: Callable[[str], str]) -> set[str]:
    """The vendors whose keys a redactor lets through."""
    return {kind for kind, shape in KEYS if drawn(shape) in redacted(f"it is {drawn(shape)} now")}


def test_keys_of_more_than_thirty_vendors_are_masked() -> None:
    assert len(SHAPES) > 30
    assert kinds_left_readable(lambda text: redact(text).text) == set()


def test_a_redactor_that_knows_two_vendors_would_be_found_out() -> None:
    careless = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{20,}|ghp_[A-Za-z0-9]{36})\b")

    assert len(kinds_left_readable(lambda text: careless.sub("***", text))) > 50


PLACES = [
    "{}",
    "use {} for it",
    "use {}.",
    "`{}`",
    '{{"value": "{}"}}',
    "https://x.org/?q={}&page=2",
    "这是{}，别丢了",
    "line\n{}\nline",
    "({})",
    "X={}",
    "{}, and more",
]


@pytest.mark.parametrize("shape", [shape for _, shape in KEYS])
def test_a_key_is_found_wherever_it_stands(shape: str) -> None:
    for seed, around in enumerate(PLACES):
        key = drawn(shape, seed)
        redaction = redact(around.format(key))

        assert key not in redaction.text
        assert key[6:-4] not in redaction.text
        assert redaction.kinds


@pytest.mark.parametrize(("kind", "shape"), KEYS)
def test_the_kind_says_whose_key_it_is_and_the_mask_lets_one_recognise_it(
    kind: str, shape: str
) -> None:
    key = drawn(shape)

    assert redact(f"see {key} there").kinds == (kind,)
    assert redact(f"see {key} there").text == f"see {key[:6]}…{key[-4:]} there"


def test_short_secrets_leave_nothing() -> None:
    assert mask("x" * 17) == "***"
    assert mask("abcdefgh1234567890") == "abcdef…7890"


FIELDS = [
    ("password: {}", "hunter2"),
    ("Password: {}.", "Tr0ub4dor&3"),
    ("my password is {} now", "hunter22"),
    ("the password for the wifi: {}", "Sunny2024"),
    ("PIN and password: {}", "49152"),
    ("DB_PASSWORD={}", "correcthorse"),
    ("export SECRET_KEY='{}'", "dj4ngo-s3cret"),
    ("API_KEY={}", "9f8e7d6c5b4a"),
    ('"password": "{}"', "letmein"),
    ('{{"apiKey":"{}","n":1}}', "a1b2c3d4e5"),
    (r"\"accessToken\": \"{}\"", "a1b2c3d4e5"),
    ("{{'client_secret': '{}'}}", "a1b2c3d4e5"),
    ("password = '{}'  # mine", "hunter22"),
    ("mysql --password {} -h db", "hunter22"),
    ("deploy --auth-token={}", "a1b2c3d4e5f6"),
    ("curl -u bob:{} https://x.org", "hunter22"),
    ("X-Api-Key: {}", "a1b2c3d4e5f6g7"),
    ("Authorization: Bearer {}", "a1b2c3d4e5f6g7h8i9"),
    ("authorization: Basic {}", "Ym9iOmh1bnRlcjI="),
    ("https://bob:{}@x.org/path", "hunter2"),
    ("postgres://app:{}@db:5432/prod", "p@ss"),
    ("redis://:{}@cache:6379", "s3cret"),
    ("https://x.org/?access_token={}&page=2", "a1b2c3d4e5f6"),
    ("**Password:** {}", "hunter22"),
    ("| password | {} |", "hunter22"),
    ("`token`: `{}`", "a1b2c3d4e5"),
    ("Passwort: {}", "Sommer2024!"),
    ("Das Kennwort lautet {}", "Sommer2024"),
    ("Passwort für WLAN: {}", "Sommer2024"),
    ("API-Schlüssel: {}", "a1b2c3d4e5f6"),
    ("contraseña: {}", "gato1234"),
    ("la clave es {}", "gato1234"),
    ("senha: {}", "gato1234"),
    ("mot de passe : {}", "chat1234"),
    ("clé API : {}", "a1b2c3d4e5f6"),
    ("wachtwoord: {}", "poes1234"),
    ("hasło: {}", "kot12345"),
    ("пароль: {}", "kot12345"),
    ("токен = {}", "a1b2c3d4e5f6"),
    ("密码：{}", "mao12345"),
    ("数据库密码是{}，请保密", "mao12345"),
    ("密鑰: {}", "a1b2c3d4e5f6"),
    ("パスワード：{}", "neko1234"),
    ("パスワードは{}", "neko1234"),
    ("비밀번호: {}", "gom12345"),
    ("كلمة المرور: {}", "qit12345"),
    ("mật khẩu: {}", "meo12345"),
    ("รหัสผ่าน: {}", "maew1234"),
    ("İstanbul şifre: {}", "kedi1234"),
]


@pytest.mark.parametrize(("around", "secret"), FIELDS)
def test_a_value_is_secret_because_of_its_name(around: str, secret: str) -> None:
    redaction = redact(around.format(secret))

    assert secret not in redaction.text
    assert redaction.text == around.format(mask(secret))
    assert redaction.kinds


ORDINARY = [
    "the password is stored in 1Password",
    "password: <placeholder>",
    "password: changeme",
    "password: ${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password: {{ vault_password }}",
    "password = os.environ['DB_PASSWORD1']",
    "token = settings.api_token",
    "def login(password: str, token: str | None = None) -> bool:",
    "if password == other_password:",
    '"password": "Passwort"',
    '"token": "string"',
    "The token budget: 3000 tokens, max_tokens=4096, tokens: 1500, token: 3",
    "1500 tests passed, 3 failed, 2 skipped in 41.17s",
    "commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f",
    "see https://example.org/a/b/commit/3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/home/bob/.config/secrets/token1.txt and C:\\keys\\api_key2.pem",
    "secret: /run/secrets/db1",
    "write to bob.smith99@example.org",
    "password: bob99@example.org",
    "Password: required",
    "Password reset: ticket JIRA-1234",
    "password policy: at least 12 characters, 1 digit",
    "password: 2024-05-12 rotated",
    "Secret: the party is on 2026-05-01",
    "the secret: always be kind",
    "API key: see the wiki",
    "the API key is in the vault",
    "the token is 2 hours old and expires in 15min",
    "token: ERC20",
    "secretary: Anna1990",
    "token_type: bearer",
    "api_key=YOUR_API_KEY",
    "api_key: your-api-key-1234",
    "https://user:password@example.org/",
    "https://example.org:8080/a@b",
    "ssh://git@example.org:22/repo.git",
    "--password requires --username",
    "Bearer of bad news",
    "sk-learn-pipeline-tutorial-2024-edition",
    "the branch sk-bratislava-office-lease-2024",
    "密码保存在1Password里",
    "密码：请联系管理员",
    "パスワードは管理者に聞いてください",
    "пароль: спросите у Анны",
    "Das Passwort ist im Tresor",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "paste it between -----BEGIN PRIVATE KEY----- and the end",
    "the user likes coffee",
    "",
]
DOCUMENTED = [
    "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCY" + "EXAMPLEKEY",
    "sk-" + "x" * 48,
    "ghp_" + "0" * 36,
]


@pytest.mark.parametrize("text", ORDINARY + DOCUMENTED)
def test_ordinary_words_and_documented_samples_stay(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).kinds == ()


def base64_lines(count: int) -> list[str]:
    rng = random.Random(count)
    return ["".join(rng.choices(ALPHABETS["a"] + "+/", k=64)) for _ in range(count)]


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n"])
@pytest.mark.parametrize("ended", [True, False])
def test_private_keys_are_masked_also_when_cut_off(label: str, newline: str, ended: bool) -> None:
    block = " BLOCK" if label == "PGP " else ""
    lines = base64_lines(5)
    end = [f"-----END {label}PRIVATE KEY{block}-----"] if ended else []
    text = newline.join([f"-----BEGIN {label}PRIVATE KEY{block}-----", *lines, *end])
    redaction = redact(f"key:\n{text}\nthanks")

    assert not any(line[10:50] in redaction.text for line in lines)
    assert redaction.kinds == ("private key",)
    assert "thanks" in redaction.text
    assert redact(redaction.text).text == redaction.text


@pytest.mark.parametrize(
    "address",
    [
        "https://hooks.slack.com/services/T{u8}/B{u10}/{a24}",
        "https://discord.com/api/webhooks/{n18}/{w68}",
        "https://open.feishu.cn/open-apis/bot/v2/hook/{h8}-{h4}-{h4}-{h4}-{h12}",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={h8}-{h4}-{h4}-{h4}-{h12}",
        "https://oapi.dingtalk.com/robot/send?access_token={h64}",
    ],
)
def test_the_addresses_of_webhooks_keep_their_host_and_lose_their_key(address: str) -> None:
    url = drawn(address)
    redaction = redact(f"post to {url}")

    assert redaction.text != f"post to {url}"
    assert url[-20:-4] not in redaction.text
    assert "https://" in redaction.text


def test_several_secrets_are_masked_and_each_kind_is_named_once() -> None:
    first, second = drawn("ghp_{a36}", 1), drawn("ghp_{a36}", 2)
    redaction = redact(f"{first} or {second}; password: hunter22; passwort: hunter33")

    assert redaction.kinds == ("github", "password")
    assert not any(secret in redaction.text for secret in (first, second, "hunter"))


def test_a_key_behind_its_name_is_masked_once() -> None:
    key = drawn("ghp_{a36}")

    assert redact(f"GITHUB_TOKEN={key}").text == f"GITHUB_TOKEN={key[:6]}…{key[-4:]}"
    assert redact(f"GITHUB_TOKEN={key}").kinds == ("github",)


fragments = st.one_of(
    st.sampled_from([around for around, _ in FIELDS]).map(lambda around: around.split("{}")[0]),
    st.sampled_from([secret for _, secret in FIELDS]),
    st.sampled_from(ORDINARY),
    st.builds(drawn, st.sampled_from([shape for _, shape in KEYS]), st.integers(0, 99)),
    st.sampled_from([" ", "\n", '"', "'", "=", ": ", "&", "…", "***", "@", "://", "-----", "\\"]),
    st.text(max_size=12),
)


@given(st.lists(fragments, max_size=12).map("".join) | st.text())
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text).text

    assert redact(once).text == once
    assert redact(once).kinds == ()


@given(st.lists(fragments, max_size=8).map("".join))
def test_a_text_changes_exactly_if_a_kind_is_named(text: str) -> None:
    redaction = redact(text)

    assert (redaction.text != text) == bool(redaction.kinds)


PASSWORDS = st.text(string.ascii_letters + string.digits + "!#%*+-_", min_size=8, max_size=16)


@given(PASSWORDS.filter(lambda text: re.search(r"[a-z]\d[A-Z]", text) is not None))
def test_a_password_of_letters_and_digits_is_masked_after_its_name(secret: str) -> None:
    assert secret.strip("_*") not in redact(f"The password: {secret}\n").text


def test_one_letter_alone_is_longer_in_lower_case() -> None:
    """Places found in lower case are places in the text; that letter is replaced before."""
    longer = [c for c in map(chr, range(sys.maxunicode + 1)) if len(c.lower()) != 1]

    assert longer == ["İ"]


def test_a_long_word_is_seen_wherever_it_stands() -> None:
    """The quick look decides whether any shape is tried: it may not be blind to one."""
    drawn = random.Random(4)
    long_word = re.compile(r"[A-Za-z0-9_.+/=~-]{16}")
    for _ in range(3_000):
        text = "".join(
            drawn.choice("aZ9_.+/=~- é\n,中\ud800") * drawn.randint(1, 6) for _ in range(9)
        )
        assert has_long_word(text) == bool(long_word.search(text)), text
