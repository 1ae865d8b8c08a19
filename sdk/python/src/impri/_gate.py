"""A gate: propose, wait, check, claim; then the caller's own code; then the report. As flows, for both clients."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ._actions import cancel, create_action, report_result
from ._content import content_of, require_digest, require_only_allowed_edits
from ._waiting import await_decision, claim
from ._wire import Flow, Settings
from .errors import (
    ImpriAlreadyRun,
    ImpriCancelled,
    ImpriError,
    ImpriExpired,
    ImpriIntegrityError,
    ImpriRejected,
)
from .models import Action, Preview

logger = logging.getLogger("impri")

# Seconds for a last word to the server by somebody who was interrupted.
LAST_WORD_S = 5.0
# The server's limits of a report.
DETAIL_MAX_CHARS = 4_000
PAYLOAD_MAX_BYTES = 16 * 1024


class ApprovedAction(Action):
    """What a gate lets through: the approved version, claimed for this run alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes the members; nothing is to be said of the result yet."""
        super().__init__(*args, **kwargs)
        self._succeeded = True
        self._detail: str | None = None
        self._payload: Mapping[str, Any] | None = None
        # Why the result could not be reported, once the gate has closed.
        self.report_error: ImpriError | None = None

    @property
    def final_preview(self) -> Preview:
        """The preview as it was approved."""
        return self.preview

    def set_result(
        self, *, succeeded: bool = True, detail: str | None = None, payload: Mapping[str, Any] | None = None
    ) -> None:
        """Say what is to be reported when the gate closes; without it, only whether the code ended well."""
        self._succeeded, self._detail, self._payload = succeeded, detail, payload

    def report(self, error: BaseException | None) -> dict[str, Any]:
        """What to report, after the code ended so."""
        detail = self._detail
        if error is not None and detail is None:
            detail = f"{type(error).__name__}: {error}"
        payload, lost = _payload_that_fits(self._payload)
        if lost:
            detail = f"{detail or ''} (The payload is not reported: {lost}.)".strip()
        return {
            "status": "executed" if self._succeeded and error is None else "execute_failed",
            "detail": None if detail is None else _clip(detail),
            "payload": payload,
        }


def _payload_that_fits(payload: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, str]:
    """The payload, or why the server would refuse it: what was done is to be reported all the same."""
    if payload is None:
        return None, ""
    try:
        size = len(json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except (TypeError, ValueError, RecursionError) as error:
        return None, f"it is not JSON, {error}"
    if size > PAYLOAD_MAX_BYTES:
        return None, f"it has {size} bytes and {PAYLOAD_MAX_BYTES} are allowed"
    return dict(payload), ""


def _clip(text: str) -> str:
    text = text.replace("\0", "\ufffd").encode(errors="replace").decode()
    return text if len(text) <= DETAIL_MAX_CHARS else text[: DETAIL_MAX_CHARS - 1] + "…"


class Plan:
    """One way through the gate."""

    def __init__(
        self,
        settings: Settings,
        proposal: Mapping[str, Any],
        *,
        timeout_s: float | None,
        withdraw: bool | None,
    ) -> None:
        """Takes the arguments of `create_action`, and how long to wait."""
        self.settings = settings
        self.proposal = dict(proposal)
        self.timeout_s = timeout_s
        # Nobody else can find a proposal with a key that only this call knows; with a key of the caller's own
        # another run of the program goes on waiting for it.
        self.withdraw = proposal.get("idempotency_key") is None if withdraw is None else withdraw
        self.waiting: Action | None = None

    def propose(self) -> Flow[None]:
        """Propose, and see that the server holds what was sent."""
        content = content_of(self.proposal)
        action = yield from create_action(self.settings, **self.proposal)
        self.waiting = action
        require_digest(action, "content_sha256", content)

    def obtain(self) -> Flow[ApprovedAction]:
        """Wait for the approval, check it and take the one permission to run it."""
        action = self.waiting
        assert action is not None  # noqa: S101 - it was proposed
        approved = yield from await_decision(self.settings, action.id, timeout_s=self.timeout_s)
        self.waiting = None
        require_digest(approved, "approved_sha256", content_of(approved))
        editable: Sequence[str] = self.proposal.get("editable") or ()
        require_only_allowed_edits(content_of(self.proposal), content_of(approved), editable)
        claimed = yield from claim(self.settings, action.id)
        if claimed.approved_sha256 != approved.approved_sha256:
            raise ImpriIntegrityError(f"What was claimed of {action.id} is not what was approved. Nothing was run.")
        return ApprovedAction(claimed)

    def abandon(self, error: BaseException) -> Flow[None]:
        """Withdraw what nobody waits for any more, so that no person decides it in vain."""
        action = self.waiting
        is_over = isinstance(error, ImpriRejected | ImpriExpired | ImpriCancelled | ImpriAlreadyRun)
        if action is None or is_over or not self.withdraw:
            return
        try:
            yield from cancel(self.settings.within(LAST_WORD_S), action.id)
        except ImpriError as refused:
            logger.warning("Action %s could not be withdrawn: %s", action.id, refused)

    def report(self, approved: ApprovedAction, error: BaseException | None) -> Flow[None]:
        """Report what came of it. That this fails is told in the log, and never hides what the code returned."""
        interrupted = error is not None and not isinstance(error, Exception)
        settings = self.settings.within(LAST_WORD_S) if interrupted else self.settings
        try:
            yield from report_result(settings, approved.id, **approved.report(error))
        except ImpriError as refused:
            approved.report_error = refused
            logger.warning("The result of action %s could not be reported: %s", approved.id, refused)


def plan(
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
    timeout_s: float | None = None,
    withdraw: bool | None = None,
) -> Plan:
    """A block that only an approval enters.

    Entering proposes, waits for the decision, checks that the content is the approved one, and claims it; leaving
    reports `executed`, or `execute_failed` with the exception. Use what the block is given, not what was proposed: the
    person may have edited what `editable` lists. Everything but an approval raises, and so does an approval that
    somebody claimed before.

    After `timeout_s` the wait ends with `ImpriTimeout`. A wait that ends early withdraws the proposal, unless the
    caller gave an `idempotency_key` by which another run can go on waiting; `withdraw` says otherwise.
    """
    proposal = {
        "kind": kind,
        "title": title,
        "preview": dict(preview),
        # A copy: whoever holds it may change it while it is waited for.
        "payload": copy.deepcopy(payload),
        "target_url": target_url,
        "callback_url": callback_url,
        "expires_in": expires_in,
        "valid_for": valid_for,
        "idempotency_key": idempotency_key,
        "editable": list(editable),
        "idempotent": idempotent,
        "undo": undo,
    }
    return Plan(settings, proposal, timeout_s=timeout_s, withdraw=withdraw)
