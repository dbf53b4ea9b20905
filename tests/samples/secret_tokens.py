"""Tokens drawn from the table of formats and from shapes; none has ever opened anything."""

from __future__ import annotations

import random
import re
import string

from remem.text.secrets.shapes import FORMATS, TokenFormat

_ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base64": string.ascii_letters + string.digits + "+/",
    "cookie": string.ascii_letters + string.digits,
    "dotted": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "Hex": "0123456789abcdefABCDEF",
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "word": string.ascii_letters + string.digits,
}
_SHORT = {"a": "alnum", "h": "hex", "n": "", "s": "base32", "u": "upper", "w": "word"}

# Tokens of more than one part: {a36} stands for 36 random letters and digits.
COMPOSED = {
    "1password": "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}",
    "airtable": "pat{a14}.{h64}",
    "asana": "1/{n16}:{h32}",
    "azure": "{a3}8Q~{a34}",
    "azure storage": "{a86}==",
    "bitlocker": "{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}",
    "discord": "M{a23}.{a6}.{a38}",
    "dynatrace": "dt0c01.{u24}.{u64}",
    "facebook": "{n15}|{a27}",
    "jwt": "eyJ{a30}.eyJ{a60}.{a43}",
    "mailchimp": "{h32}-us14",
    "maxmind": "{a6}_{a29}_mmk",
    "openai": "sk-{a48}",
    "password hash": "$2y$10${a53}",
    "sendgrid": "SG.{a22}.{a43}",
    "telegram": "{n10}:AA{a33}",
    "terraform": "{a14}.atlasv1.{a67}",
    "twilio": "SK{h32}",
}
WEBHOOKS = (
    "https://hooks.slack.com/services/T{u8}/B{u10}/{a24}",
    "https://discord.com/api/webhooks/{n18}/{w68}",
    "https://open.feishu.cn/open-apis/bot/v2/hook/{h8}-{h4}-{h4}-{h4}-{h12}",
    "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={h8}-{h4}-{h4}-{h4}-{h12}",
    "https://oapi.dingtalk.com/robot/send?access_token={h64}",
    "https://api.telegram.org/bot{n10}:AA{a33}/sendMessage",
    "https://hooks.zapier.com/hooks/catch/{n7}/{a7}",
)


def drawn(shape: str, seed: int = 0) -> str:
    """A token of a shape such as `ghp_{a36}`."""
    rng = random.Random(f"{shape}{seed}")

    def letters(match: re.Match[str]) -> str:
        name = _SHORT[match[1]]
        alphabet = {"": string.digits, "base32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}.get(name)
        return "".join(rng.choices(alphabet or _ALPHABETS[name], k=int(match[2])))

    return re.sub(r"\{(\w)(\d+)\}", letters, shape)


def token_of(format_: TokenFormat, prefix: str, seed: int = 0) -> str:
    """A token of a row of the table."""
    rng = random.Random(f"{prefix}{seed}")
    body = rng.choices(_ALPHABETS[format_.alphabet], k=format_.length - 1)
    return prefix + "".join(body) + rng.choice("23456789")


def tokens(seed: int = 0) -> dict[str, list[str]]:
    """One token of every format, by the name of its vendor."""
    found: dict[str, list[str]] = {}
    for format_ in FORMATS:
        for prefix in format_.prefixes:
            found.setdefault(format_.name, []).append(token_of(format_, prefix, seed))
    for name, shape in COMPOSED.items():
        found.setdefault(name, []).append(drawn(shape, seed))
    return found
