"""A line comes into a person's crontab and goes out again, and all else stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ConfigError, FileError
from remem.setup.timers.recipes import Crontab, find_crontab, with_lines, without_lines

LINES = ("# written by `remem maintain --install` (x)", "17 3 * * * remem maintain")
TABLES = st.none() | st.lists(
    st.sampled_from([b"# mine", b"", b"0 5 * * * backup", b"MAILTO=me"]), max_size=5
).flatmap(lambda lines: st.sampled_from([b"\n".join(lines), b"".join(x + b"\n" for x in lines)]))

PROGRAM = """#!/bin/sh
table="{table}"
case "$1" in
  -l) [ -f "$table" ] && cat "$table" || {{ echo "no crontab for you" >&2; exit 1; }} ;;
  -r) rm -f "$table" ;;
  -) cat > "$table.new"; grep -q refuse "$table.new" && {{ echo "bad minute" >&2; exit 1; }}
     mv "$table.new" "$table" ;;
esac
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


@pytest.fixture
def crontab(tmp_path: Path, table: Path) -> Crontab:
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(table=table))
    program.chmod(0o755)
    return find_crontab(tmp_path / "record.json", str(program.parent))


@given(table=TABLES)
def test_putting_it_in_twice_is_putting_it_in_once(table: bytes | None) -> None:
    once = with_lines(table, LINES)

    assert with_lines(once, LINES) == once
    assert once.startswith(table or b"")
    assert once.endswith("\n".join((*LINES, "")).encode())


@given(table=TABLES)
def test_taking_it_out_leaves_the_rest(table: bytes | None) -> None:
    left = without_lines(with_lines(table, LINES), LINES)

    assert left is not None
    assert left.rstrip(b"\n") == (table or b"").rstrip(b"\n")


@pytest.mark.parametrize("before", [None, b"", b"0 5 * * * backup", b"# a\n\n0 5 * * * b\n"])
def test_the_table_gets_its_very_bytes_back(
    crontab: Crontab, table: Path, before: bytes | None
) -> None:
    if before is not None:
        table.write_bytes(before)

    crontab.install(LINES, crontab.read())
    assert LINES[1].encode() in table.read_bytes()
    exact = crontab.uninstall(LINES, crontab.read())

    assert exact
    assert (table.read_bytes() if table.exists() else None) == before
    assert not crontab.record.exists()


def test_an_edit_made_since_stays(crontab: Crontab, table: Path) -> None:
    table.write_bytes(b"0 5 * * * backup\n")
    crontab.install(LINES, crontab.read())
    table.write_bytes(table.read_bytes() + b"1 1 * * * mine\n")

    exact = crontab.uninstall(LINES, crontab.read())

    assert not exact
    assert table.read_bytes() == b"0 5 * * * backup\n1 1 * * * mine\n"


def test_a_table_that_is_refused_stays_as_it_was(crontab: Crontab, table: Path) -> None:
    table.write_bytes(b"0 5 * * * backup\n")

    with pytest.raises(FileError, match="bad minute"):
        crontab.install((LINES[0], "refuse"), crontab.read())

    assert table.read_bytes() == b"0 5 * * * backup\n"


def test_a_table_that_cannot_be_listed_is_not_written_over(crontab: Crontab) -> None:
    denied = '#!/bin/sh\necho "you are not allowed to use this program" >&2; exit 1\n'
    Path(crontab.program).write_text(denied)

    with pytest.raises(FileError, match="cannot be read: you are not allowed"):
        crontab.read()


def test_a_machine_without_cron_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="crontab was not found"):
        find_crontab(tmp_path / "record.json", str(tmp_path))
