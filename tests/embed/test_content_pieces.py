"""The pieces that carry content depend on the language of a text."""

from __future__ import annotations

from remem.embed.content_pieces import ContentPieces

_PIECES = [
    *("<s>", "<pad>", "</s>", "<unk>", ",", "▁", "▁die", "▁the", "▁Katze", "▁schläft", "n"),
    *("的", "狗", "叫", "小白", "は", "きのこ", "です", "▁cat", "▁sleeps", "▁auf", "▁dem", "▁Sofa"),
]
_ID = {piece: number for number, piece in enumerate(_PIECES)}


def chosen(text: str, pieces: str, skipped: int = 1) -> list[str]:
    ids = [0, *(_ID[piece] for piece in pieces.split()), 2]
    positions, weights = ContentPieces(_PIECES).select(text, ids, skipped)
    assert len(positions) == len(weights)
    assert (weights > 0).all()
    return [_PIECES[ids[position]] for position in positions]


def test_function_words_of_the_language_are_left_out() -> None:
    german = chosen("die Katze schläft auf dem Sofa,", "▁die ▁Katze ▁schläft ▁auf ▁dem ▁Sofa ,")

    assert german == ["▁Katze", "▁schläft", "▁Sofa"]


def test_the_same_word_counts_in_another_language() -> None:
    assert chosen("the cat die", "▁the ▁cat ▁die") == ["▁cat", "▁die"]


def test_chinese_and_japanese_particles_are_left_out() -> None:
    assert chosen("的狗叫小白", "▁ 的 狗 叫 小白") == ["狗", "叫", "小白"]
    assert chosen("きのこはです", "▁ きのこ は です") == ["きのこ"]


def test_pieces_of_a_prefix_are_skipped() -> None:
    assert chosen("cat", "▁the ▁cat", skipped=2) == ["▁cat"]


def test_the_pieces_of_a_word_share_its_weight() -> None:
    ids = [0, _ID["▁Katze"], _ID["n"], _ID["▁Sofa"], 2]
    _, weights = ContentPieces(_PIECES).select("Katzen Sofa", ids, 1)

    assert weights[0] < weights[2]


def test_a_text_without_pieces_has_no_content() -> None:
    assert chosen("", "") == []
