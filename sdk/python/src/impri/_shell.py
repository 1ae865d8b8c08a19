"""Shell commands behind a gate: how one is shown, run and told of."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from typing import IO, Any

from ._gate import ApprovedAction

# Seconds after which a command is stopped.
RUN_TIMEOUT_S = 120.0
# How long a command waits for its approval: an agent that waits longer has lost its thread.
EXPIRES_IN_S = 1800
# How much of what it printed is returned: the end.
READ_BYTES = 1024 * 1024
# How much of it is reported: the end, where the error stands.
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
        # Files, not pipes: something that the command leaves running may hold a pipe open for ever.
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            process = subprocess.Popen(  # noqa: S602 - a shell command is what was approved
                approved.payload["command"],
                shell=True,
                cwd=approved.payload["cwd"],
                env={name: value for name, value in os.environ.items() if name not in SECRETS},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                code = process.wait(self._run_timeout_s)
            except BaseException as error:
                _stop(process)
                detail = f"{type(error).__name__} after it had begun; it was stopped."
                if isinstance(error, subprocess.TimeoutExpired):
                    detail = f"Stopped after {self._run_timeout_s:g} seconds."
                printed = _report(None, _read(stdout), _read(stderr))
                approved.set_result(succeeded=False, detail=detail, payload=printed)
                raise
            out, err = _read(stdout), _read(stderr)
        approved.set_result(succeeded=code == 0, payload=_report(code, out, err))
        if code == 0:
            return out or err or "The command ended with 0."
        return f"The command ended with {code}.\n{out}{err}".rstrip()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stops the command and its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.wait()


def _read(file: IO[bytes]) -> str:
    """What was printed; of more than the model could read, the end."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - READ_BYTES))
    text = file.read().decode(errors="replace")
    return text if size <= READ_BYTES else f"[{size - READ_BYTES} bytes before this are left out]\n{text}"


def _report(code: int | None, stdout: str, stderr: str) -> dict[str, Any]:
    output = {"exit_code": code, "stdout": _end(stdout), "stderr": _end(stderr)}
    return {name: value for name, value in output.items() if value not in (None, "") or name == "stdout"}


def _end(text: str) -> str:
    return text.replace("\0", "\ufffd")[-REPORTED_CHARS:]


def _fenced(command: str) -> str:
    """A code block that nothing in the command can close."""
    longest = max((len(run) for run in re.findall(r"`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}bash\n{command}\n{fence}"
