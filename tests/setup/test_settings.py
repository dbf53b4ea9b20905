"""Setup adds settings to a file that a person may have written with any editor."""

from pathlib import Path

from remem.files.layout import Layout
from remem.files.sessions import read_config
from remem.setup.settings import add_extra_paths


def test_a_byte_order_mark_stays_at_the_beginning_of_the_settings(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.config_file.parent.mkdir()
    layout.config_file.write_bytes(b"\xef\xbb\xbfindex_tokens = 300\r\n")

    assert add_extra_paths(layout, ["/notes"])

    assert read_config(layout).extra_paths == ("/notes",)
    assert layout.config_file.read_bytes().startswith(b"\xef\xbb\xbfextra_paths")
    assert layout.config_file.read_bytes().endswith(b"\nindex_tokens = 300\r\n")


def test_only_a_line_that_setup_has_added_is_extended(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.config_file.parent.mkdir()
    layout.config_file.write_text("index_tokens = 300\n", encoding="utf-8")

    assert add_extra_paths(layout, ["/notes"])
    assert add_extra_paths(layout, ["/more"])
    assert read_config(layout).extra_paths == ("/notes", "/more")

    edited = 'extra_paths = ["/notes"]  # mine\n'
    layout.config_file.write_text(edited, encoding="utf-8")
    assert not add_extra_paths(layout, ["/more"])
    assert layout.config_file.read_text(encoding="utf-8") == edited
