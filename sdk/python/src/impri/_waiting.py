"""Waiting for a decision, what its outcomes mean, and the claim that makes an approval one's own, as flows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ._actions import as_action, read_action, read_page
from ._content import content_of, require_digest
from ._wire import Flow, Pause, Reply, Send, Settings, backoff, call, is_outage, query, segment
from .errors import (
    ImpriAlreadyRun,
    ImpriCancelled,
    ImpriError,
    ImpriExpired,
    ImpriIntegrityError,
    ImpriNotApproved,
    ImpriProtocolError,
    ImpriRateLimited,
    ImpriRejected,
    ImpriTimeout,
)
from .models import Action, Decision

T = TypeVar("T")

# Seconds that one request asks the server to wait: below the minute after which many proxies close a silent connection.
WAIT_MAX_S = 55
WAIT_MIN_S = 5


def await_decision(
    settings: Settings, action_id: str, *, timeout_s: float | None = None, poll_interval_s: float = 5.0
) -> Flow[Action]:
    """Wait until the action is approved, and return it; raise for every other end.

    The request waits at the server, so a decision arrives at once. Without `timeout_s` the wait lasts until the action
    is decided or expires, through restarts of the server and outages of up to the client's `outage_s`. Nothing is
    withdrawn when the wait ends early: wait again by the same id, from any process. `poll_interval_s` is the longest
    pause between reads of a server that does not wait.
    """

    def read(wait_s: int) -> Flow[Action]:
        send = Send(
            "GET", f"/v1/actions/{segment(action_id)}", settings.timeout_s + wait_s, query({"wait": wait_s or None})
        )
        return call(send, 0, lambda reply: read_action(reply, action_id))

    action = yield from _wait(settings, read, lambda action: action.status != "pending", timeout_s, poll_interval_s)
    if action is None:
        raise ImpriTimeout(action_id)
    return approved(action)


def await_any(
    settings: Settings, ids: Sequence[str], *, timeout_s: float | None = None, poll_interval_s: float = 5.0
) -> Flow[list[Action]]:
    """Wait until one of up to 100 actions is no longer pending, and return those that are not.

    Not all that are returned are approved: look at each one's `status`, and claim before you run. After `timeout_s`
    the list is empty.
    """
    wanted = list(dict.fromkeys(ids))

    def read(wait_s: int) -> Flow[list[Action]]:
        parameters = query({"ids": ",".join(wanted), "wait": wait_s or None})
        return call(Send("GET", "/v1/actions", settings.timeout_s + wait_s, parameters), 0, decided)

    def decided(reply: Reply) -> list[Action]:
        actions: list[Action] = read_page(reply, as_action)["items"]
        if {action.id for action in actions} != set(wanted):
            raise ImpriProtocolError("The answer is not about the actions that were asked for.")
        return [action for action in actions if action.status != "pending"]

    return (yield from _wait(settings, read, bool, timeout_s, poll_interval_s)) or []


def _wait(
    settings: Settings,
    read: Callable[[int], Flow[T]],
    is_over: Callable[[T], bool],
    timeout_s: float | None,
    poll_interval_s: float,
) -> Flow[T | None]:
    """Reads again and again, letting the server wait, until it is over; `None` when the time is."""
    until = None if timeout_s is None else time.monotonic() + timeout_s
    failing_since: float | None = None
    wait_s, failures, early = WAIT_MAX_S, 0, 0
    while True:
        left = None if until is None else until - time.monotonic()
        asked = wait_s if left is None else max(0, min(wait_s, int(left)))
        began = time.monotonic()
        try:
            found = yield from read(asked)
        except ImpriError as error:
            now = time.monotonic()
            failing_since = now if failing_since is None else failing_since
            if not is_outage(error) or now - failing_since > settings.outage_s:
                raise
            # Something between here and the server may close what is silent for too long.
            wait_s, failures = max(WAIT_MIN_S, wait_s // 2), failures + 1
            asked_for = error.retry_after if isinstance(error, ImpriRateLimited) else None
            pause = max(backoff(failures), asked_for or 0)
        else:
            if is_over(found):
                return found
            failing_since, failures = None, 0
            early = early + 1 if time.monotonic() - began < asked / 2 else 0
            pause = min(poll_interval_s, backoff(early)) if early else 0.0
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            return None
        if asked == 0 and left is not None:
            pause = max(pause, left)
        if pause > 0:
            yield Pause(pause if left is None else min(pause, left))


def approved(action: Action) -> Action:
    """The action if it is approved, whole and by a decision; else what it is, as an exception."""
    status = action.status
    if status == "rejected":
        decision = action.decision or Decision()
        raise ImpriRejected(action.id, decision, decision.get("final_preview") or action.get("preview") or {})
    if status != "approved":
        ends: dict[str, type[ImpriNotApproved]] = {
            "expired": ImpriExpired,
            "cancelled": ImpriCancelled,
            "executed": ImpriAlreadyRun,
            "execute_failed": ImpriAlreadyRun,
        }
        raise ends.get(status, ImpriNotApproved)(action.id, status)
    if action.decision is not None and action.decision.verdict != "approve":
        raise ImpriIntegrityError(f"Action {action.id} is approved, and its decision is not. Nothing was run.")
    # Servers that know no digests send none; the gates insist on it.
    if "approved_sha256" in action:
        require_digest(action, "approved_sha256", content_of(action))
    return action


def claim(settings: Settings, action_id: str) -> Flow[Action]:
    """Take the one permission to run an approved action. Run it only if this returns.

    Of all that claim an approval one gets it; the others get `ImpriConflict`. If the answer to a claim is lost it is
    asked again, and then the permission may be gone with the lost answer: nobody runs the action rather than two.
    """
    send = Send("POST", f"/v1/actions/{segment(action_id)}/claim", settings.timeout_s, body=b"{}")
    try:
        action = yield from call(send, settings.retry_for_s, lambda reply: read_action(reply, action_id))
    except ImpriExpired as error:
        raise ImpriExpired(action_id, "approved", str(error)) from error
    return approved(action)
