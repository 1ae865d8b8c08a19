"""A gate that no agent can walk around: the program that has the credential accepts receipts, and nothing else.

Two programs, which should run as two users, or on two machines:

    REFUNDS_TOKEN=…  python structural_gate.py executor --jwks jwks.json --project proj_… --refunds https://…
    python structural_gate.py agent --executor http://127.0.0.1:9000 order-4711 19.90

Both read IMPRI_API_KEY and IMPRI_BASE_URL; give each a key of its own with the scope `actions`. Only the executor has
REFUNDS_TOKEN, which pays money back. The agent (a model with tools, in real life) can ask for a refund, and it can hand
the executor whatever it likes; what it can't do is make a receipt. The executor keeps one rule:

    Run only what hashes to `approved_sha256` of a receipt that verifies, is in time, and whose claim succeeded.

`jwks.json` is a copy of the server's /.well-known/jwks.json, kept where the agent can't write.
"""

from __future__ import annotations

import argparse
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from impri import Guard, ImpriClient, ImpriError, ImpriNotApproved

KIND = "refund.pay"
MAX_BYTES = 1024 * 1024


class Executor:
    """Has the credential. Its only door takes a receipt and the content that it is for."""

    def __init__(self, guard: Guard, client: ImpriClient, refunds: str, token: str) -> None:
        """Takes what it pays with, and what it needs to be sure."""
        self._guard = guard
        self._client = client
        self._refunds = refunds
        self._token = token

    def run(self, receipt: Any, content: Any) -> str:
        """Pays, or raises."""
        permission = self._guard.check(receipt, content)  # genuine, of this project, in time, exactly this content
        self._client.claim(permission.action_id)  # and once: of all that claim it, one gets here
        try:
            self._pay(permission.action_id, permission.content["payload"])
        except Exception as error:
            self._client.report_result(
                permission.action_id, "execute_failed", detail=f"{type(error).__name__}: {error}"
            )
            raise
        self._client.report_result(permission.action_id, "executed")
        return permission.action_id

    def _pay(self, action_id: str, refund: dict[str, str]) -> None:
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": action_id}
        httpx.post(self._refunds, headers=headers, json=refund, timeout=30, trust_env=False).raise_for_status()


def door(executor: Executor, listen: str) -> ThreadingHTTPServer:
    """`POST /` with `{"receipt": …, "content": …}`: 200 if it paid; 502 if it tried; else it did nothing."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 < length <= MAX_BYTES:
                return self._answer(413, {"refused": f"A body of 1 to {MAX_BYTES} bytes is taken."})
            try:
                sent = json.loads(self.rfile.read(length))
                done = executor.run(sent["receipt"], sent["content"])
            except ImpriError as no:
                return self._answer(403, {"refused": str(no)})
            except httpx.HTTPError as error:
                return self._answer(502, {"failed": str(error)})
            except (ValueError, TypeError, KeyError):
                return self._answer(400, {"refused": "A JSON object with receipt and content was expected."})
            return self._answer(200, {"done": done})

        def _answer(self, status: int, body: dict[str, str]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    host, port = listen.rsplit(":", 1)
    return ThreadingHTTPServer((host, int(port)), Door)


def ask(client: ImpriClient, executor: str, order: str, amount: str) -> int:
    """The agent: proposes, waits, and hands on what it got. It has nothing to pay with."""
    action = client.create_action(
        KIND,
        f"Pay {amount} back for {order}",
        {"format": "markdown", "body": f"The customer of **{order}** returned the goods. Pay back **{amount}**."},
        payload={"order": order, "amount": amount},
        editable=["payload.amount"],
        idempotent=False,
        valid_for=600,
    )
    print(f"Waiting for a person: {action.inbox_url}", flush=True)
    try:
        approved = client.await_decision(action.id)
    except ImpriNotApproved as no:
        print(f"Not paid: {no}")
        return 1
    handed = {"receipt": approved.receipt, "content": approved}
    answer = httpx.post(executor, json=handed, timeout=60, trust_env=False)
    print(answer.text)
    return 0 if answer.status_code == httpx.codes.OK else 1


def main() -> int:
    """One of the two programs."""
    parser = argparse.ArgumentParser(description="A refund that only a receipt sets off.")
    roles = parser.add_subparsers(dest="role", required=True)
    executing = roles.add_parser("executor")
    executing.add_argument("--jwks", type=Path, required=True)
    executing.add_argument("--project", required=True)
    executing.add_argument("--refunds", required=True, metavar="URL")
    executing.add_argument("--listen", default="127.0.0.1:9000")
    asking = roles.add_parser("agent")
    asking.add_argument("--executor", required=True, metavar="URL")
    asking.add_argument("order")
    asking.add_argument("amount")
    args = parser.parse_args()
    with ImpriClient() as client:
        if args.role == "agent":
            return ask(client, args.executor, args.order, args.amount)
        guard = Guard(json.loads(args.jwks.read_text()), project=args.project, kinds=[KIND], max_age_s=3600)
        executor = Executor(guard, client, args.refunds, os.environ["REFUNDS_TOKEN"])
        with door(executor, args.listen) as server:
            print(f"Receipts are taken at {server.server_address[0]}:{server.server_address[1]}", flush=True)
            server.serve_forever()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
