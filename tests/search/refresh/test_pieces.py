"""Notes are cut in one pass; a simple implementation says what must come out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.search.refresh.pieces import OVERLAP_TOKENS, PASSAGE_TOKENS, cut_note
from remem.text.markdown import Block

SECTION = 120
Spans = list[tuple[int, int]]


def plainly(blocks: list[Block], costs: list[int]) -> Spans:
    """The first and last block of each passage; a block that fits into none stands alone."""
    found: Spans = []
    held: list[int] = []

    def cost(some: list[int]) -> int:
        return sum(costs[index] for index in some)

    def without_headings(some: list[int]) -> list[int]:
        return some if not some or not heading(some[-1]) else without_headings(some[:-1])

    def heading(index: int) -> bool:
        return blocks[index].kind == "heading"

    def full(next_one: int) -> bool:
        if cost([*held, next_one]) > PASSAGE_TOKENS:
            return cost(held) > OVERLAP_TOKENS or bool(without_headings(held))
        return heading(next_one) and cost(held) >= SECTION and not heading(held[-1])

    def repeated(taken: list[int], next_one: int) -> list[int]:
        tail: list[int] = []
        for index in reversed(taken[1:]):
            too_long = cost([index, *tail]) > min(OVERLAP_TOKENS, PASSAGE_TOKENS - costs[next_one])
            if heading(next_one) or heading(index) or too_long:
                break
            tail = [index, *tail]
        return tail

    for number in range(len(blocks)):
        while held and full(number):
            taken = without_headings(held) or held
            found.append((taken[0], taken[-1]))
            held = held[len(taken) :] or repeated(taken, number)
        if costs[number] <= PASSAGE_TOKENS:
            held = [*held, number]
            continue
        found += [(held[0], held[-1])] if held else []
        found.append((number, number))
        held = []
    return found + ([(held[0], held[-1])] if held else [])


BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["bullet", "bullet", "text", "row", "heading"]),
        st.one_of(st.integers(1, 60), st.integers(1, PASSAGE_TOKENS + 20)),
    ),
    max_size=40,
)


@given(BLOCKS)
def test_notes_are_cut_as_by_a_simple_implementation(
    given: list[tuple[str, int]],
) -> None:
    lines = [f"line {number}" for number in range(len(given))]
    blocks = [
        Block(kind, number, number, lines[number - 1])  # type: ignore[arg-type]
        for number, (kind, _) in enumerate(given, 1)
    ]
    costs = [cost for _, cost in given]

    found = [(piece.start - 1, piece.end - 1) for piece in cut_note(lines, blocks, costs)]

    assert found == plainly(blocks, costs)
