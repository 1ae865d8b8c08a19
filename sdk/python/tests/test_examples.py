"""The examples, as their readers run them: the real frameworks, a model with a script, the real server, a person."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .support.model import Model
from .support.person import Person, meanwhile
from .support.server import Server

EXAMPLES = Path(__file__).parents[1] / "examples"
SOURCE = Path(__file__).parents[1] / "src"
# The classic AutoGen can't be installed beside the others: it has an interpreter of its own.
CLASSIC = os.environ.get("IMPRI_TEST_PYTHON") or str(Path.home() / ".cache/impri/venv/bin/python")


@dataclass
class Example:
    """A program, the interpreter that has its framework, and the function that its model calls."""

    python: str
    program: str
    function: str


SHELLS = {
    "autogen": Example(CLASSIC, "autogen_classic.py", "gated_shell"),
    "ag2": Example(sys.executable, "ag2_agent.py", "gated_shell_async"),
    "agentchat": Example(sys.executable, "agentchat.py", "gated_shell_async"),
}
MAIL = Example(sys.executable, "openai_agents_tool.py", "send_email")


def environment(server: Server, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("IMPRI_")}
    return {
        **clean,
        "IMPRI_API_KEY": server.agent_key,
        "IMPRI_BASE_URL": server.url,
        "PYTHONPATH": str(SOURCE),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        **more,
    }


@contextmanager
def conversation(
    server: Server, example: Example, arguments: dict[str, Any], cwd: Path
) -> Iterator[Callable[[], Model]]:
    """Runs an example; what it gives waits for its end and returns the model with what it was told."""
    assert Path(example.python).exists(), f"{example.python} is missing: run scripts/setup test"
    model = Model(example.function, arguments)
    running = subprocess.Popen(
        [example.python, str(EXAMPLES / example.program), "See whether the worker is healthy."],
        env=environment(server, OPENAI_BASE_URL=model.url, OPENAI_API_KEY="sk-of-nobody"),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )

    def end() -> Model:
        output, _ = running.communicate(timeout=120)
        assert running.returncode == 0, output
        return model

    try:
        yield end
    finally:
        if running.poll() is None:
            running.kill()
        running.communicate()
        model.close()


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> Example:
    return SHELLS[request.param]


COMMAND = {"command": "echo ran >> mark && echo worker is healthy", "purpose": "See whether the worker is healthy."}


def test_an_agents_command_runs_once_it_is_approved(
    shell: Example, server: Server, person: Person, tmp_path: Path
) -> None:
    with conversation(server, shell, COMMAND, tmp_path) as end:
        action = person.approve("code.execute")
        model = end()
    assert action.preview.body.startswith("```bash\necho ran >> mark && echo worker is healthy\n```")
    assert [each["function"]["name"] for each in model.asked[0]["tools"]] == [shell.function], "the only way to a shell"
    assert len(model.asked) == 2, "one call, one answer"
    assert "worker is healthy" in model.told()[0]
    assert (tmp_path / "mark").read_text() == "ran\n"
    assert person.read(action.id).status == "executed"


def test_an_agents_command_does_not_run_if_it_is_rejected(
    shell: Example, server: Server, person: Person, tmp_path: Path
) -> None:
    with conversation(server, shell, COMMAND, tmp_path) as end:
        person.reject("code.execute")
        model = end()
    assert "rejected: not on a Friday" in model.told()[0]
    assert "healthy" not in model.told()[0]
    assert not (tmp_path / "mark").exists()


LETTER = {"to": "sarah@example.org", "subject": "Review", "body": "On Monday."}


def test_mail_goes_out_as_it_was_approved(server: Server, person: Person, tmp_path: Path) -> None:
    with conversation(server, MAIL, LETTER, tmp_path) as end:
        action = person.approve("email.send", payload__body="On Tuesday.")
        model = end()
    assert action.title == "E-mail to sarah@example.org: Review"
    assert set(model.asked[0]["tools"][0]["function"]["parameters"]["properties"]) == {"to", "subject", "body"}
    assert "On Tuesday." in model.told()[0]
    sent = (tmp_path / "outbox.txt").read_text()
    assert "On Tuesday." in sent
    assert "On Monday." not in sent


def test_mail_does_not_go_out_if_it_is_rejected(server: Server, person: Person, tmp_path: Path) -> None:
    with conversation(server, MAIL, LETTER, tmp_path) as end:
        person.reject("email.send")
        model = end()
    assert "rejected: not on a Friday" in model.told()[0]
    assert not (tmp_path / "outbox.txt").exists()


def test_a_nightly_job_runs_once_however_often_it_is_started(server: Server, person: Person, tmp_path: Path) -> None:
    old, new = tmp_path / "old.tar", tmp_path / "new.tar"
    for file in (old, new):
        file.write_text("x")
    os.utime(old, (1_000_000_000, 1_000_000_000))

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(EXAMPLES / "cron_cleanup.py"), str(tmp_path), "30"],
            env=environment(server),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    stopped = start()
    person.find("files.remove")
    stopped.kill()
    stopped.communicate()
    first, second = start(), start()
    with meanwhile(lambda: person.approve("files.remove")):
        outputs = [each.communicate(timeout=60)[0] for each in (first, second)]
    assert sorted(output.split(" ")[0] for output in outputs) in (["Another", "Removed"], ["Nothing", "Removed"])
    assert not old.exists()
    assert new.exists()
    (action,) = person.all("files.remove")
    assert person.read(action.id).result_detail == "Removed 1 files."
    assert start().communicate(timeout=60)[0] == "Nothing is old.\n"
