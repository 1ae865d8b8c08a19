"""Code written for the client library of the contract that this server keeps, as its authors would write it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from impri import (
    Action,
    ActionCreated,
    ImpriApiError,
    ImpriClient,
    ImpriConfigError,
    ImpriConflict,
    ImpriError,
    ImpriExpired,
    ImpriNotFound,
    ImpriQuotaExceeded,
    ImpriRateLimited,
    ImpriRejected,
    ImpriTimeout,
    ImpriUnauthorized,
    ImpriValidationError,
    ImpriWebhookSignatureError,
    PagedResult,
    Preview,
)
from impri.errors import ImpriRejected as FromErrors
from impri.models import ApiKey

from .support.person import Person, meanwhile
from .support.server import Server


@pytest.fixture
def client(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[ImpriClient]:
    monkeypatch.setenv("IMPRI_API_KEY", server.agent_key)
    monkeypatch.setenv("IMPRI_BASE_URL", server.url + "/")
    made = ImpriClient()
    yield made
    made.close()


def test_propose_await_report(client: ImpriClient, person: Person, kind: str) -> None:
    action: ActionCreated = client.create_action(
        kind=kind,
        title="Send weekly digest",
        preview={"format": "plain", "body": "Hi Alice"},
        payload={"list": 1},
        expires_in=3600,
        editable=["preview.body"],
    )
    assert action["status"] == "pending"
    assert action["inbox_url"].endswith(action["id"])
    with meanwhile(lambda: person.approve(kind, preview__body="Dear Alice")):
        approved = client.await_decision(action["id"], timeout_s=300, poll_interval_s=1)
    decision = approved.get("decision") or {}
    assert decision["final_preview"]["body"] == approved["preview"]["body"] == "Dear Alice"
    assert "diff" in decision
    done = client.report_result(action["id"], "executed", detail="sent")
    assert done["status"] == "executed"
    read: Action = client.get_action(action["id"])
    assert read["is_untrusted"] is False


def test_rejected_and_timed_out(client: ImpriClient, person: Person, kind: str) -> None:
    action = client.create_action(kind, "t", Preview(format="plain", body="b"))
    with pytest.raises(ImpriTimeout) as late:
        client.await_decision(action["id"], timeout_s=0.2, poll_interval_s=0.1)
    assert late.value.action_id == action["id"]
    person.reject(kind)
    try:
        client.await_decision(action["id"])
    except ImpriExpired:
        raise
    except FromErrors as no:
        assert (no.action_id, no.decision["verdict"], no.final_preview["body"]) == (action["id"], "reject", "b")
    else:
        raise AssertionError


def test_iteration_and_pages(client: ImpriClient, kind: str) -> None:
    for number in range(3):
        client.create_action(kind, f"t{number}", {"format": "plain", "body": "b"})
    page: PagedResult = client.list_actions(kind=kind, status="pending", limit=2)
    assert len(page["items"]) == 2
    assert page["has_more"] is True
    assert page.get("next_cursor")
    assert [each["title"] for each in client.iter_actions(kind=kind)] == ["t2", "t1", "t0"]


def test_the_decorator_passes_the_edited_body(client: ImpriClient, person: Person, kind: str) -> None:
    sent: list[tuple[str, str]] = []

    @client.requires_approval(
        kind=kind,
        title=lambda to, **_: f"Send email to {to}",
        preview=lambda to, body, **_: {"format": "plain", "body": body},
        editable=["preview.body"],
        timeout_s=60,
        target_url="https://example.org/",
    )
    def send_email(to: str, body: str) -> str:
        sent.append((to, body))
        return "ok"

    with meanwhile(lambda: person.approve(kind, preview__body="Dear")):
        assert send_email(to="alice@example.org", body="Hi") == "ok"
    assert sent == [("alice@example.org", "Dear")]

    @client.requires_approval(kind=kind, title="t", editable=["preview.body"])
    def act(*, _decision: Any) -> Any:
        return _decision["final_preview"]["body"]

    with meanwhile(lambda: person.approve(kind, preview__body="now with text")):
        assert act() == "now with text"


def test_the_gate_reports_by_itself(client: ImpriClient, person: Person, kind: str) -> None:
    with (
        meanwhile(lambda: person.approve(kind, preview__body="select 1")),
        client.approval_gate(
            kind=kind,
            title="DROP TABLE users",
            preview={"format": "plain", "body": "drop table users"},
            editable=["preview.body"],
            timeout_s=60,
        ) as approved,
    ):
        assert approved.final_preview["body"] == "select 1"
        assert approved.decision is not None
        assert approved.decision["verdict"] == "approve"
    assert client.get_action(approved.action_id)["status"] == "executed"

    with meanwhile(lambda: person.approve(kind)), pytest.raises(ZeroDivisionError):
        with client.approval_gate(kind, "t", {"format": "plain", "body": "b"}) as approved:
            raise ZeroDivisionError("broken")
    failed = client.get_action(approved.action_id)
    assert (failed["status"], failed["result_detail"]) == ("execute_failed", "ZeroDivisionError: broken")

    with meanwhile(lambda: person.reject(kind)), pytest.raises(ImpriRejected):
        with client.approval_gate(kind, "t", {"format": "plain", "body": "b"}):
            raise AssertionError


def test_the_exceptions_are_one_family() -> None:
    for kind in (
        ImpriApiError,
        ImpriConfigError,
        ImpriConflict,
        ImpriExpired,
        ImpriNotFound,
        ImpriQuotaExceeded,
        ImpriRateLimited,
        ImpriRejected,
        ImpriTimeout,
        ImpriUnauthorized,
        ImpriValidationError,
        ImpriWebhookSignatureError,
    ):
        assert issubclass(kind, ImpriError)
    assert not issubclass(ImpriConflict, ImpriApiError)
    assert ApiKey({"id": "key_1"})["id"] == "key_1"
