"""Which shapes do secrets have? The tokens of vendors, signed tokens, webhooks, private keys.

Most texts have none. So each shape names a text that all its tokens contain, and only where
that occurs is its expression run. Every expression takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")
Groups = tuple[tuple[str, tuple[tuple[str, T], ...]], ...]

MASK: Final = "…"  # stands in the middle of what is left of a secret
PRIVATE_KEY: Final = "private key"


@dataclass(frozen=True, slots=True)
class Found:
    """A secret at text[start:end]."""

    start: int
    end: int
    kind: str


# The kind, how its tokens begin, what follows (see _ALPHABETS), and how much at least.
_PREFIXED: Final = """
adobe         p8e-                                                      a 32
age           AGE-SECRET-KEY-1                                          u 58
airbyte       ab_api_                                                   w 32
alibaba       LTAI                                                      a 12
anthropic     sk-ant-                                                   w 20
atlassian     ATATT3x ATCTT3x                                           w 60
atlassian     ATBB                                                      a 28
brevo         xkeysib- xsmtpsib-                                        w 64
buildkite     bkua_                                                     h 40
cerebras      csk-                                                      a 40
circleci      CCIPAT_ CCIPRJ_                                           w 40
clojars       CLOJARS_                                                  a 60
contentful    CFPAT-                                                    w 43
databricks    dapi                                                      h 32
digitalocean  dop_v1_ doo_v1_ dor_v1_                                   h 64
docker        dckr_pat_ dckr_oat_                                       w 27
doppler       dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.            d 40
dropbox       sl.                                                       w 120
elevenlabs    sk_                                                       h 48
facebook      EAA                                                       a 80
figma         figd_                                                     w 30
firecrawl     fc-                                                       h 32
fly           fm1r_ fm2_ fo1_                                           b 40
github        ghp_ gho_ ghu_ ghs_ ghr_                                  a 36
github        github_pat_                                               w 36
gitlab        glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent-   d 20
google        AIza                                                      w 35
google        GOCSPX-                                                   w 28
google        ya29.                                                     d 20
google        1//0                                                      w 30
grafana       glc_ glsa_                                                b 32
groq          gsk_                                                      a 40
heroku        HRKU-                                                     w 36
hubspot       pat-na1- pat-na2- pat-eu1-                                w 36
huggingface   hf_ api_org_                                              a 30
langfuse      sk-lf-                                                    w 36
langsmith     lsv2_pt_ lsv2_sk_                                         w 40
linear        lin_api_ lin_oauth_                                       a 32
mailgun       key-                                                      h 32
mapbox        sk.eyJ                                                    d 60
matrix        syt_                                                      w 30
neon          napi_                                                     a 60
netlify       nfp_                                                      a 36
newrelic      NRAK- NRII-                                               w 27
notion        ntn_                                                      a 40
notion        secret_                                                   a 43
npm           npm_                                                      a 36
nuget         oy2                                                       l 43
nvidia        nvapi-                                                    w 60
1password     ops_eyJ                                                   w 100
openai        sk-proj- sk-svcacct- sk-admin-                            w 20
openrouter    sk-or-                                                    w 20
perplexity    pplx-                                                     a 40
pinecone      pcsk_                                                     w 50
planetscale   pscale_tkn_ pscale_pw_ pscale_oauth_                      d 32
postman       PMAK-                                                     w 59
prefect       pnu_ pnb_                                                 a 36
pulumi        pul-                                                      h 40
pypi          pypi-Ag                                                   w 50
readme        rdme_                                                     a 70
remem         rmt_                                                      l 32
replicate     r8_                                                       a 36
rubygems      rubygems_                                                 h 48
sentry        sntrys_                                                   b 50
sentry        sntryu_                                                   h 64
shippo        shippo_live_ shippo_test_                                 h 40
shopify       shpat_ shpca_ shppa_ shpss_ shptka_                       h 32
slack         xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-     d 20
slack         xapp- xwfp-                                               w 20
sonar         sqp_ squ_ sqa_                                            h 40
square        sq0atp- sq0csp-                                           w 22
square        EAAA                                                      w 60
stripe        sk_live_ sk_test_ rk_live_ rk_test_                       a 16
stripe        whsec_                                                    b 24
supabase      sbp_                                                      h 40
supabase      sb_secret_                                                w 30
tailscale     tskey-                                                    w 20
tavily        tvly-                                                     w 20
tencent       AKID                                                      a 32
typeform      tfp_                                                      d 40
vault         hvs. hvb. hvr.                                            w 24
vercel        vercel_blob_rw_                                           w 20
xai           xai-                                                      a 60
"""
_ALPHABETS: Final = {
    "a": "[A-Za-z0-9]",
    "b": "[A-Za-z0-9+/=_-]",
    "d": "[A-Za-z0-9_.-]",
    "h": "[0-9a-f]",
    "l": "[a-z0-9]",
    "u": "[A-Z0-9]",
    "w": "[A-Za-z0-9_-]",
}

# The kind, texts of which one occurs in each of them, and the expression; group 1 is secret.
_SHAPED: Final = (
    ("aws", "AKIA|ASIA|ABIA|ACCA", r"((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])"),
    ("openai", "sk-", r"(sk-(?:[a-z0-9]{2,12}-){0,2}[A-Za-z0-9]{20}[\w-]*)"),
    ("sendgrid", "SG.", r"(SG\.[\w-]{16,32}\.[\w-]{16,64})"),
    ("twilio", "SK", r"(SK[0-9a-f]{32})(?![A-Za-z0-9])"),
    ("telegram", ":AA", r"(?<!\d)(\d{8,10}:AA[\w-]{32,})"),
    ("discord", ".", r"([MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40})"),
    ("mailchimp", "-us", r"([0-9a-f]{32}-us\d{1,2})(?!\w)"),
    ("airtable", "pat", r"(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})"),
    ("dynatrace", "dt0", r"(dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64})"),
    ("terraform", ".atlasv1.", r"([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,})"),
    ("azure", "8Q~", r"([\w~.]{3}8Q~[\w~.-]{31,34})"),
    ("jwt", "eyJ", r"(?<![\w-])(eyJ[\w-]{10,}(?:\.[\w-]{4,}){1,4})"),
    ("bearer", "earer ", r"[Bb]earer (?=\S{0,80}\d)([\w.~+/=-]{18,})"),
    ("slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]+/([\w/-]{20,})"),
    ("discord webhook", "/api/webhooks/", r"/api/webhooks/\d+/([\w-]{40,})"),
    ("teams webhook", "/webhookb2/", r"/webhookb2/([\w@/-]{40,})"),
    ("feishu webhook", "/bot/v2/hook/", r"/bot/v2/hook/([\w-]{20,})"),
    ("wecom webhook", "/webhook/send?key=", r"/webhook/send\?key=([\w-]{20,})"),
    (
        PRIVATE_KEY,
        "PRIVATE KEY",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"([^-]*(?:-(?!----)[^-]*)*(?=-----END)|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})+)",
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    kind: str
    hints: tuple[str, ...]
    expression: re.Pattern[str]


def shaped_secrets(text: str) -> Iterator[Found]:
    """Everything in the text that has the shape of a secret."""
    if has_long_word(text):
        for shape in dict.fromkeys(hinted(text, _HINTS)):
            yield from _matches(shape, text)


def has_long_word(text: str) -> bool:
    """Whether so many signs of a secret stand in a row. Most texts have no such word, which is
    seen at once where every sign is one of two bytes."""
    return LONG_WORD in long_words(text)


def long_words(text: str) -> bytes:
    """The text's bytes, with an x for every sign of a secret and a space for what is none."""
    return text.encode("utf-8", "surrogatepass").translate(_SIGNS)


def grouped(hints: Iterable[tuple[str, T]], stems: Iterable[str]) -> Groups[T]:
    """Hints in groups by a part that they share; the rest under the empty text."""
    left, groups = list(hints), []
    for stem in (*stems, ""):
        groups.append((stem, tuple(pair for pair in left if stem in pair[0])))
        left = [pair for pair in left if stem not in pair[0]]
    return tuple(groups)


def hinted(text: str, groups: Groups[T]) -> list[T]:
    """What the hints that occur in the text stand for."""
    return [what for stem, hints in groups if stem in text for hint, what in hints if hint in text]


def is_sample(secret: str) -> bool:
    """Whether it stands in a manual: nobody's key spells "example" or repeats five letters."""
    folded = secret.lower()
    return len(set(folded[-24:])) < 6 or any(word in folded for word in _SAMPLE_WORDS)


def _matches(shape: _Shape, text: str) -> Iterator[Found]:
    for match in shape.expression.finditer(text):
        start, end = match.span(1)
        if shape.kind == PRIVATE_KEY:
            real = end - start > 15 and MASK not in match[1]
        else:
            real = not _follows_a_letter(text, start) and not is_sample(match[1])
        if real:
            yield Found(start, end, shape.kind)


def _follows_a_letter(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isascii() and text[at - 1].isalnum()


def _shapes() -> Iterator[_Shape]:
    for line in _PREFIXED.strip().splitlines():
        kind, *prefixes, alphabet, length = line.split()
        starts = "|".join(map(re.escape, prefixes))
        body = f"{_ALPHABETS[alphabet]}{{{int(length) - 1},}}[A-Za-z0-9_=]"
        yield _Shape(kind, tuple(prefixes), re.compile(f"((?:{starts}){body})"))
    for kind, hints, expression in _SHAPED:
        yield _Shape(kind, tuple(hints.split("|")), re.compile(expression, re.ASCII))


_SAMPLE_WORDS: Final = ("example", "your-", "your_", "xxxxxxxx", "placeholder", "redacted")
_SHORTEST: Final = 16  # no secret is shorter
_SIGNS: Final = bytes(
    ord("x") if chr(each).isascii() and (chr(each).isalnum() or chr(each) in "_.+/=~-") else 32
    for each in range(256)
)
LONG_WORD: Final = b"x" * _SHORTEST
_HINTS: Final = grouped(((hint, shape) for shape in _shapes() for hint in shape.hints), "_-.")
