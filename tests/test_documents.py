"""The documents keep their limits, and every link in them leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tables import each_row

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@each_row("page", PAGES, ids=name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name(page)}: {link}"


def test_every_module_that_the_architecture_page_names_exists() -> None:
    named = re.findall(r"`([a-z_/]+\.(?:py|toml))`", (ROOT / "ARCHITECTURE.md").read_text())
    places = (ROOT, ROOT / "src/remem", ROOT / "tests/scenarios")
    missing = [path for path in named if not any((place / path).exists() for place in places)]
    assert missing == []


def test_the_readme_has_at_most_120_lines() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_a_decision_has_at_most_40_lines() -> None:
    long = {
        name(page): count
        for page in ROOT.glob("docs/decisions/*.md")
        if (count := len(page.read_text().splitlines())) > 40
    }
    assert long == {}
