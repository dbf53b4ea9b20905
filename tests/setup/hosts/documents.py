"""Settings as people have them: comments, odd spacing, line endings, byte order marks."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_names = st.sampled_from(["a", "theme", "env", "x y", "名前", 'q"uote', "permissions"])
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9999),
    st.sampled_from(["", "text", "a // b", "/* c */", "é", "\\", "{", "]", ","]),
)
values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_names, inner, max_size=3)
    ),
    max_leaves=8,
)
_blanks = st.sampled_from(
    ["", " ", "\n", "\n  ", "\n\t", "  \n\n    ", " // note\n", " /* , */ ", "\n// {\n  "]
)


@st.composite
def json_texts(draw: st.DrawFn, fixed: dict[str, object] | None = None) -> str:
    """An object of settings; `fixed` is in it besides the random keys."""
    value = {**draw(st.dictionaries(_names, values, max_size=4)), **(fixed or {})}
    return draw(_blanks) + _written(draw, value) + draw(_blanks)


@st.composite
def json_files(draw: st.DrawFn, fixed: dict[str, object] | None = None) -> bytes:
    text = draw(json_texts(fixed))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


empty_files = st.sampled_from([b"", b"\n", b"\xef\xbb\xbf", b"  \r\n", b"{}", b"{ }", b"{\n}\n"])


def _written(draw: st.DrawFn, value: object) -> str:
    if isinstance(value, dict):
        pieces = [f"{json.dumps(key)}:{draw(_gap)}{_written(draw, v)}" for key, v in value.items()]
        return "{" + _joined(draw, pieces) + "}"
    if isinstance(value, list):
        return "[" + _joined(draw, [_written(draw, item) for item in value]) + "]"
    return json.dumps(value, ensure_ascii=False)


_gap = st.sampled_from(["", " ", "\n ", " /*:*/ "])


def _joined(draw: st.DrawFn, pieces: list[str]) -> str:
    text = draw(_blanks)
    for index, piece in enumerate(pieces):
        last = index == len(pieces) - 1
        text += piece + draw(_blanks) + ("" if last and draw(st.booleans()) else ",")
        text += draw(_blanks)
    return text


TOML = st.sampled_from(
    [
        "",
        "\ufeff",
        "\n",
        'model = "o3"',
        'model = "o3"\n',
        "# mine\n[profiles.x]\nmodel = 'a' # b\n\n",
        '[mcp_servers.other]\ncommand = "x"\n# about it\n',
        '[mcp_servers]\n[mcp_servers.other]\r\ncommand = "x"\r\n',
        'text = """\n[mcp_servers.remem]\ncommand = 1\n"""\n',
        "list = [\n  1, # [a]\n  2,\n]\n\n\n",
        '[[things]]\nname = "[b]"\n[[things]]\nname = "c"',
    ]
)
