"""Snippets show the part of a passage that matches, within the limit of hosts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.arguments import utf16_length
from remem.model.passage import Passage
from remem.search.passages.selection import ScoredResult
from remem.search.passages.snippet import SNIPPET_LIMIT, excerpt, hit_of
from remem.search.query.terms import Term
from remem.search.rank.ranking import Candidate, RankedCandidate

NONCE = "0123456789ab"


def test_a_short_passage_is_shown_whole() -> None:
    assert excerpt("one\ntwo", [Term("x")], 50) == "one\ntwo"


def test_the_matching_line_is_shown_with_its_surroundings() -> None:
    lines = [f"line {n} about nothing" for n in range(40)]
    lines[25] = "line 25: the gateway is on atlas"

    shown = excerpt("\n".join(lines), [Term("gateway"), Term("atlas")], 200)

    assert "gateway is on atlas" in shown
    assert "line 26" in shown
    assert utf16_length(shown) <= 200


def test_of_a_long_line_the_matching_part_is_shown() -> None:
    shown = excerpt("x " * 900 + "gateway here" + " y" * 900, [Term("gateway")], 100)

    assert "gateway here" in shown
    assert utf16_length(shown) <= 100


@given(
    st.text(alphabet=st.sampled_from("ab 🦀\n\u200b\u202e数"), max_size=3_000),
    st.sampled_from(["memory", "sessions"]),
    st.booleans(),
    st.sampled_from(["MEMORY.md", "memory/" + "x" * 200 + ".md", "memory/" + "y/" * 400 + "x.md"]),
)
def test_no_snippet_exceeds_the_limit_of_hosts(
    text: str, source: str, cited: bool, path: str
) -> None:
    passage = Passage(path, 3, 9, text, source=source)  # type: ignore[arg-type]
    hit = hit_of(
        ScoredResult(RankedCandidate(Candidate(passage, 0.5), 0.5, {}), 0.5, 0.5),
        [Term("a"), Term("q25968")],
        NONCE,
        cited=cited,
    )

    assert utf16_length(hit.snippet) <= SNIPPET_LIMIT or len(path) > SNIPPET_LIMIT - 200
    assert (hit.citation is not None) is cited
    hit.snippet.encode()
    if source == "sessions":
        assert hit.snippet.count(f"[end of untrusted data {NONCE}]") == 1
