"""A real server, started and ended by its process id."""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import httpx

from .database import Database

START_S = 90.0


class Server:
    """One server on an empty database, with a first account and keys."""

    def __init__(self) -> None:
        program = os.environ.get("IMPRI_BIN", "")
        if not Path(program).is_file():
            raise RuntimeError("IMPRI_BIN must name the server's program; scripts/test sdk builds one.")
        self._program = program
        self._database = Database()
        self._port = _free_port()
        self._log = tempfile.NamedTemporaryFile(prefix="impri-sdk-", suffix=".log")  # noqa: SIM115 - kept open
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.resume()
            self.agent_key = self.key("sdk-agent", "actions")
            self.decider_key = self.key("sdk-decider", "decide")
            self.admin_key = self.key("sdk-admin", "admin")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def environment(self) -> dict[str, str]:
        # The server refuses variables with its prefix that it does not know.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("IMPRI_", "DATABASE_"))}
        return {**clean, **self._database.environment}

    def resume(self) -> None:
        """Starts it, again on the same address if it was killed."""
        account = {"IMPRI_ADMIN_EMAIL": "ada@example.org", "IMPRI_ADMIN_PASSWORD": "correct horse battery"}
        self._process = subprocess.Popen(
            [self._program, "serve", "--listen", f"127.0.0.1:{self._port}", "--allow-private-targets"],
            env={**self.environment(), **account},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        late = time.monotonic() + START_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > late:
                raise RuntimeError(f"The server did not start:\n{self.log}")
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    @property
    def log(self) -> str:
        return Path(self._log.name).read_text(errors="replace")

    def kill(self) -> None:
        """Ends it without a word, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)
        self._database.drop()
        self._log.close()

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def key(self, name: str, scope: str) -> str:
        made = subprocess.run(
            [self._program, "keys", "create", "--name", name, "--scope", scope],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return made.stdout.strip()

    def let_time_pass(self, action_id: str, seconds: int) -> None:
        """Moves an action into the past: the shortest wait that the API allows is five minutes."""
        past = ", ".join(f"{name} = {name} - interval '{seconds} s'" for name in ("created_at", "expires_at"))
        self._database.sql(f"update action set {past} where action_id = '{_uuid(action_id)}'")

    def webhook_secret(self) -> str:
        shown = subprocess.run(
            [self._program, "project", "show", "--secret"],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return shown.stdout.rpartition("webhook secret")[2].strip()

    def count_actions(self, kind: str) -> int:
        return int(self._database.sql(f"select count(*) from action where kind = '{kind}'")[0][0])


def _uuid(action_id: str) -> uuid.UUID:
    return uuid.UUID(bytes=base64.urlsafe_b64decode(action_id.removeprefix("act_") + "=="))


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
