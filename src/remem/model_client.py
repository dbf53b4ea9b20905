"""How is a model server asked? One POST, one retry where it may help, and a true cause."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from remem.errors import ConfigError, RememError, shown

if TYPE_CHECKING:
    import httpx

_LARGEST: Final = 64 * 1024 * 1024  # bytes of an answer
_HINTS: Final = {
    401: "check the API key",
    403: "check the API key",
    404: "check the base URL and the model's name",
    429: "the server limits how often it answers",
}


@dataclass(frozen=True, slots=True)
class Service:
    """What is asked of a server: its path, what it is called in errors, and their kind."""

    path: str
    name: str
    error: type[RememError]


class Server:
    """One service of a server; the API key is sent to it, and shown to nobody."""

    def __init__(
        self, base_url: str, service: Service, api_key: str | None, timeout: float, pause: float
    ) -> None:
        self._service = service
        self._url, self._place = _address(base_url, service)
        if api_key and not re.fullmatch(r"[!-~]+", api_key):
            raise ConfigError("the API key holds a space, a line break or a non-ASCII character")
        self._key = api_key
        self._timeout = timeout
        self._pause = pause
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._closed = False

    def post(self, question: object) -> bytes:
        """The body of the answer; a server error or a lost connection is tried once more."""
        import httpx  # late: it takes a tenth of a second

        problem, cause = "", None
        for attempt in (1, 2):
            if attempt == 2:
                time.sleep(self._pause)
            try:
                status, body = self._exchange(json.dumps(question).encode())
            except httpx.TimeoutException as error:
                raise self._error(f"gave no answer within {self._timeout:g} s") from error
            except (httpx.NetworkError, httpx.ProtocolError) as error:
                problem, cause = f"cannot be reached: {shown(str(error), 200)}", error
                continue
            except httpx.RequestError as error:
                raise self._error(f"cannot be asked: {shown(str(error), 200)}") from error
            if status == 200:
                return body
            problem, cause = f"answered {status}: {self._said(body)}", None
            if status < 500:
                raise self._error(problem, _HINTS.get(status))
        raise self._error(f"{problem}, twice") from cause

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.close()

    def _exchange(self, content: bytes) -> tuple[int, bytes]:
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        with self._open().stream("POST", self._url, content=content) as answer:
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > _LARGEST:
                    raise self._error(f"gave more than {_LARGEST} bytes")
                # httpx limits the wait for each piece; a trickle would pass that for ever.
                if time.monotonic() > deadline:
                    raise self._error(f"gave no whole answer within {self._timeout:g} s")
            return answer.status_code, bytes(body)

    def _open(self) -> httpx.Client:
        import httpx  # late: it takes a tenth of a second

        with self._lock:
            if self._closed:
                raise self._error("was closed")
            if self._client is None:
                headers = {"Content-Type": "application/json"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx.Client(headers=headers, timeout=self._timeout)
            return self._client

    def _said(self, body: bytes) -> str:
        """The start of an error page, without the key that some servers repeat."""
        text = body[:2000].decode(errors="replace")
        return shown(text.replace(self._key, "***") if self._key else text, 200)

    def _error(self, problem: str, hint: str | None = None) -> RememError:
        text = f"the {self._service.name} at {self._place} {problem}"
        return self._service.error(text, hint=hint)


def _address(base_url: str, service: Service) -> tuple[str, str]:
    """Where to post, and the same without a name and password, to be shown."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"the {service.name}'s URL is unusable: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(
            f"the {service.name}'s URL must begin with http:// or https:// and name a host",
            hint="for example http://localhost:11434/v1",
        )
    path = (parts.path.rstrip("/") or "/v1") + service.path
    shown_host = f"[{host}]" if ":" in host else host
    place = f"{parts.scheme}://{shown_host}{f':{port}' if port else ''}{path}"
    return parts._replace(path=path, query="", fragment="").geturl(), place
