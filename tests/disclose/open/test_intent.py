"""A message is matched to a file by words in any language, and by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from remem.disclose.open.intent import MatchedRoutes, match_routes
from remem.model.gate import Route, read_gate_file
from tests.tables import each_row

ROUTES = read_gate_file(
    "| When | Load | Tier |\n|---|---|---|\n"
    "| any work conversation: tasks, blockers | attention.md | P0 |\n"
    "| technical decisions: stack | project.md | P1 |\n"
    "| lessons learned | experience.md | P2 |\n"
    "| need to find someone | people.md | P3 |\n"
    "| seed prices, suppliers | shopping.md | P3 |\n"
).routes


def no_model(_message: str, _phrases: Sequence[str]) -> str:
    return "there is no model"


def intent(message: str, routes: Sequence[Route] = ROUTES) -> MatchedRoutes:
    return match_routes(message, routes, no_model)


def best(message: str, routes: Sequence[Route] = ROUTES) -> str | None:
    matches = intent(message, routes).matches
    return matches[0].route.file if matches else None


@each_row(
    ("message", "file"),
    [
        ("Which task is next?", "attention.md"),
        ("is anything blocking us", "attention.md"),
        ("which database stack do we use?", "project.md"),
        ("what was the lesson of the last release?", "experience.md"),
        ("Who looks after the roses?", "people.md"),
        ("what do the suppliers want for seeds?", "shopping.md"),
        ("有什么任务没完成？", "attention.md"),
        ("谁负责前端？", "people.md"),
        ("为什么放弃了 MongoDB？", "experience.md"),
        ("いまのタスクは？", "attention.md"),
        ("Wer ist zuständig?", "people.md"),
        ("¿Qué tareas quedan?", "attention.md"),
        ("Почему мы решили так?", "experience.md"),
    ],
)
def test_words_in_any_language_match_the_file(message: str, file: str) -> None:
    assert best(message) == file


@each_row(
    "message",
    ["good morning!", "haha nice one", "早上好", "今天天气不错", "Danke dir!", "?", "the of"],
)
def test_small_talk_matches_no_file(message: str) -> None:
    assert intent(message).matches == ()


def test_a_gate_in_another_script_is_matched_by_its_own_words() -> None:
    routes = read_gate_file("- 浇水、施肥 → garden.md\n- 采购 → shop.md\n").routes

    assert best("明天要浇水吗", routes) == "garden.md"
    assert best("采购清单在哪里", routes) == "shop.md"


def test_the_lower_tier_wins_a_tie() -> None:
    routes = [Route("roses", "people.md", "P3"), Route("roses", "attention.md", "P0")]

    assert best("roses", routes) == "attention.md"
    assert best("roses", routes[::-1]) == "attention.md"


def test_a_convention_comes_after_a_file_with_the_tier_that_its_route_claims() -> None:
    routes = [
        Route("roses", "garden/conventions/roses.md", "P0"),
        Route("roses", "people.md", "P3"),
    ]

    assert best("roses", routes) == "people.md"


def test_a_better_match_wins_over_a_lower_tier() -> None:
    routes = [
        Route("roses", "attention.md", "P0"),
        Route("roses, pruning, shears", "tools.md", "P3"),
    ]

    assert best("pruning shears for the roses", routes) == "tools.md"


def test_meaning_finds_what_no_word_does_and_says_so() -> None:
    def near(_message: str, phrases: Sequence[str]) -> list[float]:
        return [0.7 if "stack" in phrase else 0.2 for phrase in phrases]

    found = match_routes("which microcontroller?", ROUTES, near)

    assert [match.route.file for match in found.matches] == ["project.md"]
    assert "meaning 0.70" in found.matches[0].why
    assert found.fallback_reason is None


def test_without_a_model_the_reason_is_returned() -> None:
    assert intent("Which task is next?").fallback_reason == "there is no model"
