"""The calls about actions, as flows."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ._content import digest
from ._wire import (
    Flow,
    Reply,
    Send,
    Settings,
    call,
    encode,
    members,
    parse,
    query,
    segment,
    texts,
)
from .errors import (
    ImpriProtocolError,
)
from .models import Action, BulkDecisionResponse, DecisionResult, PagedResult, Record, ResultAck, Verdict

R = TypeVar("R", bound=Record)


def create_action(
    settings: Settings,
    kind: str,
    title: str,
    preview: Mapping[str, Any],
    *,
    payload: Any = None,
    target_url: str | None = None,
    callback_url: str | None = None,
    expires_in: int | None = None,
    valid_for: int | None = None,
    idempotency_key: str | None = None,
    editable: Sequence[str] = (),
    idempotent: bool | None = None,
    undo: str | None = None,
) -> Flow[Action]:
    """Propose an action. Answers at once; deciding is a person's.

    Without an `idempotency_key` the call makes one of the whole content and a random part. It is sent again with every
    retry of this call, so that a lost answer never leads to a second proposal; calling again proposes again, because
    two payments of the same amount may both be meant. Where a program may be started twice for one thing (a cron
    job), give that thing's own name as the key.
    """
    body = members(
        {
            "kind": kind,
            "title": title,
            "preview": dict(preview),
            "payload": payload,
            "target_url": target_url,
            "callback_url": callback_url,
            "expires_in": expires_in,
            "valid_for": valid_for,
            "editable": list(editable),
            "idempotent": idempotent,
            "undo": undo,
        }
    )
    content = digest(body)
    body["idempotency_key"] = idempotency_key or f"sdk_{content[:32]}_{secrets.token_hex(8)}"
    send = Send("POST", "/v1/actions", settings.timeout_s, body=encode(body))
    return (yield from call(send, settings.retry_for_s, read_action))


def get_action(settings: Settings, action_id: str) -> Flow[Action]:
    """Read an action as it is now."""
    send = Send("GET", f"/v1/actions/{segment(action_id)}", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, lambda reply: read_action(reply, action_id)))


def read_action(reply: Reply, action_id: str | None = None) -> Action:
    """The action of an answer; it has to be the one that was asked for."""
    action = as_action(parse(reply))
    if action_id is not None and action.id != action_id:
        raise ImpriProtocolError(f"The answer is about {action.id!r}, and {action_id!r} was asked for.")
    return action


def as_action(value: Mapping[str, Any]) -> Action:
    """An action, with the mark that this client computes: whether others than the agent wrote its content."""
    texts(value, ["id", "status"])
    payload = value.get("payload")
    untrusted = isinstance(payload, dict) and bool(payload.get("untrusted"))
    return Action({**value, "is_untrusted": untrusted})


def list_actions(
    settings: Settings,
    *,
    status: str | Sequence[str] | None = None,
    kind: str | None = None,
    since: int | None = None,
    until: int | None = None,
    q: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Flow[PagedResult]:
    """List actions, newest first, a page at a time; of any status, of one or of several."""
    states = status if status is None or isinstance(status, str) else ",".join(status)
    filters = {"status": states, "kind": kind, "since": since, "until": until, "q": q, "limit": limit, "cursor": cursor}
    send = Send("GET", "/v1/actions", settings.timeout_s, query(filters))
    return (yield from call(send, settings.retry_for_s, lambda reply: read_page(reply, as_action)))


def read_page(reply: Reply, read: Any) -> PagedResult:
    """A page whose entries `read` understands."""
    value = parse(reply)
    items = value.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ImpriProtocolError("The answer has no list 'items': it does not come from Impri.")
    if value.get("has_more") and not isinstance(value.get("next_cursor"), str):
        raise ImpriProtocolError("The answer says that there is more, and not where.")
    return PagedResult({**value, "items": [read(item) for item in items]})


def decide(
    settings: Settings,
    action_id: str,
    verdict: Verdict,
    *,
    edited: Mapping[str, Any] | None = None,
    comment: str | None = None,
    content_sha256: str | None = None,
    channel: str | None = None,
) -> Flow[DecisionResult]:
    """Decide an action, with a key that may; an agent's may not.

    `edited` maps the action's editable paths to new values. With `content_sha256` the decision holds only for the
    content that was looked at.
    """
    body = members({"edited": edited, "comment": comment, "content_sha256": content_sha256, "channel": channel})
    path = f"/v1/actions/{segment(action_id)}/decision"
    send = Send("POST", path, settings.timeout_s, body=encode({"decision": verdict, **body}), repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: _read_record(reply, DecisionResult)))


def bulk_decide(
    settings: Settings, ids: Iterable[str], verdict: Verdict, *, comment: str | None = None
) -> Flow[BulkDecisionResponse]:
    """Decide up to 50 actions alike. Each is decided for itself: look at every entry of `results`."""
    body = encode(members({"ids": list(ids), "verdict": verdict, "comment": comment}))
    send = Send("POST", "/v1/actions/bulk-decision", settings.timeout_s, body=body, repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: BulkDecisionResponse(parse(reply))))


def report_result(
    settings: Settings,
    action_id: str,
    status: str,
    *,
    detail: str | None = None,
    payload: Mapping[str, Any] | None = None,
) -> Flow[ResultAck]:
    """Report what came of an approved action: `executed` or `execute_failed`. The same report again is a success."""
    body = encode(members({"status": status, "detail": detail, "payload": payload}))
    send = Send("POST", f"/v1/actions/{segment(action_id)}/result", settings.timeout_s, body=body)
    return (yield from call(send, settings.retry_for_s, lambda reply: _read_record(reply, ResultAck)))


def cancel(settings: Settings, action_id: str) -> Flow[Action]:
    """Withdraw a pending action, with the key that proposed it. Withdrawing it again is a success."""
    send = Send("POST", f"/v1/actions/{segment(action_id)}/cancel", settings.timeout_s, body=b"{}")
    return (yield from call(send, settings.retry_for_s, lambda reply: read_action(reply, action_id)))


def replay_callback(settings: Settings, action_id: str) -> Flow[Action]:
    """Send the action's latest callback again, with the same `event_id`."""
    send = Send("POST", f"/v1/actions/{segment(action_id)}/replay-callback", settings.timeout_s, body=b"{}")
    return (yield from call(send, settings.retry_for_s, lambda reply: read_action(reply, action_id)))


def _read_record(reply: Reply, kind: type[R]) -> R:
    value = parse(reply)
    texts(value, ["id", "status"])
    return kind(value)
