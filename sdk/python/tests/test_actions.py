"""Every call about actions, with both clients, against the real server."""

from __future__ import annotations

import time
from typing import Any

import pytest

import impri
from impri import (
    ImpriConfigError,
    ImpriConflict,
    ImpriExpired,
    ImpriNotFound,
    ImpriUnauthorized,
    ImpriValidationError,
)

from .conftest import Make
from .support.either import Either
from .support.server import Server

PREVIEW = {"format": "markdown", "body": "Hi Sarah, …"}


def test_a_proposal_is_a_dictionary_with_attributes(agent: Either, kind: str) -> None:
    action = agent.create_action(
        kind=kind,
        title="Outreach: Acme",
        preview=PREVIEW,
        payload={"to": ["sarah@example.org"], "amount": 1.5},
        target_url="https://example.org/mail",
        callback_url="https://example.org/hook",
        expires_in=600,
        valid_for=60,
        editable=["preview.body", "payload.amount"],
        idempotent=False,
        undo="Write again.",
    )
    assert action.id == action["id"] == action.action_id
    read = agent.get_action(action["id"])
    assert read == {**action, "updated_at": read.updated_at}
    assert (read.status, read.kind, read.title, read.preview.body) == ("pending", kind, "Outreach: Acme", "Hi Sarah, …")
    assert read["payload"] == {"to": ["sarah@example.org"], "amount": 1.5}
    assert read.expires_at - read.created_at == 600
    assert (read.editable, read.idempotent, read.undo) == (["preview.body", "payload.amount"], False, "Write again.")
    assert read.decision is None
    assert read.is_untrusted is False
    with pytest.raises(AttributeError, match="no member 'nonsense'"):
        _ = read.nonsense


def test_watched_content_is_marked(agent: Either, kind: str) -> None:
    assert agent.create_action(kind, "t", PREVIEW, payload={"untrusted": True}).is_untrusted is True


def test_two_deliberate_payments_are_two_proposals(agent: Either, kind: str, server: Server) -> None:
    payments = [agent.create_action(kind, "Pay 20 to Bo", PREVIEW, payload={"amount": 20}) for _ in range(2)]
    assert payments[0].id != payments[1].id
    assert server.count_actions(kind) == 2
    assert payments[0].idempotency_key != payments[1].idempotency_key


def test_a_key_of_the_callers_own_names_one_proposal(agent: Either, kind: str) -> None:
    first = agent.create_action(kind, "Pay 20 to Bo", PREVIEW, payload={"amount": 20}, idempotency_key=f"{kind}:7")
    again = agent.create_action(kind, "Pay 20 to Bo", PREVIEW, payload={"amount": 20}, idempotency_key=f"{kind}:7")
    assert again.id == first.id
    with pytest.raises(ImpriConflict, match="payload"):
        agent.create_action(kind, "Pay 20 to Bo", PREVIEW, payload={"amount": 21}, idempotency_key=f"{kind}:7")


def test_lists_filter_and_turn_pages(agent: Either, kind: str) -> None:
    made = [agent.create_action(kind, f"Number {number} zebra", PREVIEW).id for number in range(5)]
    page = agent.list_actions(kind=kind, limit=2)
    assert ([action.id for action in page["items"]], page.has_more) == ([made[4], made[3]], True)
    following = agent.list_actions(kind=kind, limit=2, cursor=page.next_cursor)
    assert [action["id"] for action in following["items"]] == [made[2], made[1]]
    assert [action.id for action in agent.iter_actions(kind=kind, limit=2)] == made[::-1]
    assert [action.id for action in agent.iter_actions(kind=kind, q="number 3")] == [made[3]]
    agent.cancel(made[0])
    assert [action.id for action in agent.list_actions(kind=kind, status="cancelled")["items"]] == [made[0]]
    some = agent.list_actions(kind=kind, status=["cancelled", "pending"])["items"]
    assert len(some) == 5
    created = agent.get_action(made[0]).created_at
    assert agent.list_actions(kind=kind, since=created + 3600)["items"] == []
    assert agent.list_actions(kind=kind, until=created - 3600)["items"] == []
    with pytest.raises(ImpriValidationError) as wrong:
        agent.list_actions(status="nonsense")
    assert wrong.value.issues[0]["path"] == ["status"]


def test_an_approval_with_edits_has_both_versions(agent: Either, decider: Either, kind: str) -> None:
    action = agent.create_action(
        kind, "Write", PREVIEW, payload={"amount": 20}, editable=["preview.body", "payload.amount"]
    )
    decided = decider.decide(
        action.id,
        "approve",
        edited={"preview.body": "Dear Sarah,", "payload.amount": 25},
        comment="politer",
        content_sha256=action.content_sha256,
        channel="desk",
    )
    assert (decided.status, decided.verdict, decided["channel"]) == ("approved", "approve", "desk")
    assert decided.final_preview.body == "Dear Sarah,"
    read = agent.get_action(action.id)
    assert (read.preview.body, read.payload) == ("Dear Sarah,", {"amount": 25})
    assert (read.original.preview.body, read.original.payload) == ("Hi Sarah, …", {"amount": 20})
    assert (read.decision.comment, read.decision.decided_by.name) == ("politer", "sdk-decider")
    assert sorted(read.decision.edited) == ["payload.amount", "preview.body"]
    assert "+Dear Sarah," in read.decision.diff


def test_an_agent_can_not_decide(agent: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    with pytest.raises(ImpriUnauthorized, match="decide") as refused:
        agent.decide(action.id, "approve")
    assert refused.value.status_code == 403
    with pytest.raises(ImpriUnauthorized):
        agent.bulk_decide([action.id], "approve")
    assert agent.get_action(action.id).status == "pending"


def test_what_was_not_looked_at_is_not_decided(agent: Either, decider: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    with pytest.raises(ImpriConflict, match="content_sha256"):
        decider.decide(action.id, "approve", content_sha256="0" * 64)
    with pytest.raises(ImpriValidationError, match="can't be edited") as refused:
        decider.decide(action.id, "approve", edited={"title": "other"})
    assert refused.value.body["invalid_keys"] == ["title"]


def test_many_are_decided_one_by_one(agent: Either, decider: Either, kind: str) -> None:
    made = [agent.create_action(kind, f"t{number}", PREVIEW).id for number in range(3)]
    agent.cancel(made[1])
    answer = decider.bulk_decide(made, "reject", comment="all of them")
    assert (answer.succeeded, answer.failed) == (2, 1)
    assert [(each.ok, each.status, each.error) for each in answer.results] == [
        (True, "rejected", None),
        (False, None, "already_decided"),
        (True, "rejected", None),
    ]
    assert answer["results"][1]["current_status"] == "cancelled"


def test_one_claims_and_one_result_is_reported(agent: Either, decider: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    with pytest.raises(ImpriConflict) as early:
        agent.claim(action.id)
    assert early.value.current_status == "pending"
    decider.decide(action.id, "approve")
    assert agent.claim(action.id).claimed_at is not None
    with pytest.raises(ImpriConflict, match="good for one run"):
        agent.claim(action.id)
    for _ in range(2):
        report = agent.report_result(action.id, "executed", detail="sent", payload={"id": 7})
        assert (report.id, report.status) == (action.id, "executed")
    with pytest.raises(ImpriConflict) as other:
        agent.report_result(action.id, "execute_failed")
    assert other.value.current_status == "executed"
    read = agent.get_action(action.id)
    assert (read.status, read.result_detail, read.result_payload) == ("executed", "sent", {"id": 7})


def test_an_approval_that_is_too_old_can_not_be_claimed(agent: Either, decider: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW, valid_for=1)
    decider.decide(action.id, "approve")
    time.sleep(2.1)
    with pytest.raises(ImpriExpired, match="too old") as old:
        agent.claim(action.id)
    assert old.value.action_id == action.id


def test_a_proposal_is_withdrawn_by_whoever_made_it(agent: Either, make: Make, server: Server, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    stranger = make(server.key("sdk-stranger", "actions"), server.url)
    with pytest.raises(ImpriUnauthorized, match="proposed"):
        stranger.cancel(action.id)
    assert [agent.cancel(action.id).status for _ in range(2)] == ["cancelled", "cancelled"]


def test_what_breaks_a_rule_is_named(agent: Either, kind: str, server: Server) -> None:
    with pytest.raises(ImpriValidationError, match="title") as wrong:
        agent.create_action(kind, "two\nlines", PREVIEW)
    assert wrong.value.issues[0]["path"] == ["title"]
    assert wrong.value.status_code == 400
    assert server.count_actions(kind) == 0


@pytest.mark.parametrize("payload", [{"n": 2**53}, {"n": float("nan")}, {"s": {1}}, {1: "a"}, {"s": "\ud800"}])
def test_what_json_can_not_hold_is_not_sent(agent: Either, kind: str, payload: Any, server: Server) -> None:
    with pytest.raises((ValueError, TypeError)):
        agent.create_action(kind, "t", PREVIEW, payload=payload)
    assert server.count_actions(kind) == 0


def test_unknown_ids_and_keys(agent: Either, make: Make, server: Server) -> None:
    for nothing in ("act_AAAAAAAAAAAAAAAAAAAAAA", "../keys", "a/b?c=d#e", "ü"):
        with pytest.raises(ImpriNotFound):
            agent.get_action(nothing)
    for nothing in ("", ".."):
        with pytest.raises(ImpriConfigError):
            agent.get_action(nothing)
    with pytest.raises(ImpriUnauthorized, match="not valid") as refused:
        make("im_" + "x" * 43, server.url).list_actions()
    assert refused.value.status_code == 401


def test_a_client_needs_a_key_and_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IMPRI_API_KEY", raising=False)
    for kind in (impri.ImpriClient, impri.AsyncImpriClient):
        with pytest.raises(ImpriConfigError, match="IMPRI_API_KEY"):
            kind()
        with pytest.raises(ImpriConfigError, match="characters"):
            kind("im_ a")
        with pytest.raises(ImpriConfigError, match="http"):
            kind("im_a", base_url="localhost:8484")
        monkeypatch.setenv("IMPRI_BASE_URL", "http://example.org/v1/")
        assert kind("im_a").settings.base_url == "http://example.org"
        assert "im_a" not in repr(kind("im_a").settings)
        monkeypatch.delenv("IMPRI_BASE_URL")
        assert kind("im_a").settings.base_url == "http://localhost:8484"
