"""Every way through a gate, and every way that must not lead through: nothing runs but what was approved, once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from impri import (
    ImpriAlreadyRun,
    ImpriApiError,
    ImpriClient,
    ImpriConflict,
    ImpriConnectionError,
    ImpriError,
    ImpriExpired,
    ImpriIntegrityError,
    ImpriNotApproved,
    ImpriProtocolError,
    ImpriRejected,
    ImpriUnauthorized,
)
from impri._content import content_of, digest

from .support import broken as answers
from .support.broken import Broken
from .support.person import Person, meanwhile
from .support.server import Server
from .support.ways import WAYS, Way, runs

QUICK = {"timeout_s": 5.0, "retry_for_s": 0.5, "outage_s": 0.5}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = WAYS[request.param]
    return chosen


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


def test_an_approval_lets_it_run_once_and_the_result_is_reported(
    way: Way, server: Server, person: Person, kind: str, mark: Path
) -> None:
    with meanwhile(lambda: person.approve(kind)):
        way(server.agent_key, server.url, {}, kind, mark)
    assert runs(mark) == 1
    (action,) = person.all(kind)
    assert action.status == "executed"
    assert person.read(action.id).claimed_at is not None


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (Person.reject, ImpriRejected),
        (Person.let_expire, ImpriExpired),
        (Person.run_elsewhere, ImpriAlreadyRun),
        (Person.claim_elsewhere, ImpriConflict),
    ],
)
def test_a_no_lets_nothing_run(
    way: Way, act: Any, expected: type[ImpriError], server: Server, person: Person, kind: str, mark: Path
) -> None:
    there = Broken([answers.forward(server.url)])
    # What happens before the wait begins has happened when the first read arrives.
    there.before_reading = lambda: act(person, kind)
    with pytest.raises(expected):
        way(server.agent_key, there.url, QUICK, kind, mark)
    there.close()
    assert runs(mark) == 0


Tell = Callable[[str], answers.Answer]


def changed(**members: Any) -> Tell:
    """The real server's answer, with other members."""
    return lambda url: answers.forward(url, lambda value: {**value, **members})


def approved(**members: Any) -> Tell:
    """The real server's answer, made into an approval of what was proposed."""

    def change(value: Any) -> Any:
        return {**value, "status": "approved", "approved_sha256": value["content_sha256"], **members}

    return lambda url: answers.forward(url, change)


def consistent(**members: Any) -> Tell:
    """An approval of other content, with the digest of just that content."""

    def change(value: Any) -> Any:
        made = {**value, "status": "approved", **members}
        return {**made, "approved_sha256": digest(content_of(made))}

    return lambda url: answers.forward(url, change)


def always(answer: answers.Answer) -> Tell:
    return lambda _: answer


# What is told in place of the truth, and what becomes of it.
ON_CREATE: dict[str, tuple[Tell, type[ImpriError]]] = {
    "another content's digest": (changed(content_sha256="0" * 64), ImpriIntegrityError),
    "no digest": (changed(content_sha256=None), ImpriIntegrityError),
    "no id": (changed(id=None), ImpriProtocolError),
    "approved at once, by nobody": (approved(), ImpriExpired),
    "a page": (always(answers.raw("200 OK", b"<html>ok</html>")), ImpriProtocolError),
    "half an answer": (always(answers.raw("201 Created", b'{"id": "act_')), ImpriProtocolError),
    "no answer": (always(answers.hang_up), ImpriConnectionError),
}
ON_READ: dict[str, tuple[Tell, type[ImpriError]]] = {
    "approved, without a digest": (changed(status="approved"), ImpriIntegrityError),
    "approved, and not so at the claim": (approved(), ImpriConflict),
    "approved, with another title": (approved(title="other"), ImpriIntegrityError),
    "approved, with other arguments": (approved(payload={"path": "/"}), ImpriIntegrityError),
    "approved, with an edit that is not allowed": (consistent(title="other"), ImpriIntegrityError),
    "approved, with a payload that nobody proposed": (consistent(payload={"path": "/"}), ImpriIntegrityError),
    "approved, for another address": (consistent(target_url="https://example.org/"), ImpriIntegrityError),
    "approved, and the decision is a no": (approved(decision={"verdict": "reject"}), ImpriIntegrityError),
    "a status that nobody knows": (changed(status="on_hold"), ImpriNotApproved),
    "another action": (approved(id="act_other"), ImpriProtocolError),
    "a bad gateway": (always(answers.raw("502 Bad Gateway", b"<html></html>")), ImpriApiError),
    "a redirect": (always(answers.raw("302 Found", b"", "Location: /login")), ImpriProtocolError),
    "half an answer": (always(answers.raw("200 OK", b'{"status": "approved"')), ImpriProtocolError),
    "no answer": (always(answers.hang_up), ImpriConnectionError),
}
ON_CLAIM: dict[str, tuple[Tell, type[ImpriError]]] = {
    "other content than was approved": (consistent(title="other"), ImpriIntegrityError),
    "still pending": (changed(status="pending"), ImpriNotApproved),
    "a page": (always(answers.raw("200 OK", b"<html>ok</html>")), ImpriProtocolError),
}
LIES = [
    pytest.param(where, *lie, id=f"{where}: {what}")
    for where, lies in (("create", ON_CREATE), ("read", ON_READ), ("claim", ON_CLAIM))
    for what, lie in lies.items()
]


@pytest.mark.parametrize(("where", "tell", "expected"), LIES)
def test_a_lie_on_the_way_lets_nothing_run(
    way: Way,
    where: str,
    tell: Tell,
    expected: type[ImpriError],
    server: Server,
    person: Person,
    kind: str,
    mark: Path,
) -> None:
    lie, honest = tell(server.url), answers.forward(server.url)

    def answer(connection: socket.socket, asked: answers.Asked) -> None:
        at = {"GET": "read"}.get(asked.method) or asked.path.rsplit("/", 1)[1].replace("actions", "create")
        (lie if at == where else honest)(connection, asked)

    there = Broken([answer])
    if expected is ImpriExpired:
        # Nobody decides, so a wait that goes on ends with the action's time.
        there.before_reading = lambda: person.let_expire(kind)
    if where == "claim":
        there.before_reading = lambda: person.approve(kind)
    with pytest.raises(expected):
        way(server.agent_key, there.url, QUICK, kind, mark)
    there.close()
    assert runs(mark) == 0


def test_a_claim_whose_answer_is_lost_lets_nothing_run(
    way: Way, server: Server, person: Person, kind: str, mark: Path
) -> None:
    honest = answers.forward(server.url)
    lossy = answers.forward(server.url, then=answers.hang_up)

    def answer(connection: socket.socket, asked: answers.Asked) -> None:
        (lossy if asked.path.endswith("/claim") else honest)(connection, asked)

    there = Broken([answer])
    with meanwhile(lambda: person.approve(kind)), pytest.raises(ImpriError):
        way(server.agent_key, there.url, QUICK, kind, mark)
    assert [asked.path.endswith("/claim") for asked in there.asked].count(True) > 1
    there.close()
    assert runs(mark) == 0


def test_a_server_that_is_not_there_lets_nothing_run(way: Way, kind: str, mark: Path) -> None:
    closed = Broken([answers.hang_up])
    closed.close()
    with pytest.raises(ImpriConnectionError):
        way("im_a", closed.url, QUICK, kind, mark)
    assert runs(mark) == 0


def test_a_key_that_may_not_propose_lets_nothing_run(way: Way, server: Server, kind: str, mark: Path) -> None:
    for key in (server.decider_key, "im_nobody"):
        with pytest.raises(ImpriUnauthorized):
            way(key, server.url, {}, kind, mark)
    assert runs(mark) == 0


def test_a_crash_of_the_server_in_a_wait_lets_it_run_once_after_all(
    way: Way, own_server: Server, kind: str, mark: Path
) -> None:
    def crash() -> None:
        with Person(own_server) as somebody:
            somebody.find(kind)
            own_server.kill()
            own_server.resume()
            somebody.approve(kind)

    with meanwhile(crash):
        way(own_server.agent_key, own_server.url, {"timeout_s": 5.0}, kind, mark)
    assert runs(mark) == 1
    assert own_server.count_actions(kind) == 1


def test_a_lost_report_does_not_hide_the_result(
    way: Way, server: Server, person: Person, kind: str, mark: Path, caplog: pytest.LogCaptureFixture
) -> None:
    honest = answers.forward(server.url)

    def answer(connection: socket.socket, asked: answers.Asked) -> None:
        (answers.hang_up if asked.path.endswith("/result") else honest)(connection, asked)

    there = Broken([answer])
    with meanwhile(lambda: person.approve(kind)):
        way(server.agent_key, there.url, QUICK, kind, mark)
    there.close()
    assert runs(mark) == 1
    assert "could not be reported" in caplog.text


def test_lost_answers_do_not_propose_twice(way: Way, server: Server, person: Person, kind: str, mark: Path) -> None:
    honest = answers.forward(server.url)
    lossy = [answers.forward(server.url, then=then) for then in (answers.hang_up, answers.raw("502 B", b""))]

    def answer(connection: socket.socket, asked: answers.Asked) -> None:
        (lossy.pop() if asked.path == "/v1/actions" and lossy else honest)(connection, asked)

    there = Broken([answer])
    with meanwhile(lambda: person.approve(kind)):
        way(server.agent_key, there.url, {"timeout_s": 5.0}, kind, mark)
    creates = [asked for asked in there.asked if asked.path == "/v1/actions"]
    there.close()
    assert (len(creates), len({asked.body for asked in creates})) == (3, 1)
    assert server.count_actions(kind) == 1
    assert runs(mark) == 1


def test_of_two_workers_one_runs_it(server: Server, person: Person, kind: str, mark: Path) -> None:
    outcomes: list[str] = []

    def work() -> None:
        try:
            with (
                ImpriClient(server.agent_key, base_url=server.url) as client,
                client.gate(kind, "t", {"format": "plain", "body": "b"}, idempotency_key=kind),
                mark.open("a") as file,
            ):
                file.write("ran\n")
            outcomes.append("ran")
        except (ImpriConflict, ImpriAlreadyRun) as other:
            outcomes.append(type(other).__name__)

    workers = [threading.Thread(target=work) for _ in range(5)]
    for worker in workers:
        worker.start()
    person.approve(kind)
    for worker in workers:
        worker.join(60)
    assert (len(outcomes), outcomes.count("ran"), runs(mark)) == (5, 1, 1)
    assert server.count_actions(kind) == 1
