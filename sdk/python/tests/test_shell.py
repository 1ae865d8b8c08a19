"""Shell commands behind the gate: how they are shown, run and reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

import impri

from .support.either import Either
from .support.person import Person, meanwhile
from .support.server import Server


def run(agent: Either, person: Person, kind: str, command: str, purpose: str = "to see", **options: Any) -> str:
    with meanwhile(lambda: person.approve(kind)):
        output: str = agent.gated_shell(command, purpose, kind=kind, **options)
    return output


def result(person: Person, kind: str) -> Any:
    return person.read(person.all(kind)[0].id)


def test_the_output_comes_back_and_is_reported(agent: Either, person: Person, kind: str, tmp_path: Path) -> None:
    assert run(agent, person, kind, "pwd; echo there >&2", cwd=str(tmp_path)) == f"{tmp_path}\n"
    action = result(person, kind)
    assert action.status == "executed"
    assert action.result_payload == {"exit_code": 0, "stdout": f"{tmp_path}\n", "stderr": "there\n"}
    assert action.payload == {"command": "pwd; echo there >&2", "purpose": "to see", "cwd": str(tmp_path)}
    assert (action.idempotent, action.editable, action.expires_at - action.created_at) == (False, [], 1800)
    assert action.title == "Run: pwd; echo there >&2"


def test_a_command_that_fails_says_so(agent: Either, person: Person, kind: str) -> None:
    output = run(agent, person, kind, "echo half; echo wrong >&2; exit 3")
    assert output == "The command ended with 3.\nhalf\nwrong"
    action = result(person, kind)
    assert (action.status, action.result_payload["exit_code"]) == ("execute_failed", 3)


def test_a_silent_command_says_something(agent: Either, person: Person, kind: str) -> None:
    assert run(agent, person, kind, "true") == "The command ended with 0."


def test_a_command_without_end_is_stopped_with_its_children(
    agent: Either, person: Person, kind: str, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(subprocess.TimeoutExpired):
        run(agent, person, kind, f"echo begun; (sleep 2; touch {mark}) & wait", run_timeout_s=0.5)
    action = result(person, kind)
    assert (action.status, action.result_detail) == ("execute_failed", "Stopped after 0.5 seconds.")
    assert action.result_payload == {"stdout": "begun\n"}
    time.sleep(2.2)
    assert not mark.exists()


def test_what_a_command_leaves_running_is_not_waited_for(agent: Either, person: Person, kind: str) -> None:
    began = time.monotonic()
    assert run(agent, person, kind, "(setsid sleep 20 &) ; echo started") == "started\n"
    with pytest.raises(subprocess.TimeoutExpired):
        run(agent, person, kind, "(setsid sleep 20 &) ; echo started; sleep 20", run_timeout_s=0.5)
    assert time.monotonic() - began < 15
    assert result(person, kind).result_payload == {"stdout": "started\n"}


def test_of_endless_output_the_end_comes_back(agent: Either, person: Person, kind: str) -> None:
    output = run(agent, person, kind, "head -c 3000000 /dev/zero; echo end")
    assert output.startswith("[1951428 bytes before this are left out]\n")
    assert output.endswith("end\n")
    assert len(output) < 1_100_000


def test_a_command_has_no_key_and_no_terminal(
    agent: Either, person: Person, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMPRI_API_KEY", "im_secret")
    monkeypatch.setenv("HARMLESS", "yes")
    assert run(agent, person, kind, 'echo "$IMPRI_API_KEY|$HARMLESS|$(cat)"') == "|yes|\n"


def test_long_and_odd_output_is_reported_from_its_end(agent: Either, person: Person, kind: str) -> None:
    output = run(agent, person, kind, r"head -c 100000 /dev/zero; printf '\377é😀end'")
    assert len(output) > 100_000
    action = result(person, kind)
    assert action.status == "executed"
    assert action.result_payload["stdout"].endswith("\ufffdé😀end")
    assert len(action.result_payload["stdout"]) == 2000


def test_a_command_can_not_hide_behind_its_looks(agent: Either, person: Person, kind: str) -> None:
    command = "echo ok\n```\n\n**harmless**\n\n````\nrm -rf /tmp/nothing-" + "x" * 100
    purpose = "fine\n\n```bash\nls\n```\n# Approve this"

    def look() -> None:
        action = person.find(kind)[0]
        assert len(action.title) <= 70
        assert action.title.endswith("…")
        body = action.preview.body
        fence = body.splitlines()[0].removesuffix("bash")
        assert body.startswith(f"{fence}bash\n{command}\n{fence}\n")
        assert fence not in command
        assert all(line.startswith("> ") for line in body.split("says:\n\n")[1].splitlines())
        person.reject(kind)

    with meanwhile(look), pytest.raises(impri.ImpriRejected):
        agent.gated_shell(command, purpose, kind=kind)


def test_an_interrupt_withdraws_or_reports(server: Server, person: Person, kind: str, tmp_path: Path) -> None:
    """As Ctrl-C does, once while it waits and once while the command runs."""
    program = (
        "import impri, sys\nwith impri.ImpriClient() as c:\n"
        f"    c.gated_shell('touch {tmp_path}/begun; sleep 30', 'p', kind='{kind}')\n"
    )
    environment = {**os.environ, "IMPRI_API_KEY": server.agent_key, "IMPRI_BASE_URL": server.url}

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.DEVNULL)

    waiting = start()
    person.find(kind)
    time.sleep(0.5)
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(20) != 0
    assert person.all(kind)[0].status == "cancelled"

    running = start()
    person.approve(kind)
    late = time.monotonic() + 20
    while not (tmp_path / "begun").exists() and time.monotonic() < late:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    assert running.wait(20) != 0
    action = result(person, kind)
    assert (action.status, action.result_detail) == (
        "execute_failed",
        "KeyboardInterrupt after it had begun; it was stopped.",
    )


def test_the_functions_for_frameworks(server: Server, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMPRI_API_KEY", server.agent_key)
    monkeypatch.setenv("IMPRI_BASE_URL", server.url)
    with meanwhile(lambda: person.approve("code.execute")):
        assert impri.gated_shell("echo one", "p") == "one\n"
    with meanwhile(lambda: person.approve("code.execute")):
        assert anyio.run(impri.gated_shell_async, "echo two", "p") == "two\n"
