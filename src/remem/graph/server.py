"""Queries to a graph server that speaks Bolt, such as Neo4j.

Queries are sent only after remem's own parser has accepted them, in a read-only transaction, and
with the same limits as other queries. Messages never contain the user name or the password.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from remem.errors import ConfigError, GraphServerError, quoted
from remem.graph.cypher.check import check
from remem.graph.cypher.failures import LimitReached
from remem.graph.cypher.limits import Limits
from remem.graph.cypher.parser import parse
from remem.graph.cypher.run import QueryResult, columns_of
from remem.graph.cypher.values import Node, Path, Relationship

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Session

_SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_CONNECT_SECONDS: Final = 10.0
_TIMEOUT_FACTOR: Final = 1.1
"""How much longer than its limit a query may take before its connection is closed."""
_EXAMPLE: Final = "neo4j://127.0.0.1:7687"
_SCHEMA: Final = (
    "MATCH (n) UNWIND labels(n) AS name RETURN 'label' AS kind, name, count(*) AS count",
    "MATCH ()-[r]->() RETURN 'type' AS kind, type(r) AS name, count(*) AS count",
)


@dataclass(frozen=True, slots=True)
class GraphServer:
    """A server at a URL; an empty `database` means its default database."""

    url: str
    user: str
    password: str
    database: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.username or parts.password:
            raise ConfigError(
                "the URL of the graph server contains a name or a password",
                hint="set NEO4J_USERNAME and NEO4J_PASSWORD in the environment instead",
            )
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise ConfigError(
                f"{quoted(self.url)} is not the URL of a graph server",
                hint=f"it looks like {_EXAMPLE}",
            )

    def __repr__(self) -> str:
        return f"GraphServer({self.url!r})"

    def query(self, text: str, parameters: Mapping[str, Any], limits: Limits) -> QueryResult:
        """Return the answer to a query; one that remem would refuse is not sent."""
        columns = columns_of(check(parse(text), parameters))

        def read(tx: ManagedTransaction) -> QueryResult:
            records = islice(tx.run(text, dict(parameters)), limits.rows + 1)
            rows = [tuple(map(_value, row)) for row in records]
            return QueryResult(columns, tuple(rows[: limits.rows]), cut=len(rows) > limits.rows)

        return self._read(read, limits)

    def schema(self, limits: Limits) -> QueryResult:
        """Return the labels and types of the server's graph with their counts."""

        def read(tx: ManagedTransaction) -> QueryResult:
            rows = [tuple(row) for query in _SCHEMA for row in tx.run(query)]
            return QueryResult(
                ("kind", "name", "count"), tuple(sorted(rows, key=lambda row: -row[2]))
            )

        return self._read(read, limits)

    def _read(
        self, read: Callable[[ManagedTransaction], QueryResult], limits: Limits
    ) -> QueryResult:
        """Read in a transaction with a time limit; a server that ignores it is disconnected."""
        from neo4j import unit_of_work
        from neo4j.exceptions import AuthError, Neo4jError

        with self.driver() as driver, self.session(driver) as session:
            timed_out = threading.Event()
            timer = threading.Timer(
                limits.seconds * _TIMEOUT_FACTOR, _disconnect, (timed_out, driver)
            )
            timer.start()
            try:
                return session.execute_read(unit_of_work(timeout=limits.seconds)(read))
            except AuthError:
                raise
            except Exception as error:  # after a disconnect, the driver raises errors of many types
                if timed_out.is_set() or _is_time_out(error):
                    raise LimitReached(
                        f"the query ran longer than {limits.seconds:g} seconds and was stopped",
                        hint="start from a node with a name, or bound the length of paths",
                    ) from None
                if not isinstance(error, Neo4jError):
                    raise
                raise GraphServerError(
                    f"the graph server refused the query: {error.message}",
                    hint="change the query, or check what the server supports",
                ) from None
            finally:
                timer.cancel()

    def session(self, driver: Driver) -> Session:
        return driver.session(database=self.database or None)

    @contextmanager
    def driver(self) -> Iterator[Driver]:
        """Connect to the server; failures are raised as errors that say what to do."""
        try:
            from neo4j import GraphDatabase
            from neo4j.exceptions import AuthError, DriverError, ServiceUnavailable
        except ImportError:
            raise ConfigError(
                "the driver for graph servers is not installed",
                hint="install it with pip install 'remem[neo4j]'",
            ) from None
        try:
            with GraphDatabase.driver(
                self.url,
                auth=(self.user, self.password),
                connection_timeout=_CONNECT_SECONDS,
                connection_acquisition_timeout=_CONNECT_SECONDS,
                max_transaction_retry_time=0,
            ) as driver:
                yield driver
        except AuthError:
            raise GraphServerError(
                f"the graph server at {self.url} refused the name or password",
                hint="check NEO4J_USERNAME and NEO4J_PASSWORD",
            ) from None
        except (ServiceUnavailable, DriverError) as error:
            raise GraphServerError(
                f"the graph server at {self.url} cannot be used: {error}",
                hint="check that it is running and that the URL is right",
            ) from None


def _disconnect(timed_out: threading.Event, driver: Driver) -> None:
    timed_out.set()
    driver.close()


def _is_time_out(error: Exception) -> bool:
    code = str(getattr(error, "code", ""))
    return "TimedOut" in code or "Terminated" in code


def _value(value: Any) -> Any:
    """Return a value of the driver as remem's own queries return it."""
    from neo4j.graph import Node as TheirNode
    from neo4j.graph import Path as TheirPath
    from neo4j.graph import Relationship as TheirRelationship

    match value:
        case TheirNode():
            return Node(value.element_id, frozenset(value.labels), _value(dict(value)))
        case TheirRelationship():
            start, end = (node.element_id if node else "" for node in value.nodes)
            return Relationship(value.element_id, value.type, start, end, _value(dict(value)))
        case TheirPath():
            nodes = tuple(map(_value, value.nodes))
            return Path(nodes, tuple(map(_value, value.relationships)))
        case list():
            return [_value(item) for item in value]
        case dict():
            return {key: _value(item) for key, item in value.items()}
        case None | bool() | int() | float() | str():
            return value
    return str(value)  # a temporal or spatial value
