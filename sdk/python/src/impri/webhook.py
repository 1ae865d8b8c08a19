"""Callbacks: whether they come from the server, and what they say."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from .errors import ImpriProtocolError, ImpriWebhookSignatureError
from .models import Preview, Record

TOLERANCE_S = 300


class WebhookEvent(Record):
    """A decision that was delivered. `event_id` is the same in every delivery of the same event.

    Take it as a reason to look, not as the approval: read the action and claim it before anything runs.
    """

    nested = {"final_preview": Preview}  # noqa: RUF012 - declared in Record
    event: str
    event_id: str | None
    action_id: str
    status: str
    decided_at: int | None
    verdict: str | None
    final_preview: Preview | None
    diff: str | None
    receipt: str | None


def verify_webhook(
    raw_body: bytes,
    secret: str,
    timestamp: str | None,
    nonce: str | None,
    signature: str | None,
    tolerance_sec: int = TOLERANCE_S,
) -> None:
    """Raise `ImpriWebhookSignatureError` unless the project's secret signed exactly these bytes a moment ago.

    `raw_body` is the body as it arrived, before anything decoded it; the rest are the headers `X-Impri-Timestamp`,
    `X-Impri-Nonce` and `X-Impri-Signature`.
    """
    if not secret:
        raise ImpriWebhookSignatureError("There is no secret to verify the callback with.")
    if not timestamp or not nonce or not signature:
        raise ImpriWebhookSignatureError("A signature header is missing.")
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise ImpriWebhookSignatureError("X-Impri-Timestamp is no number.")
    signed = f"{timestamp}.{nonce}.".encode() + raw_body
    expected = f"sha256={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise ImpriWebhookSignatureError("The signature does not fit: another secret, or another body.")
    if abs(time.time() - int(timestamp)) > tolerance_sec:
        raise ImpriWebhookSignatureError(f"The callback is not of the last {tolerance_sec} seconds.")


def read_webhook(
    raw_body: bytes, headers: Mapping[str, str], secret: str, tolerance_sec: int = TOLERANCE_S
) -> WebhookEvent:
    """Verify a callback by its headers, in whatever case they come, and read it."""
    found = {name.lower(): value for name, value in headers.items()}
    timestamp, nonce = found.get("x-impri-timestamp"), found.get("x-impri-nonce")
    verify_webhook(raw_body, secret, timestamp, nonce, found.get("x-impri-signature"), tolerance_sec)
    try:
        event = json.loads(raw_body)
    except ValueError as error:
        raise ImpriProtocolError("The callback is not JSON.") from error
    if not isinstance(event, dict) or not isinstance(event.get("action_id"), str):
        raise ImpriProtocolError("The callback names no action.")
    return WebhookEvent(event)
