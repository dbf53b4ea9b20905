import base64
import random
import string
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embed.counters import ExactCounter
from remem.text.tokens import UNIT, estimate
from tests.tables import each_row

exact = ExactCounter().count

ORDINARY = {
    "chat": "Hey Mara! We went to the lake on Saturday, and Tom's kids finally learned to swim. "
    "Can you remind me to send Joanna the photos before her birthday next week? Thanks a lot!",
    "short": "ok",
    "english prose": "The committee decided, after a long discussion of the maintenance window, "
    "to postpone the migration until the supplier has confirmed the new contract in writing.",
    "names": "Anna Kowalski met Björn Lindqvist and Priya Raghunathan in Reykjavik last autumn.",
    "markdown": "## Decisions\n\n- **2026-03-14** — use SQLite in WAL mode (`synchronous=FULL`)\n"
    "- [x] tell the team, see [the notes](memory/2026-03-14.md#L12)\n\n"
    "| name | cost |\n|---|---:|\n| tea | 3.20 |\n\n> keep it short\n",
    "python": "def may_read(session: Session, scope: Scope) -> bool:\n"
    '    """Deny by default."""\n    if session.scope is None:\n        return False\n'
    "    return any(grant.space == scope.name for grant in self._grants.values())\n",
    "shell": "for f in $(git ls-files '*.py'); do sed -i 's/\\t/    /g' \"$f\"; done && make test",
    "json": '{"id": 48213, "name": "release-2.4.1", "ok": true, "tags": ["alpha", "beta-2"], '
    '"at": "2026-11-15T22:16:00Z", "ratio": 0.4821, "parent": null}',
    "url": "https://docs.example.org/en-US/guides/getting-started?ref=a8F3c1&utm_source=mail#L42",
    "path": "src/remem/core/session_key.py:118: error: Name 'scope' is not defined",
    "log": "2026-11-15 22:16:03,418 WARN [worker-7] queue=inbound depth=1482 lag=3.7s retry=2/5",
    "digits": "3 14 159 2653 58979 323846 2643383 27950288, 41971 and 6939.93 of 75105820",
    "indent": "root:\n    child:\n        leaf: 1\n        other: 22\n\n\n    next:\n\t\ttabbed\n",
    "chinese": "昨天我们决定在周末之前迁移数据库，因为供应商的维护窗口已经不合适了。"
    "陈晓燕负责通知客户。",
    "traditional": "昨天我們決定在週末之前遷移資料庫，因為供應商的維護時段已經不合適了。",
    "japanese": "昨日、週末の前にデータベースを移すことに決めました。鈴木さんが顧客に連絡します。",
    "korean": "어제 우리는 주말 전에 데이터베이스를 옮기기로 결정했습니다. 박지현 씨가 알립니다.",
    "mixed": "今天和 John 讨论了 API v2 的 rate limit：每分钟 600 requests，超过返回 HTTP 429。",
    "russian": "Вчера мы решили перенести базу данных до выходных, потому что окно обслуживания "
    "поставщика больше не подходит. Анна Сергеевна предупредит клиентов.",
    "arabic": "قررنا أمس نقل قاعدة البيانات قبل نهاية الأسبوع لأن نافذة الصيانة لم تعد مناسبة.",
    "hebrew": "אתמול החלטנו להעביר את מסד הנתונים לפני סוף השבוע, כי חלון התחזוקה לא מתאים.",
    "hindi": "कल हमने तय किया कि सप्ताहांत से पहले डेटाबेस को स्थानांतरित किया जाए।",
    "thai": "เมื่อวานเราตัดสินใจย้ายฐานข้อมูลก่อนวันหยุดสุดสัปดาห์ สมชายจะแจ้งลูกค้า",
    "greek": "Χθες αποφασίσαμε να μεταφέρουμε τη βάση δεδομένων πριν από το Σαββατοκύριακο.",
    "german": "Wir haben gestern beschlossen, die Datenbank vor dem Wochenende umzuziehen; "
    "Jürgen prüft die Sicherungskopien und schreibt ein kurzes Protokoll.",
    "french": "Hélène préviendra les clients, et François vérifiera les sauvegardes avant "
    "d'écrire un bref compte rendu.",
    "spanish": "Íñigo avisará a los clientes y María José comprobará las copias de seguridad.",
    "turkish": "Gülşen müşterilere haber verecek, Çağrı da yedekleri kontrol edip yazacak.",
    "emoji": "Great job everyone 🎉🎉 see you at the party 🥳 (bring snacks 🍕🍪) ❤️👍🏽 👩‍💻 🇯🇵",
    "typography": "“Smart quotes” … en–dashes, bullets • like • these, arrows → ⇒, 20 °C, €35",
    "boxes": "memory/\n├── INDEX.md\n├── main/\n│   └── projects/\n└── groups/",
}

# Languages whose words o200k knows less well; here the estimate may be a little low.
LESS_KNOWN = {
    "polish": "Wczoraj postanowiliśmy przenieść bazę danych przed weekendem. Małgorzata zawiadomi "
    "klientów, a Łukasz sprawdzi kopie zapasowe i napisze krótkie sprawozdanie.",
    "finnish": "Eilen päätimme siirtää tietokannan ennen viikonloppua, koska toimittajan "
    "huoltoikkuna ei enää sovi. Väinö tarkistaa varmuuskopiot.",
    "ukrainian": "Учора ми вирішили перенести базу даних до вихідних, бо вікно обслуговування "
    "постачальника вже не підходить.",
}


@each_row("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_is_never_underestimated_nor_far_overestimated(text: str) -> None:
    assert exact(text) <= estimate(text) <= 1.65 * exact(text) + 2


@each_row("text", LESS_KNOWN.values(), ids=LESS_KNOWN)
def test_less_known_languages_are_at_most_a_tenth_low(text: str) -> None:
    assert 0.9 * exact(text) <= estimate(text) <= 1.3 * exact(text)


def test_a_quarter_of_the_characters_would_fail_on_chinese_and_json() -> None:
    for name in ("chinese", "json"):
        assert len(ORDINARY[name]) // 4 < exact(ORDINARY[name])


def test_all_ordinary_text_together_is_five_to_thirty_percent_over() -> None:
    whole = "\n".join(ORDINARY.values())

    assert 1.05 <= estimate(whole) / exact(whole) <= 1.30


HEX = "0123456789abcdef"


@given(st.integers(0, 10**9), st.integers(8, 120))
def test_random_identifiers_are_hardly_underestimated(seed: int, size: int) -> None:
    rng = random.Random(seed)
    hexadecimal = "".join(rng.choices(HEX, k=size))
    uuid = "-".join("".join(rng.choices(HEX, k=k)) for k in (8, 4, 4, 4, 12))
    encoded = base64.b64encode(rng.randbytes(size)).decode()
    mixed = "".join(rng.choices(string.ascii_letters + string.digits, k=size))

    for text in (hexadecimal, uuid, encoded, mixed):
        assert estimate(text) >= 0.9 * exact(text) - 2


WORDS = """
the a of and to in is you that it he was for on are as with his they at be this have from or one
had by but not what all were we when your can said there use an each which she do how their if
will up other about out many then them these so some her would make like him into time has look
two more write go see number no way could people my than first water been call who oil its now
find long down day did get come made may part decision project meeting database release memory
""".split()


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=60))
def test_common_words_in_any_order_are_not_underestimated(words: list[str]) -> None:
    text = " ".join(words)

    assert exact(text) <= estimate(text) <= 1.4 * exact(text) + 3


@given(st.text(max_size=200))
def test_no_text_costs_four_times_its_estimate(text: str) -> None:
    assert exact(text) <= 4 * estimate(text)


SCRIPTS = {
    "cyrillic": (0x410, 0x450),
    "arabic": (0x621, 0x64B),
    "thai": (0xE01, 0xE3B),
    "han": (0x4E00, 0xA000),
    "hangul": (0xAC00, 0xD7A4),
    "devanagari": (0x905, 0x94D),
    "lower-case latin": (0x61, 0x7B),
}


@each_row(("first", "end"), SCRIPTS.values(), ids=SCRIPTS)
def test_random_letters_of_one_script_stay_within_the_same_bound(first: int, end: int) -> None:
    rng = random.Random(first)
    text = "".join(chr(rng.randrange(first, end)) for _ in range(400))

    assert exact(text) <= 4 * estimate(text)


@each_row("first", [0x0, 0xA000, 0xE000, 0x10000, 0x20000, 0x3400])
def test_rare_characters_cost_their_bytes(first: int) -> None:
    text = "".join(map(chr, range(first, first + 30))) * 3

    assert len(text.encode()) <= 1.01 * estimate(text)


@given(st.text(), st.text())
def test_joining_two_texts_costs_at_most_one_token_more(left: str, right: str) -> None:
    assert estimate(left + right) <= estimate(left) + estimate(right) + 1


def test_joining_costs_at_most_one_token_more_for_every_pair_of_classes_and_run_of_letters() -> (
    None
):
    ends = [
        *" etbzA7.\n\té中🎉\x07Ж",
        *("t" * n for n in range(2, 26)),
        *("b" * n for n in range(2, 26)),
    ]

    for left, right in product(ends, repeat=2):
        assert estimate(left + right) <= estimate(left) + estimate(right) + 1


@given(st.text(min_size=1))
def test_every_text_but_the_empty_one_costs_something(text: str) -> None:
    assert estimate(text) >= 1
    assert estimate("") == 0


def test_half_a_surrogate_pair_is_counted_like_any_character() -> None:
    assert estimate("\ud800") > 1


def test_prices_fit_into_a_byte_and_a_token_is_worth_fifty() -> None:
    assert UNIT == 50
    assert estimate("𐀀" * 10) == 1 + 4 * 10 + 1


def test_a_long_text_costs_as_much_as_its_parts() -> None:
    line = "d9 " * 100
    assert estimate(line * 50) == pytest.approx(50 * estimate(line), rel=0.02)
