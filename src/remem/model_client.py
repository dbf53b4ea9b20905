"""An HTTP client for embedding and chat endpoints, with one retry."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from remem.errors import ConfigError, ModelError, RememError, quoted

if TYPE_CHECKING:
    import httpx2

_MAX_RESPONSE_BYTES: Final = 64 * 1024 * 1024
_MAX_BRACKETS: Final = 200
"""The number of opening brackets in an answer that are tried as the start of its JSON array."""
_HINTS: Final = {
    401: "check the API key",
    403: "check the API key",
    404: "check the base URL and the model's name",
    429: "the server limits the request rate; try again later",
}


@dataclass(frozen=True, slots=True)
class Service:
    """An endpoint of a model server.

    `path` is appended to the path of the server's URL, or to `default_path` if the URL has none.
    `name` and `error_type` are used for errors.
    """

    path: str
    name: str
    error_type: type[RememError]
    default_path: str = "/v1"


class ModelServer:
    """A connection to one service; the API key never appears in errors.

    `pause` is the number of seconds between a failed request and the second attempt.
    """

    def __init__(
        self, base_url: str, service: Service, api_key: str | None, timeout: float, pause: float
    ) -> None:
        self._service = service
        self._url, self._display_url = _address(base_url, service)
        if api_key and not re.fullmatch(r"[!-~]+", api_key):
            raise ConfigError("the API key contains a space, a line break or a non-ASCII character")
        self._key = api_key
        self._timeout = timeout
        self._pause = pause
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._closed = False

    def post(self, request: object) -> bytes:
        """Send a JSON request and return the body of the response.

        A request is repeated once after a server error or a lost connection.
        """
        import httpx2  # slow to import

        problem, cause = "", None
        for attempt in (1, 2):
            if attempt == 2:
                time.sleep(self._pause)
            try:
                status, body = self._exchange(json.dumps(request).encode())
            except httpx2.TimeoutException as error:
                raise self._error(f"did not answer within {self._timeout:g} s") from error
            except (httpx2.NetworkError, httpx2.ProtocolError) as error:
                problem, cause = f"cannot be reached: {quoted(str(error), 200)}", error
                continue
            except httpx2.RequestError as error:
                raise self._error(f"could not be queried: {quoted(str(error), 200)}") from error
            if status == 200:
                return body
            problem, cause = f"answered {status}: {self._excerpt(body)}", None
            if status < 500:
                raise self._error(problem, _HINTS.get(status))
        raise self._error(f"{problem} (tried twice)") from cause

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.close()

    def _exchange(self, content: bytes) -> tuple[int, bytes]:
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        with self._open().stream("POST", self._url, content=content) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _MAX_RESPONSE_BYTES:
                    raise self._error(f"sent more than {_MAX_RESPONSE_BYTES} bytes")
                # The timeout of httpx2 is per chunk, which a slow trickle never exceeds.
                if time.monotonic() > deadline:
                    raise self._error(f"did not finish its answer within {self._timeout:g} s")
            return response.status_code, bytes(body)

    def _open(self) -> httpx2.Client:
        import httpx2  # slow to import

        with self._lock:
            if self._closed:
                raise self._error("was closed")
            if self._client is None:
                headers = {"Content-Type": "application/json"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                self._client = httpx2.Client(headers=headers, timeout=self._timeout)
            return self._client

    def _excerpt(self, body: bytes) -> str:
        """Return the start of an error page, without the API key, which some servers echo."""
        text = body[:2000].decode(errors="replace")
        return quoted(text.replace(self._key, "***") if self._key else text, 200)

    def _error(self, problem: str, hint: str | None = None) -> RememError:
        text = f"the {self._service.name} at {self._display_url} {problem}"
        return self._service.error_type(text, hint=hint)


def _address(base_url: str, service: Service) -> tuple[str, str]:
    """Return the URL to post to, and the same without credentials, for display."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"the {service.name}'s URL is invalid: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(
            f"the {service.name}'s URL must begin with http:// or https:// and name a host",
            hint="for example http://localhost:11434/v1",
        )
    path = (parts.path.rstrip("/") or service.default_path) + service.path
    shown_host = f"[{host}]" if ":" in host else host
    display_url = f"{parts.scheme}://{shown_host}{f':{port}' if port else ''}{path}"
    return parts._replace(path=path, query="", fragment="").geturl(), display_url


def array_in(answer: str) -> list[Any]:
    """Return the JSON array in a model's answer, which may have text and brackets around it.

    This is the first array that contains an object, or the last array if the answer contains no
    brace at all. Raise ModelError if there is no such array.
    """
    decoder = json.JSONDecoder()
    start = answer.find("[")
    last: list[Any] | None = None
    for _ in range(_MAX_BRACKETS):
        if start < 0:
            break
        try:
            values, end = decoder.raw_decode(answer, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if any(isinstance(value, dict) for value in values):
                return list(values)
            last = values
        start = answer.find("[", end)
    if last is None or "{" in answer:
        raise ModelError(f"the model's answer is not a JSON array: {quoted(answer, 80)}")
    return last
