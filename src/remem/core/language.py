"""Is a text Chinese? Han characters outweigh the letters of other scripts, and there is no
kana, which would make it Japanese."""

from __future__ import annotations

import re
from typing import Final

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_KANA: Final = re.compile("[\u3041-\u30ff]")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_SHARE: Final = 0.3
"""Chinese notes are full of English names: a third of the letters is enough."""
_MEASURED: Final = 20_000


def is_chinese(text: str) -> bool:
    sample = text[:_MEASURED]
    han = len(_HAN.findall(sample))
    if not han or len(_KANA.findall(sample)) * 10 > han:
        return False
    return han >= _SHARE * len(_LETTERS.findall(sample))
