import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as TheirModel
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from remem.embed.wordpiece import WordPiece, mostly_latin
from tests.tables import each_row

# Enough to split words in more than one way; what is missing becomes [UNK].
SMALL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz0123456789.,!?'-[]", "中"]
SMALL += ["the", "wed", "wedding", "cafe", "σ", "и", "##s", "##ding", "##ing", "##σ", "##и"]
SMALL += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]

TEXTS = [
    "The weddings: café, CAFÉ and CAFE\u0301!",
    "naïve Ångström ÉCOLE ŒUVRE straße ẞ İstanbul ıI ΣΑΣ ΌΣΟΣ Ёлка й",
    "我们喝茶。日本語のテスト、カタカナ。한국어 텍스트",
    "مرحبا بالعالم शुभ प्रभात สวัสดี ñandú",
    "🎉👩‍👩‍👧 ✌🏽 flags 🇩🇪 and a zero\u200bwidth",
    "nul\x00 bell\x07 tab\there\nthere\r\nvt\x0bff\x0cfs\x1cnel\x85 nbsp\xa0end\ufffd\ufeff",
    "\u202eright to left\u202c \u2066isolate\u2069 soft\xadhyphen",
    "C++ x_y a-b @user #tag 50% $9.99 <b>&amp;</b> http://a.example/b?c=d",
    "x" * 99 + " " + "y" * 100 + " " + "z" * 101,
    "[CLS] is [MASK] text [SEP]",
    "\u3000wide\u2003space\u2028line\u2029paragraph",
    "",
    "   ",
]


def oracle(vocabulary: list[str], limit: int = 256) -> Tokenizer:
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    theirs = Tokenizer(TheirModel(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    theirs.normalizer = BertNormalizer(lowercase=True)
    theirs.pre_tokenizer = BertPreTokenizer()
    ends = [(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")]
    theirs.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    theirs.enable_truncation(limit)
    return theirs


SMALL_ORACLE = oracle(SMALL)
SMALL_OURS = WordPiece(SMALL)


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"])))
def test_western_texts_are_split_as_by_tokenizers(text: str) -> None:
    assert SMALL_OURS.ids(text) == SMALL_ORACLE.encode(text).ids


@given(st.lists(st.sampled_from(TEXTS), max_size=6).map(" ".join))
def test_mixed_scripts_are_split_as_by_tokenizers(text: str) -> None:
    assert SMALL_OURS.ids(text) == SMALL_ORACLE.encode(text).ids


def test_every_assigned_character_is_split_as_by_tokenizers() -> None:
    """Younger characters differ, because the oracle's tables are of an older Unicode."""
    first = unicodedata.ucd_3_2_0
    settled = [
        char
        for char in map(chr, range(0x110000))
        if first.category(char) == unicodedata.category(char) not in ("Cn", "Co", "Cs")
    ]
    samples = [f"a{char}b {char}" for char in settled]
    texts = [" ".join(samples[start : start + 30]) for start in range(0, len(samples), 30)]
    theirs = [encoded.ids for encoded in SMALL_ORACLE.encode_batch(texts)]

    different = [t for t, ids in zip(texts, theirs, strict=True) if SMALL_OURS.ids(t) != ids]

    assert len(settled) > 90_000
    assert different == []


def test_a_capital_sigma_never_becomes_a_final_one() -> None:
    """Python's lower() knows Greek spelling, which the model's tokenizer does not."""
    assert "ΣΣ".lower() == "σς"
    assert SMALL_OURS.ids("ΣΣ") == [2, SMALL.index("σ"), SMALL.index("##σ"), 3]


@pytest.mark.model
def test_texts_are_split_as_by_tokenizers_with_the_real_vocabulary(model_folder: Path) -> None:
    vocabulary = (model_folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    ours, theirs = WordPiece(vocabulary), oracle(vocabulary)
    texts = [*TEXTS, *vocabulary, *(" ".join(vocabulary[i : i + 9]) for i in range(0, 30_000, 7))]

    different = [text for text in texts if ours.ids(text) != theirs.encode(text).ids]

    assert different == []


@each_row("limit", [2, 3, 16, 256])
def test_a_long_text_is_cut_to_the_limit_and_ends_with_the_last_token(limit: int) -> None:
    ids = WordPiece(SMALL, limit).ids("the wedding " * 500)

    assert len(ids) == limit
    assert (ids[0], ids[-1]) == (2, 3)
    assert ids == oracle(SMALL, limit).encode("the wedding " * 500).ids


@each_row("unit", ["a", "é", "中", " ", "!", "\u0301", "ab "])
def test_only_the_beginning_of_a_long_text_is_read(unit: str) -> None:
    beginning = (unit * 30_000)[:30_000]
    line = beginning + unit * 10_000_000

    assert SMALL_OURS.ids(line) == SMALL_OURS.ids(beginning + " the wedding")


@each_row(
    ("text", "latin"),
    [
        ("When is the wedding?", True),
        ("Wann heiraten wir in Zürich — où ça?", True),
        ("", True),
        ("12:30 🎉", True),
        ("我们什么时候结婚?", False),
        ("Когда свадьба?", False),
        ("Python 项目", True),
        ("我喜欢的 IDE 是什么", False),
    ],
)
def test_a_text_is_latin_if_most_of_its_letters_are(text: str, latin: bool) -> None:
    assert mostly_latin(text) is latin
