"""Find out which column of a routing table holds what, by its header or else by its cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.pattern_file import pattern_file

_CELL: Final = re.compile(r"(?<!\\)\|")
_RULER: Final = re.compile(r"\|?[\s:|+-]*-[\s:|+-]*\|?")
_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\(\s*<?([^)<>\n]+?\.md)(?:#[^)>\s]*)?>?(?:\s[^)]*)?\)")
_WIKI: Final = re.compile(r"\[\[([^\]|#\n]+)(?:#[^\]|\n]*)?(?:\|([^\]\n]*))?\]\]")
_QUOTED: Final = re.compile(r"[`\"“「]([^`\"”」\n]+?\.md)(?:#[^`\"”」\s]*)?[`\"”」]")
_BARE: Final = re.compile(
    r"[^\s`|()\[\]<>\"'“”「」，。；：、（）→⇒➜=*]+\.md(?![A-Za-z0-9])(?:#\S*)?"
)
_FORMS: Final = (_LINK, _WIKI, _QUOTED, _BARE)
_STEM: Final = re.compile(r"[\w./-]+", re.UNICODE)
_ESCAPED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_TIER: Final = re.compile(r"[*(\[]*P[0-3][*)\]]*(?:\s.*)?", re.IGNORECASE)

_FILE: Final = pattern_file("model/gate_words")
_FILE_HEADS: Final = _FILE.regex("file_column")
_WHEN_HEADS: Final = _FILE.regex("trigger_column")
_TIER_HEADS: Final = _FILE.regex("tier_column")


@dataclass(frozen=True, slots=True)
class GateColumns:
    """The indices of a table's columns: of files, of tiers, and of words that say when to load.

    `first` is the index of the first row after the header, and `width` the number of columns.
    """

    file: int
    tier: int | None
    words: tuple[int, ...]
    first: int
    width: int


def cells_of(row: str) -> list[str]:
    """Return the texts of a row's cells."""
    inner = row.strip()
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def is_ruler(row: str) -> bool:
    """Return whether a row is the line of dashes below a table's header."""
    return _RULER.fullmatch(row.strip()) is not None


def columns_of(rows: Sequence[str]) -> GateColumns | None:
    """Return the columns of a table that routes to files; None for any other table."""
    has_header = len(rows) > 1 and is_ruler(rows[1])
    header = cells_of(rows[0]) if has_header else []
    body = [cells_of(row) for row in rows[2 if has_header else 0 :] if not is_ruler(row)]
    width = max((len(cells) for cells in [header, *body]), default=0)
    file = _file_column(header, body, width)
    if file is None:
        return None
    tier = _tier_column(header, body, width, file)
    others = [at for at in range(width) if at not in (file, tier)]
    when_columns = [at for at in others if at < len(header) and _WHEN_HEADS.search(header[at])]
    words = (*when_columns, *(at for at in others if at not in when_columns))
    return GateColumns(file, tier, words, 2 if has_header else 0, width)


def _file_column(header: Sequence[str], body: Sequence[Sequence[str]], width: int) -> int | None:
    counts = [sum(reference(cell) is not None for cell in _column(body, at)) for at in range(width)]
    titled_columns = [at for at, title in enumerate(header) if _FILE_HEADS.search(title)]
    preferred_columns = [at for at in titled_columns if not _WHEN_HEADS.search(header[at])]
    best = max(range(width), key=lambda at: (counts[at], at in preferred_columns), default=None)
    if best is not None and counts[best]:
        return best
    return (
        preferred_columns[0]
        if preferred_columns
        and any(named_file(cell) for cell in _column(body, preferred_columns[0]))
        else None
    )


def _tier_column(
    header: Sequence[str], body: Sequence[Sequence[str]], width: int, file: int
) -> int | None:
    for at in range(width):
        cells = [cell for cell in _column(body, at) if cell]
        is_titled = at < len(header) and _TIER_HEADS.search(header[at]) is not None
        if at != file and (is_titled or (cells and all(_TIER.fullmatch(cell) for cell in cells))):
            return at
    return None


def _column(body: Sequence[Sequence[str]], at: int) -> list[str]:
    return [cells[at] for cells in body if at < len(cells)]


def named_file(cell: str) -> str | None:
    """Return the file that a cell of the file column names; the ending `.md` may be missing."""
    if (file := reference(cell)) is not None:
        return file
    stem = _STEM.fullmatch(cell.strip(" *`"))
    return f"{stem[0].strip('.')}.md" if stem and stem[0].strip("./-") else None


def reference(text: str) -> str | None:
    """Return the first Markdown file that a text names: as a link, in quotes, or bare."""
    matches = [match for form in _FORMS if (match := form.search(text))]
    if not matches:
        return None
    first = min(matches, key=lambda match: match.start())
    if first.re is _WIKI:
        return _decode_name(first[1] if first[1].endswith(".md") else f"{first[1]}.md")
    if first.re is _LINK:
        return _decode_name(first[2])
    return _decode_name(first[1] if first.re is _QUOTED else first[0].partition("#")[0])


def without_reference(text: str) -> str:
    """Remove file names from a text, and keep the labels of links."""
    text = _LINK.sub(lambda match: "" if match[1].endswith(".md") else match[1], text)
    text = _WIKI.sub(lambda match: match[2] or "", text)
    return _BARE.sub(" ", _QUOTED.sub(" ", text))


def _decode_name(name: str) -> str:
    """Decode the percent escapes of a link."""
    return _ESCAPED.sub(_unescape_match, name.strip()).removeprefix("./")


def _unescape_match(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode(errors="replace")
