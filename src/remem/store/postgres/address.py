"""The address of a PostgreSQL store: the URL of a database, and the name of a workspace in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit
from uuid import UUID, uuid5

from remem.errors import ConfigError, quoted

SCHEMES: Final = ("postgresql", "postgres")
_EXAMPLE: Final = "postgresql://remem@db.example.com/memory"
_SCOPE_ID_NAMESPACE: Final = UUID("5f2f7d9e-2f0e-4f4b-9a4b-6d1f2f0c8a51")
_WORKSPACE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_MASK: Final = "***"
_PASSWORD: Final = re.compile(r"(?i)(\b\w+://[^\s/?#@:]*):\S*@")
_PASSWORD_OPTION: Final = re.compile(r"(?i)(\bpassword=)[^\s&'\"]+")


def is_address(store: str) -> bool:
    """Return whether the setting `store` is the URL of a PostgreSQL database."""
    return store.partition("://")[0] in SCHEMES


def mask_password(text: str) -> str:
    """Return a text with `***` in place of the passwords of the URLs in it."""
    return _PASSWORD_OPTION.sub(rf"\1{_MASK}", _PASSWORD.sub(rf"\1:{_MASK}@", text))


@dataclass(frozen=True, slots=True, repr=False)
class Address:
    """The database that contains a workspace.

    Its `str` shows no password, but `url` may contain one.
    """

    url: str
    workspace: str

    def __str__(self) -> str:
        return mask_password(self.url)

    __repr__ = __str__

    def scope_id(self, scope: str) -> UUID:
        """Return the id of a scope of this workspace; an empty name means the list of scopes."""
        return uuid5(_SCOPE_ID_NAMESPACE, f"{self.workspace}\n{scope}")


def parse_address(store: str, default_workspace: str = "") -> Address:
    """Return the address in the setting `store`.

    `?workspace=NAME` in the URL overrides the default name of the workspace.
    """
    parts = _split(store)
    options = parse_qsl(parts.query, keep_blank_values=True)
    workspaces = [value for name, value in options if name == "workspace"]
    workspace = workspaces[-1] if workspaces else default_workspace
    if not _WORKSPACE_NAME.fullmatch(workspace):
        raise ConfigError(
            f"{quoted(workspace)} is not a valid name of a workspace",
            hint="use up to 63 letters, digits, dots, hyphens and underscores",
        )
    other_options = [(name, value) for name, value in options if name != "workspace"]
    query = urlencode(other_options, quote_via=quote)
    url = urlunsplit(("postgresql", parts.netloc, parts.path, query, ""))
    _require_valid(url)
    return Address(url, workspace)


def _split(store: str) -> SplitResult:
    try:
        parts = urlsplit(store)
        _ = parts.port
    except ValueError:
        raise _invalid(store) from None  # its text may contain the password
    if parts.scheme not in SCHEMES or not parts.path.strip("/"):
        raise _invalid(store)
    return parts


def _require_valid(url: str) -> None:
    """Raise ConfigError if libpq cannot parse the URL."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except ProgrammingError:
        raise _invalid(url) from None  # its text may contain the password


def _invalid(url: str) -> ConfigError:
    return ConfigError(
        f"{quoted(mask_password(url), 200)} is not the URL of a PostgreSQL database",
        hint=f"it looks like {_EXAMPLE}; encode special characters of the password as %XX",
    )
