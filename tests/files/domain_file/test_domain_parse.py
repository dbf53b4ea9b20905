from hypothesis import given, settings
from hypothesis import strategies as st

from remem.files.domain_file.details import END_LINE, OLD_END_LINE, OPENING
from remem.files.domain_file.document import DomainItem
from remem.files.domain_file.parse import parse
from tests.tables import each_row

MARK = '<!-- {"created":"2026-11-15T22:17:13Z"} --> ^mem-3kx7t9qa'
LINES = st.sampled_from(
    ["", "  ", "- a", "  b", "\tc", "* d", " - e", "   - f", "1. g", "plain", "# head", "---",
     "===", "- - -", "- [ ] h", "- [ ]", "-", "- ", "```", "````", "~~~", "<!--", "-->", "> q",
     f"- i {MARK}", f"  - j {MARK}", f"k {MARK}", "- l ^mem-aaaaaaaa", MARK, END_LINE,
     OLD_END_LINE, OPENING, 'mem-3kx7t9qa {"tags":["x"]}', "mem-aaaaaaaa {", "mem-bbbbbbbb",
     "| t |", "remem: end",
     "- m <!-- { --> ^mem-bbbbbbbb", f"  {END_LINE}", "\ufeff", "\x0b", "\u2028x"]
)  # fmt: skip
BREAKS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
FILES = st.lists(st.tuples(LINES | st.text(max_size=8), BREAKS).map("".join), max_size=15)


def contents(text: str) -> list[tuple[str | None, str]]:
    return [(item.id, item.content) for item in parse(text).items]


@settings(deadline=None)
@given(FILES.map("".join), st.sampled_from(["", "\ufeff"]), st.booleans())
def test_any_text_is_a_document_that_gives_it_back(text: str, mark: str, cut: bool) -> None:
    text = mark + (text[:-1] if cut else text)

    assert parse(text).text() == text


@settings(deadline=None)
@given(FILES.map("".join))
def test_the_end_line_and_ids_are_found_anywhere_in_the_file(text: str) -> None:
    bare = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    parsed = parse(text)

    assert parsed.complete == (END_LINE in bare or OLD_END_LINE in bare)
    assert sum(item.id is not None for item in parsed.items) == sum(
        line.endswith((" ^mem-3kx7t9qa", " ^mem-aaaaaaaa", " ^mem-bbbbbbbb")) for line in bare
    )


@each_row(
    ("text", "words"),
    [
        ("- tea", "tea"),
        ("* tea\n", "tea"),
        ("+  tea  \n", "tea"),
        ("   - tea\n", "tea"),
        ("- tea\n  with milk\n", "tea\nwith milk"),
        ("- tea\n\twith milk\n", "tea\nwith milk"),
        ("- tea\nwith milk\n", "tea\nwith milk"),
        ("- tea\n  - with milk\n  - no sugar\n", "tea\n- with milk\n- no sugar"),
        ("- tea\n\n  with milk\n", "tea\n\nwith milk"),
        ("- [ ] buy tea", "[ ] buy tea"),
        ("- ```\n  code\n  ```", "```\ncode\n```"),
        ("- tea <!-- a remark of mine -->", "tea <!-- a remark of mine -->"),
        ("- tea <!-- {broken -->", "tea <!-- {broken -->"),
    ],
)
def test_a_bullet_without_an_id_is_a_new_memory(text: str, words: str) -> None:
    assert contents(text) == [(None, words)]


@each_row(
    "text",
    [
        "",
        "plain words\n",
        "1. numbered\n2. list\n",
        "-",
        "- \n",
        "- [ ]\n",
        "- - -\n",
        "* * *\n",
        "    - indented code\n",
        "---\ntags:\n- a\n- b\n---\n",
        "```\n- in a code block\n```\n",
        "~~~~ text\n- in a code block\n~~~\n- still\n~~~~\n",
        "<!--\n- in a comment\n-->\n",
        "-dash\n",
        "**bold**\n",
    ],
)
def test_these_are_prose(text: str) -> None:
    assert contents(text) == []


def test_a_rule_does_not_take_the_paragraph_below_it() -> None:
    assert contents("* * *\nparagraph\n- tea\n") == [(None, "tea")]


def test_a_new_bullet_may_bring_its_own_comment() -> None:
    (item,) = parse('- tea <!-- {"priority":"high","tags":["drinks"]} -->\n').items

    assert item.content == "tea"
    assert item.meta is not None
    assert (item.meta.priority, item.meta.tags) == ("high", ("drinks",))


def test_words_written_below_an_item_belong_to_it() -> None:
    assert contents(f"- tea {MARK}\n  with milk\n") == [("mem-3kx7t9qa", "tea\nwith milk")]
    assert contents(f"- tea {MARK}\nprose\n") == [("mem-3kx7t9qa", "tea")]


def test_items_that_a_person_nested_stay_what_they_are() -> None:
    text = (
        "- tea ^mem-aaaaaaaa\n"
        "  a remark on tea\n"
        "  - coffee ^mem-bbbbbbbb\n"
        "\t- cocoa\n\n\t  with cream ^mem-cccccccc\n"
        "\t\t- water ^mem-dddddddd\n"
    )

    assert contents(text) == [
        ("mem-aaaaaaaa", "tea\na remark on tea"),
        ("mem-bbbbbbbb", "coffee"),
        ("mem-cccccccc", "cocoa\n\nwith cream"),
        ("mem-dddddddd", "water"),
    ]


@each_row("head", ["", "1. ", "12) ", "  ", "* "])
def test_an_item_with_an_id_is_known_without_its_bullet(head: str) -> None:
    assert contents(f"{head}tea {MARK}") == [("mem-3kx7t9qa", "tea")]


def test_a_last_line_that_lost_its_indentation_still_carries_the_id() -> None:
    assert contents(f"- tea\nwith milk {MARK}\n") == [("mem-3kx7t9qa", "tea\nwith milk")]


@each_row("end", [END_LINE, OLD_END_LINE])
def test_an_indented_end_line_is_not_part_of_the_item_above(end: str) -> None:
    for gap in ("", "\n"):
        text = f"- tea {MARK}\n{gap}  {end}\n"
        assert contents(text) == [("mem-3kx7t9qa", "tea")]
        assert parse(text).complete


@each_row("opening", ["```\n", "<!--\n", "~~~ text\n", "---\n"])
def test_a_block_that_contains_items_with_ids_hides_nothing(opening: str) -> None:
    for closing in ("", "```\n", "-->\n", "~~~\n", "---\n"):
        text = f"{opening}- tea {MARK}\n{closing}{END_LINE}\n{closing}"
        assert contents(text)[:1] == [("mem-3kx7t9qa", "tea")]
        assert parse(text).complete


def test_a_broken_comment_costs_neither_the_id_nor_the_words() -> None:
    for comment, reason in {
        '{"created":': "Expecting value",
        '{"priority":"urgent"}': "priority cannot be 'urgent'",
        '{"tags":"one"}': "tags cannot be 'one'",
        '{"colour":"red"}': "unknown key 'colour'",
        '{"context":"\\ud800"}': "context cannot be '\\ud800'",
        '{"origins":[{"source":"a","where":"b"}]}': "origins cannot be",
        '{"origins":[{"source":"a","position":true}]}': "origins cannot be",
        '{"origins":' + "[" * 100_000: "",
        "{}{}": "Extra data",
        '{"tags":[],"tags":["a"]}': "it has a duplicate key",
    }.items():
        (item,) = parse(f"- tea <!-- {comment} --> ^mem-3kx7t9qa\n").items
        assert (item.id, item.content, item.meta) == ("mem-3kx7t9qa", "tea", None)
        assert item.fault is not None
        assert item.fault.startswith("the comment of mem-3kx7t9qa cannot be parsed: ")
        assert reason in item.fault


DETAILS = f"""{OPENING}
mem-aaaaaaaa {{"priority": "high", "tags": ["drinks"]}}
mem-bbbbbbbb {{"tags": ["cups"]}}
remem: end 01234567 0123456789abcdef -->
"""


def test_metadata_are_found_by_id_at_the_end_of_the_file() -> None:
    parsed = parse(f"- tea ^mem-aaaaaaaa\n- cocoa ^mem-cccccccc\n\n{DETAILS}")

    tea, cocoa = parsed.items
    assert tea.meta is not None
    assert (tea.meta.priority, tea.meta.tags) == ("high", ("drinks",))
    assert cocoa.meta is None
    assert (parsed.complete, parsed.base, parsed.proof) == (True, "01234567", "0123456789abcdef")


def test_a_comment_on_a_bullet_changes_only_what_it_names() -> None:
    (tea,) = parse(f'- tea <!-- {{"tags":["mine"]}} --> ^mem-aaaaaaaa\n\n{DETAILS}').items

    assert tea.meta is not None
    assert (tea.meta.priority, tea.meta.tags) == ("high", ("mine",))


def test_a_comment_that_remem_wrote_counts_as_a_whole() -> None:
    """A process of an earlier version, which is still running, writes such comments."""
    (tea,) = parse(f"- tea {MARK.replace('3kx7t9qa', 'aaaaaaaa')}\n\n{DETAILS}").items

    assert tea.meta is not None
    assert (tea.meta.priority, tea.meta.tags) == ("medium", ())


def test_details_that_an_editor_wrapped_are_read() -> None:
    wrapped = DETAILS.replace('"high", ', '"high",\n')

    (tea,) = parse(f"- tea ^mem-aaaaaaaa\n{wrapped}").items
    assert tea.meta is not None
    assert tea.meta.tags == ("drinks",)


def test_what_a_person_writes_between_the_details_is_theirs() -> None:
    for theirs in ("- milk", "remember milk", "<<<<<<< HEAD", '"tags": ["a"]}'):
        text = DETAILS.replace("mem-bbbbbbbb", f"{theirs}\nmem-bbbbbbbb")
        parsed = parse(f"- tea ^mem-aaaaaaaa\n- cup ^mem-bbbbbbbb\n\n{text}")
        assert parsed.complete
        assert [item.meta is None for item in parsed.items if item.id] == [False, False]
        assert theirs in [
            segment.raw.strip() for segment in parsed.segments if segment not in parsed.details
        ]


def test_broken_details_cost_neither_the_id_nor_the_words() -> None:
    text = DETAILS.replace('["drinks"]', '["drinks"')

    (tea,) = parse(f"- tea ^mem-aaaaaaaa\n\n{text}").items

    assert (tea.id, tea.content, tea.meta) == ("mem-aaaaaaaa", "tea", None)
    assert tea.fault is not None
    assert tea.fault.startswith("the details of mem-aaaaaaaa cannot be parsed: ")


def test_in_joined_files_the_last_readable_details_count() -> None:
    other = DETAILS.replace("drinks", "leaves")
    broken = DETAILS.replace('["drinks"]', "[")

    (tea,) = parse(f"- tea ^mem-aaaaaaaa\n{DETAILS}{other}{broken}").items

    assert tea.meta is not None
    assert tea.meta.tags == ("leaves",)


def test_a_duplicate_id_is_reported() -> None:
    parsed = parse("- tea ^mem-aaaaaaaa\n- coffee ^mem-aaaaaaaa\n- cocoa ^mem-bbbbbbbb\n")

    assert len(parsed.items) == 3
    assert parsed.duplicates == ("mem-aaaaaaaa",)


def test_a_mention_of_an_id_is_not_an_id() -> None:
    for text in ("- see [[facts#^mem-aaaaaaaa]]", "- x^mem-aaaaaaaa", r"- \^mem-aaaaaaaa"):
        assert [item.id for item in parse(text).items] == [None]


def test_a_file_full_of_opening_fences_is_parsed_in_linear_time() -> None:
    lines = ["```a", "<!-- b", "~~~ c", "- d", "  e", ""] * 20_000

    assert len(parse("\n".join(lines)).items) == 20_000


def test_one_line_of_many_megabytes_is_read() -> None:
    (item,) = parse("- " + "<!-- { " * 1_000_000 + MARK).items

    assert isinstance(item, DomainItem)
    assert item.id == "mem-3kx7t9qa"
