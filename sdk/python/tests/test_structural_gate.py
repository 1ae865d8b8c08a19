"""The executor of examples/structural_gate.py: without a receipt there is no way to what its credential pays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from impri import Action, ImpriClient, fetch_jwks

from .support.person import Person
from .support.server import Server

EXAMPLE = Path(__file__).parents[1] / "examples" / "structural_gate.py"
SOURCE = Path(__file__).parents[1] / "src"
KIND = "refund.pay"
TOKEN = "the-token-that-pays"


class Refunds:
    """The service that pays, to whoever has the token."""

    def __init__(self) -> None:
        self.paid: list[Any] = []
        self.status = 200
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                allowed = self.headers["Authorization"] == f"Bearer {TOKEN}"
                status = service.status if allowed else 401
                if status == 200:
                    service.paid.append(body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def refunds() -> Iterator[Refunds]:
    running = Refunds()
    yield running
    running.close()


def environment(server: Server, key: str, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("IMPRI_")}
    own = {"IMPRI_API_KEY": key, "IMPRI_BASE_URL": server.url, "PYTHONPATH": str(SOURCE)}
    return {**clean, **own, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **more}


def project_of(server: Server) -> str:
    with ImpriClient(server.admin_key, base_url=server.url) as admin:
        return str(admin.get_project()["id"])


@pytest.fixture
def executor(server: Server, refunds: Refunds, tmp_path: Path) -> Iterator[str]:
    """The executor's address. It has the token; nobody else has."""
    (tmp_path / "jwks.json").write_text(json.dumps(fetch_jwks(server.url)))
    running = subprocess.Popen(
        [
            *(sys.executable, str(EXAMPLE), "executor", "--jwks", str(tmp_path / "jwks.json")),
            *("--project", project_of(server), "--refunds", refunds.url, "--listen", "127.0.0.1:0"),
        ],
        env=environment(server, server.key("executor", "actions"), REFUNDS_TOKEN=TOKEN),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdout is not None
    yield f"http://{running.stdout.readline().split()[-1]}/"
    running.terminate()
    running.wait(30)
    running.stdout.close()


def start_agent(server: Server, executor: str, order: str) -> subprocess.Popen[str]:
    own = environment(server, server.agent_key)
    assert "REFUNDS_TOKEN" not in own
    command = [sys.executable, str(EXAMPLE), "agent", "--executor", executor, order, "19.90"]
    return subprocess.Popen(command, env=own, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def ended(agent: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = agent.communicate(timeout=120)
    return agent.returncode, said


def hand(executor: str, receipt: Any, content: Any) -> httpx.Response:
    return httpx.post(executor, json={"receipt": receipt, "content": content}, timeout=60, trust_env=False)


def approved(server: Server, **members: Any) -> Action:
    """An approved refund that nobody has claimed."""
    proposal = {"payload": {"order": "order-1", "amount": "19.90"}, "editable": ["payload.amount"], **members}
    agent = ImpriClient(server.agent_key, base_url=server.url)
    with agent, ImpriClient(server.decider_key, base_url=server.url) as decider:
        kind = proposal.pop("kind", KIND)
        action = agent.create_action(kind, "Pay back", {"format": "plain", "body": "19.90"}, **proposal)
        decider.decide(action.id, "approve")
        return agent.get_action(action.id)


def test_what_a_person_approved_is_paid_once_as_they_approved_it(
    server: Server, executor: str, refunds: Refunds, person: Person
) -> None:
    agent = start_agent(server, executor, "order-4711")
    action = person.approve(KIND, payload__amount="9.90")
    code, said = ended(agent)
    assert (code, refunds.paid) == (0, [{"order": "order-4711", "amount": "9.90"}]), said
    read = person.read(action.id)
    assert read.status == "executed"
    again = hand(executor, read.receipt, read)
    assert again.status_code == 403, "a receipt can be copied, the claim can't be made twice"
    assert len(refunds.paid) == 1


def test_what_a_person_rejected_is_not_paid(server: Server, executor: str, refunds: Refunds, person: Person) -> None:
    agent = start_agent(server, executor, "order-4712")
    action = person.reject(KIND)
    assert ended(agent)[0] == 1
    rejected = person.read(action.id)
    assert rejected.receipt
    answer = hand(executor, rejected.receipt, rejected)
    assert (answer.status_code, refunds.paid) == (403, [])
    assert "was rejected" in answer.json()["refused"]


def test_an_agent_that_lies_pays_nothing(server: Server, executor: str, refunds: Refunds) -> None:
    action = approved(server)
    receipt = action.receipt or ""
    dearer = {**action, "payload": {**action.payload, "amount": "1990"}}
    other = approved(server, kind="refund.ask")
    for lie in (
        hand(executor, receipt, dearer),
        hand(executor, receipt, {**dearer, "approved_sha256": action.approved_sha256}),
        hand(executor, receipt[:-2] + "AA", action),
        hand(executor, "", action),
        hand(executor, None, None),
        hand(executor, receipt, approved(server)),
        hand(executor, other.receipt, other),
    ):
        assert lie.status_code == 403, lie.text
    for nonsense in (b"x", b"[]", b"{}", b'"x"'):
        assert httpx.post(executor, content=nonsense, trust_env=False).status_code == 400
    straight = httpx.post(refunds.url, json=action.payload, trust_env=False)
    assert straight.status_code == 401, "the agent has nothing to pay with"
    assert refunds.paid == []
    assert hand(executor, receipt, action).status_code == 200, "after all these lies the truth still holds"
    assert refunds.paid == [action.payload]


def test_of_many_that_hand_the_same_receipt_one_sets_it_off(server: Server, executor: str, refunds: Refunds) -> None:
    action = approved(server, valid_for=600)
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(hand, executor, action.receipt, action) for _ in range(8)]
        codes = sorted(answer.result().status_code for answer in answers)
    assert codes == [200] + [403] * 7
    assert len(refunds.paid) == 1


def test_a_payment_that_fails_is_reported_and_not_repeated(
    server: Server, executor: str, refunds: Refunds, person: Person
) -> None:
    action = approved(server)
    refunds.status = 500
    assert hand(executor, action.receipt, action).status_code == 502
    assert person.read(action.id).status == "execute_failed"
    refunds.status = 200
    assert hand(executor, action.receipt, action).status_code == 403
    assert refunds.paid == []
