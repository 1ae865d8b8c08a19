"""Callbacks: what the real server sends verifies, and nothing else does."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from impri import (
    ImpriClient,
    ImpriConflict,
    ImpriProtocolError,
    ImpriWebhookSignatureError,
    read_webhook,
    verify_webhook,
)

from .support.either import Either
from .support.server import Server


class Receiver:
    """Keeps what is delivered to it."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait_for(self, count: int) -> None:
        late = time.monotonic() + 30
        while len(self.got) < count:
            assert time.monotonic() < late, "nothing was delivered"
            time.sleep(0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    yield running
    running.close()


def test_what_the_server_sends_verifies(
    agent: Either, decider: Either, server: Server, receiver: Receiver, kind: str
) -> None:
    secret = server.webhook_secret()
    action = agent.create_action(
        kind, "t", {"format": "plain", "body": "ü"}, callback_url=receiver.url, editable=["preview.body"]
    )
    with pytest.raises(ImpriConflict, match="no callback"):
        agent.replay_callback(action.id)
    decider.decide(action.id, "approve", edited={"preview.body": "ö 😀"})
    receiver.wait_for(1)
    headers, body = receiver.got[0]
    event = read_webhook(body, headers, secret)
    assert (event.event, event.action_id, event.status, event.verdict) == (
        "action.updated",
        action.id,
        "approved",
        "approve",
    )
    assert event["final_preview"]["body"] == "ö 😀"
    assert "ö 😀" in str(event.diff)
    for spoilt in (body + b" ", body.replace(b"approved", b"rejected")):
        with pytest.raises(ImpriWebhookSignatureError, match="does not fit"):
            read_webhook(spoilt, headers, secret)
    with pytest.raises(ImpriWebhookSignatureError, match="does not fit"):
        read_webhook(body, headers, secret + "x")

    late = time.monotonic() + 20
    while agent.get_action(action.id).webhook_delivery.status != "delivered":
        assert time.monotonic() < late
        time.sleep(0.05)
    assert agent.replay_callback(action.id).id == action.id
    receiver.wait_for(2)
    again = read_webhook(receiver.got[1][1], receiver.got[1][0], secret)
    assert again.event_id == event.event_id


def sign(secret: str, timestamp: object, nonce: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), f"{timestamp}.{nonce}.".encode() + body, hashlib.sha256).hexdigest()


def test_every_part_is_signed_and_its_time_counts() -> None:
    now, body = str(int(time.time())), b'{"action_id": "act_1", "status": "approved"}'
    good = {"raw_body": body, "secret": "s", "timestamp": now, "nonce": "n", "signature": sign("s", now, "n", body)}
    assert verify_webhook(**good) is None  # type: ignore[arg-type, func-returns-value]
    changes: list[dict[str, Any]] = [
        {"raw_body": b""},
        {"secret": "t"},
        {"secret": ""},
        {"timestamp": str(int(now) + 1)},
        {"timestamp": None},
        {"timestamp": "soon"},
        {"timestamp": "-1"},
        {"nonce": "m"},
        {"nonce": ""},
        {"signature": "sha256="},
        {"signature": good["signature"].upper()},  # type: ignore[attr-defined]
        {"signature": "ü"},
        {"signature": None},
    ]
    for change in changes:
        with pytest.raises(ImpriWebhookSignatureError):
            verify_webhook(**{**good, **change})
    for age in (-301, 301):
        then = str(int(time.time()) - age)
        signature = sign("s", then, "n", body)
        with pytest.raises(ImpriWebhookSignatureError, match="last 300 seconds"):
            verify_webhook(body, "s", then, "n", signature)
        verify_webhook(body, "s", then, "n", signature, tolerance_sec=400)


def test_what_is_signed_and_makes_no_sense() -> None:
    now = str(int(time.time()))
    for body in (b"", b"[]", b"{}", b'{"action_id": 5}'):
        headers = {"X-IMPRI-TIMESTAMP": now, "x-impri-nonce": "n", "X-Impri-Signature": sign("s", now, "n", body)}
        with pytest.raises(ImpriProtocolError):
            read_webhook(body, headers, "s")
    with pytest.raises(ImpriWebhookSignatureError, match="missing"):
        read_webhook(b"{}", {}, "s")


def test_the_verifier_stands_where_the_contract_has_it() -> None:
    from impri.client import verify_webhook as there

    assert there is verify_webhook
    assert ImpriClient is not None
