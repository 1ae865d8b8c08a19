"""Waiting for a decision: what ends a wait, and what does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from impri import (
    ImpriAlreadyRun,
    ImpriCancelled,
    ImpriClient,
    ImpriConnectionError,
    ImpriExpired,
    ImpriIntegrityError,
    ImpriNotApproved,
    ImpriNotFound,
    ImpriProtocolError,
    ImpriRejected,
    ImpriTimeout,
    ImpriUnauthorized,
)

from .conftest import Make
from .support import broken as answers
from .support.broken import Broken
from .support.either import Either
from .support.person import Person, meanwhile
from .support.server import Server

PREVIEW = {"format": "plain", "body": "b"}


def test_a_decision_arrives_at_once(agent: Either, person: Person, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW, editable=["title"])
    decided_at = 0.0

    def decide() -> None:
        nonlocal decided_at
        time.sleep(0.5)
        person.approve(kind, title="T")
        decided_at = time.monotonic()

    with meanwhile(decide):
        approved = agent.await_decision(action["id"])
        heard_at = time.monotonic()
    assert (approved["status"], approved.title) == ("approved", "T")
    assert heard_at - decided_at < 1.0


def test_a_rejection_raises_with_its_reason(agent: Either, person: Person, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    with meanwhile(lambda: person.reject(kind)), pytest.raises(ImpriRejected, match="not on a Friday") as no:
        agent.await_decision(action.id)
    assert (no.value.action_id, no.value.comment) == (action.id, "not on a Friday")
    assert no.value.decision["verdict"] == "reject"
    assert no.value.final_preview["body"] == "b"


def test_expiry_cancellation_and_a_run_before_raise(agent: Either, decider: Either, kind: str, server: Server) -> None:
    def made() -> str:
        action_id: str = agent.create_action(kind, "t", PREVIEW).id
        return action_id

    expired = made()
    server.let_time_pass(expired, 3_000_000)
    with pytest.raises(ImpriExpired):
        agent.await_decision(expired)
    cancelled = made()
    agent.cancel(cancelled)
    with pytest.raises(ImpriCancelled):
        agent.await_decision(cancelled)
    for result in ("executed", "execute_failed"):
        run = made()
        decider.decide(run, "approve")
        agent.report_result(run, result)
        with pytest.raises(ImpriAlreadyRun) as before:
            agent.await_decision(run)
        assert before.value.status == result


def test_a_time_limit_raises_and_withdraws_nothing(agent: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    for limit in (0, 0.3, 1.4):
        began = time.monotonic()
        with pytest.raises(ImpriTimeout) as late:
            agent.await_decision(action.id, timeout_s=limit)
        assert limit <= time.monotonic() - began < limit + 2
    assert late.value.action_id == action.id
    assert agent.get_action(action.id).status == "pending"


def test_waiting_for_what_is_not_there_raises(agent: Either, make: Make, server: Server) -> None:
    with pytest.raises(ImpriNotFound):
        agent.await_decision("act_AAAAAAAAAAAAAAAAAAAAAA")
    with pytest.raises(ImpriUnauthorized):
        make("im_nobody", server.url).await_decision("act_AAAAAAAAAAAAAAAAAAAAAA")


def test_any_of_several(agent: Either, decider: Either, kind: str) -> None:
    made = [agent.create_action(kind, f"t{number}", PREVIEW).id for number in range(3)]
    assert agent.await_any(made, timeout_s=1) == []

    def decide() -> None:
        time.sleep(0.5)
        decider.decide(made[1], "reject")

    with meanwhile(decide):
        (ended,) = agent.await_any([*made, made[0]])
    assert (ended.id, ended.status) == (made[1], "rejected")
    with pytest.raises(ImpriNotFound):
        agent.await_any([*made, "act_AAAAAAAAAAAAAAAAAAAAAA"])


def test_a_wait_outlives_a_crash_of_the_server(make: Make, own_server: Server, kind: str) -> None:
    agent = make(own_server.agent_key, own_server.url, timeout_s=5)
    action = agent.create_action(kind, "t", PREVIEW)

    def crash() -> None:
        time.sleep(0.5)
        own_server.kill()
        time.sleep(1.5)
        own_server.resume()
        with Person(own_server) as person:
            person.approve(kind)

    with meanwhile(crash):
        assert agent.await_decision(action.id).status == "approved"


def test_a_server_that_stays_away_raises(make: Make, own_server: Server, kind: str) -> None:
    agent = make(own_server.agent_key, own_server.url, retry_for_s=0.5, outage_s=1.5)
    action = agent.create_action(kind, "t", PREVIEW)
    threading.Timer(0.5, own_server.kill).start()
    began = time.monotonic()
    with pytest.raises(ImpriConnectionError, match="got no answer"):
        agent.await_decision(action.id)
    assert time.monotonic() - began > 1.5
    with pytest.raises(ImpriConnectionError):
        agent.get_action(action.id)
    with pytest.raises(ImpriConnectionError):
        agent.await_decision(action.id, timeout_s=30)
    with pytest.raises(ImpriTimeout):
        agent.await_decision(action.id, timeout_s=0.5)


Start = Callable[..., Broken]
ACTION = {"id": "act_1", "status": "pending", "preview": PREVIEW}


def test_a_status_that_nobody_knows_is_not_approved(make: Make, broken: Start) -> None:
    for status in ("on_hold", "APPROVED", "approved ", ""):
        there = broken(answers.of_json({**ACTION, "status": status}))
        with pytest.raises(ImpriNotApproved, match="not 'approved'") as unknown:
            make("im_a", there.url).await_decision("act_1")
        assert unknown.value.status == status


@pytest.mark.parametrize(
    "answer",
    [
        answers.raw("200 OK", b"<html>approved</html>", "Content-Type: text/html"),
        answers.raw("200 OK", b'{"id": "act_1", "status": "appro'),
        answers.raw("200 OK", b'{"id": "act_1", "status": "approved"}', length=500),
        answers.raw("200 OK", b""),
        answers.raw("200 OK", b'"approved"'),
        answers.raw("200 OK", b"[" * 100_000),
        answers.raw("200 OK", b'{"id": "act_1", "status": "approved", "n": NaN}'),
        answers.raw("200 OK", b"\x1f\x8b nonsense", "Content-Encoding: gzip"),
        answers.of_json({"id": "act_1"}),
        answers.of_json({"id": "act_1", "status": True}),
        answers.of_json({"id": "act_2", "status": "approved"}),
        answers.raw("204 No Content", b""),
        answers.of_json({"id": "act_1", "status": "approved"}, "302 Found", "Location: https://example.org/"),
        answers.of_json({"id": "act_1", "status": "approved"}, "299 Fine"),
        answers.of_json({"id": "act_1", "status": "approved"}, "502 Bad Gateway"),
        answers.raw("502 Bad Gateway", b"<html>approved</html>"),
        answers.of_json({"id": "act_1", "status": "approved"}, "500 Internal Server Error"),
        answers.hang_up,
        answers.raw("nonsense", b"approved"),
    ],
)
def test_garbage_is_not_approved(make: Make, broken: Start, answer: answers.Answer) -> None:
    there = broken(answer)
    client = make("im_a", there.url, timeout_s=0.5, retry_for_s=0.3, outage_s=0.3)
    with pytest.raises((ImpriProtocolError, ImpriConnectionError, ImpriNotApproved, Exception)) as failed:
        client.await_decision("act_1", timeout_s=60)
    assert type(failed.value).__module__ == "impri.errors"
    assert not isinstance(failed.value, ImpriTimeout)


@pytest.mark.parametrize("answer", [answers.drip, answers.silence])
def test_an_answer_without_end_is_given_up(make: Make, broken: Start, answer: answers.Answer) -> None:
    client = make("im_a", broken(answer).url, timeout_s=0.5, retry_for_s=0.3, outage_s=0.3)
    began = time.monotonic()
    with pytest.raises(ImpriConnectionError):
        client.get_action("act_1")
    with pytest.raises((ImpriConnectionError, ImpriTimeout)):
        client.await_decision("act_1", timeout_s=1)
    assert time.monotonic() - began < 8


def test_an_approval_of_another_content_is_not_approved(make: Make, broken: Start) -> None:
    content = {**ACTION, "status": "approved", "kind": "k", "title": "t"}
    for change in ({"approved_sha256": "0" * 64}, {"approved_sha256": None}, {"decision": {"verdict": "reject"}}):
        there = broken(answers.of_json({**content, **change}))
        with pytest.raises(ImpriIntegrityError):
            make("im_a", there.url).await_decision("act_1")
    there = broken(answers.of_json({"id": "act_1", "status": "approved", "approved_sha256": "0" * 64}))
    with pytest.raises(ImpriProtocolError):
        make("im_a", there.url).await_decision("act_1")


def test_an_outage_in_between_is_waited_through(make: Make, broken: Start) -> None:
    there = broken(
        answers.of_json(ACTION),
        answers.raw("502 Bad Gateway", b"<html></html>"),
        answers.hang_up,
        answers.raw("200 OK", b"<html>back soon</html>"),
        answers.of_json({"message": "wait"}, "429 Too Many Requests", "Retry-After: 1"),
        answers.of_json({**ACTION, "status": "approved"}),
    )
    assert make("im_a", there.url).await_decision("act_1").status == "approved"
    assert len(there.asked) == 6
    assert all(asked.method == "GET" for asked in there.asked)


def test_a_server_that_does_not_wait_is_not_flooded(make: Make, broken: Start) -> None:
    there = broken(answers.of_json(ACTION))
    with pytest.raises(ImpriTimeout):
        make("im_a", there.url).await_decision("act_1", timeout_s=3, poll_interval_s=1)
    assert 3 <= len(there.asked) <= 12
    assert there.asked[0].path.startswith("/v1/actions/act_1?wait=")


def test_the_key_is_not_sent_after_a_redirect(broken: Start) -> None:
    thief = broken(answers.of_json({**ACTION, "status": "approved"}))
    there = broken(answers.raw("307 Temporary Redirect", b"", f"Location: {thief.url}/v1/actions/act_1"))
    with pytest.raises(ImpriProtocolError, match=thief.url):
        ImpriClient("im_a", base_url=there.url).get_action("act_1")
    assert thief.asked == []
