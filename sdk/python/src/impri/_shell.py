"""Shell commands behind a gate: how one is shown, run and told of."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import Any

from ._gate import ApprovedAction

# Seconds after which a command is stopped.
RUN_TIMEOUT_S = 120.0
# How long a command waits for its approval: an agent that waits longer has lost its thread.
EXPIRES_IN_S = 1800
# How much of what it printed is reported: the end, where the error stands.
REPORTED_CHARS = 2_000
TITLE_CHARS = 60
# What a command has no business with: it would be another way to talk to the server.
SECRETS = ("IMPRI_API_KEY",)


class Job:
    """A command, from the proposal to the report."""

    def __init__(
        self,
        command: str,
        purpose: str,
        *,
        cwd: str | None = None,
        run_timeout_s: float = RUN_TIMEOUT_S,
        kind: str = "code.execute",
        undo: str = "Nothing undoes this by itself; look at what the command does before you approve it.",
        expires_in: int = EXPIRES_IN_S,
        **options: Any,
    ) -> None:
        """Takes what is to be run, why and where."""
        self._command = command
        self._purpose = purpose
        self._cwd = os.path.abspath(cwd or os.getcwd())
        self._run_timeout_s = run_timeout_s
        self._options = {**options, "kind": kind, "undo": undo, "expires_in": expires_in}

    def proposal(self) -> dict[str, Any]:
        """The arguments of `client.gate`. Nothing is editable: a command is approved as it is, or not."""
        line = " ".join(self._command.split())
        first = line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
        quoted = "\n".join(f"> {each}" for each in self._purpose.splitlines() or [""])
        body = f"{_fenced(self._command)}\n\nin `{self._cwd}`. Its purpose, as the agent says:\n\n{quoted}\n"
        return {
            "idempotent": False,
            **self._options,
            "title": f"Run: {first}",
            "preview": {"format": "markdown", "body": body},
            "payload": {"command": self._command, "purpose": self._purpose, "cwd": self._cwd},
            "editable": [],
        }

    def run(self, approved: ApprovedAction) -> str:
        """Runs the approved command, notes the result and returns what to tell the agent."""
        command, cwd = approved.payload["command"], approved.payload["cwd"]
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        with subprocess.Popen(  # noqa: S602 - a shell command is what was approved
            command,
            shell=True,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                stdout, stderr = process.communicate(timeout=self._run_timeout_s)
            except BaseException as error:
                _stop(process)
                stdout, stderr = process.communicate()
                detail = f"{type(error).__name__} after it had begun; it was stopped."
                if isinstance(error, subprocess.TimeoutExpired):
                    detail = f"Stopped after {self._run_timeout_s:g} seconds."
                approved.set_result(succeeded=False, detail=detail, payload=_output(None, stdout, stderr))
                raise
        code = process.returncode
        approved.set_result(succeeded=code == 0, payload=_output(code, stdout, stderr))
        if code == 0:
            return stdout or stderr or "The command ended with 0."
        return f"The command ended with {code}.\n{stdout}{stderr}".rstrip()


def _stop(process: subprocess.Popen[str]) -> None:
    """Stops the command and everything that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _output(code: int | None, stdout: str, stderr: str) -> dict[str, Any]:
    output = {"exit_code": code, "stdout": _end(stdout), "stderr": _end(stderr)}
    return {name: value for name, value in output.items() if value not in (None, "") or name == "stdout"}


def _end(text: str) -> str:
    return text.replace("\0", "\ufffd")[-REPORTED_CHARS:]


def _fenced(command: str) -> str:
    """A code block that nothing in the command can close."""
    longest = max((len(run) for run in re.findall(r"`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}bash\n{command}\n{fence}"
