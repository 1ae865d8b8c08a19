"""Receipts of the real server: what verifies, what a guard lets through, and everything else that it does not."""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import jwt
import pytest

from impri import (
    Action,
    Guard,
    ImpriClient,
    ImpriConfigError,
    ImpriConnectionError,
    ImpriProtocolError,
    ImpriReceiptRefused,
    fetch_jwks,
    verify_receipt,
)
from impri import receipts as module

from .support.broken import Broken
from .support.server import Server

CONTENT = ("kind", "title", "preview", "payload", "target_url")


@pytest.fixture(scope="module")
def jwks(server: Server) -> dict[str, Any]:
    return fetch_jwks(server.url)


@pytest.fixture(scope="module")
def decided(server: Server) -> Callable[..., Action]:
    """Proposes something, has it decided, and reads it."""

    def decide(verdict: str = "approve", *, edited: Mapping[str, Any] | None = None, **members: Any) -> Action:
        proposal = {
            "payload": {"amount": 20, "to": "Bo", "rate": 1.50, "note": "ü😀\n"},
            "target_url": "https://bank.example/",
            "editable": ["payload.amount"],
            "valid_for": 600,
            **members,
        }
        agent = ImpriClient(server.agent_key, base_url=server.url)
        decider = ImpriClient(server.decider_key, base_url=server.url)
        with agent, decider:
            action = agent.create_action(
                "payment.send", "Pay Bo", {"format": "plain", "body": "For the boat"}, **proposal
            )
            decider.decide(action.id, verdict, edited=edited)  # type: ignore[arg-type]
            return agent.get_action(action.id)

    return decide


def content(action: Action) -> dict[str, Any]:
    return {name: copy.deepcopy(action[name]) for name in CONTENT if action.get(name) is not None}


def split(receipt: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    header, payload, signature = receipt.split(".")
    return json.loads(decoded(header)), json.loads(decoded(payload)), signature


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def encoded(part: object) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Forger:
    """Has a key of their own, and the set with it: what is refused of theirs is not refused for the signature."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._key = Ed25519PrivateKey.generate()
        self.x = encoded(self._key.public_key().public_bytes_raw())
        self.jwks = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "theirs", "x": self.x}]}

    def sign(self, claims: object, **header: Any) -> str:
        said = {"alg": "EdDSA", "kid": "theirs", "typ": "impri-receipt+jwt", **header}
        message = f"{encoded({name: value for name, value in said.items() if value is not None})}.{encoded(claims)}"
        return f"{message}.{encoded(self._key.sign(message.encode()))}"


def test_an_approval_verifies_and_its_content_may_be_run(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    action = decided()
    receipt = verify_receipt(action.receipt or "", jwks, content(action))
    assert (receipt.action_id, receipt.verdict, receipt.edited) == (action.id, "approve", False)
    assert receipt.approved_sha256 == action.approved_sha256
    assert receipt.decided_by == action.decision.decided_by  # type: ignore[union-attr]
    assert receipt.exp == action.valid_until
    permission = Guard(jwks).check(action.receipt or "", content(action), action_id=action.id)
    assert permission.content == content(action)
    assert permission.action_id == action.id
    assert Guard(jwks).check(action.receipt or "", action).content == content(action), "an action as it was answered"


def test_after_an_edit_only_the_persons_version_may_be_run(
    decided: Callable[..., Action], jwks: dict[str, Any]
) -> None:
    action = decided(edited={"payload.amount": 15})
    guard = Guard(jwks)
    assert guard.check(action.receipt or "", content(action)).content["payload"]["amount"] == 15
    proposed = content(action)
    proposed["payload"]["amount"] = 20
    with pytest.raises(ImpriReceiptRefused, match="not the one that was decided"):
        guard.check(action.receipt or "", proposed)


def test_a_rejection_proves_and_permits_nothing(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    action = decided("reject")
    receipt = verify_receipt(action.receipt or "", jwks, content(action))
    assert (receipt.verdict, receipt.approved_sha256) == ("reject", None)
    with pytest.raises(ImpriReceiptRefused, match="was rejected"):
        Guard(jwks).check(action.receipt or "", content(action))


def test_whatever_else_is_to_be_run_is_refused(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    action = decided()
    guard, receipt = Guard(jwks), action.receipt or ""
    changes: list[Callable[[dict[str, Any]], object]] = [
        lambda c: c.update(kind="payment.sent"),
        lambda c: c.update(title="Pay Bo."),
        lambda c: c["preview"].update(body="For the boat\u200b"),
        lambda c: c["preview"].update(format="markdown"),
        lambda c: c["payload"].update(to="Mallory"),
        lambda c: c["payload"].update(amount="20"),
        lambda c: c["payload"].update(more=1),
        lambda c: c["payload"].pop("note"),
        lambda c: c.pop("payload"),
        lambda c: c.pop("target_url"),
        lambda c: c.update(target_url="https://bank.example"),
    ]
    for change in changes:
        other = content(action)
        change(other)
        with pytest.raises(ImpriReceiptRefused, match="not the one that was decided"):
            guard.check(receipt, other)
        with pytest.raises(ImpriReceiptRefused):
            verify_receipt(receipt, jwks, other)
    for more in ({"bcc": "mallory@evil.example"}, {"preview": {**action.preview, "attachment": "x"}}):
        with pytest.raises(ImpriReceiptRefused, match="no receipt covers it"):
            guard.check(receipt, {**content(action), **more})
    nothings: list[Any] = [None, [], "", 1, {}, {"preview": None}, {"preview": []}]
    for nothing in nothings:
        with pytest.raises(ImpriReceiptRefused):
            guard.check(receipt, nothing)
    for no_json in (float("nan"), 2**60, {1, 2}):
        with pytest.raises(ImpriReceiptRefused, match="no digest"):
            guard.check(receipt, {**content(action), "payload": no_json})


def test_what_is_let_through_is_a_copy_of_what_was_approved(
    decided: Callable[..., Action], jwks: dict[str, Any]
) -> None:
    action = decided()
    handed = Action({**action, "result_detail": "whatever", "bcc": "mallory@evil.example"})
    permission = Guard(jwks).check(action.receipt or "", handed)
    handed["payload"]["to"] = "Mallory"
    assert permission.content["payload"]["to"] == "Bo"
    assert permission.content.keys() == set(CONTENT)


def test_an_approval_that_ended_is_refused_and_still_proves(
    decided: Callable[..., Action], jwks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    action = decided(valid_for=600)
    receipt, now = action.receipt or "", time.time()
    monkeypatch.setattr(time, "time", lambda: now + 590)
    Guard(jwks).check(receipt, content(action))
    with pytest.raises(ImpriReceiptRefused, match="too old to be run here"):
        Guard(jwks, max_age_s=60).check(receipt, content(action))
    monkeypatch.setattr(time, "time", lambda: now + 601)
    with pytest.raises(ImpriReceiptRefused, match="ended"):
        Guard(jwks).check(receipt, content(action))
    assert verify_receipt(receipt, jwks, content(action)).exp == action.valid_until
    monkeypatch.setattr(time, "time", lambda: now - 120)
    with pytest.raises(ImpriReceiptRefused, match="from the future"):
        Guard(jwks).check(receipt, content(action))


def test_an_approval_without_end_ends_where_the_executor_says_so(
    decided: Callable[..., Action], jwks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    action = decided(valid_for=None)
    later = time.time() + 3 * 365 * 86_400
    monkeypatch.setattr(time, "time", lambda: later)
    Guard(jwks).check(action.receipt or "", content(action))
    with pytest.raises(ImpriReceiptRefused, match="too old"):
        Guard(jwks, max_age_s=86_400).check(action.receipt or "", content(action))


def test_another_projects_actions_servers_and_kinds_are_refused(
    decided: Callable[..., Action], jwks: dict[str, Any], server: Server
) -> None:
    action, other = decided(), decided(target_url="https://other.example/")
    receipt = action.receipt or ""
    project = verify_receipt(receipt, jwks).project
    Guard(jwks, project=project, issuer=f"{server.url}/", kinds=["payment.send"]).check(receipt, content(action))
    for narrow in (
        Guard(jwks, project="proj_AAAAAAAAAAAAAAAAAAAAAA"),
        Guard(jwks, issuer="https://impri.example"),
        Guard(jwks, kinds="payment"),
        Guard(jwks, kinds=["email.send"]),
        Guard(jwks, kinds=[]),
    ):
        with pytest.raises(ImpriReceiptRefused):
            narrow.check(receipt, content(action))
    with pytest.raises(ImpriReceiptRefused, match="action"):
        Guard(jwks).check(receipt, content(action), action_id=other.id)
    with pytest.raises(ImpriReceiptRefused, match="and that is act_"):
        Guard(jwks).check(receipt, Action({**action, "id": other.id}))
    with pytest.raises(ImpriReceiptRefused, match="not the one"):
        Guard(jwks).check(receipt, content(other))


def test_one_changed_character_anywhere_is_refused(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    receipt = decided().receipt or ""
    verify_receipt(receipt, jwks)
    for place, character in enumerate(receipt):
        for other in {"A", "B", "g", "_", ".", "=", " ", "\n", "é"} - {character}:
            changed = receipt[:place] + other + receipt[place + 1 :]
            with pytest.raises(ImpriReceiptRefused):
                verify_receipt(changed, jwks)
    for other in (receipt[:-1], receipt + "A", receipt + "=", receipt + "\n", " " + receipt, "", "a.b.c"):
        with pytest.raises(ImpriReceiptRefused):
            verify_receipt(other, jwks)
    nothings: list[Any] = [None, 1, receipt.encode(), [receipt]]
    for nothing in nothings:
        with pytest.raises(ImpriReceiptRefused):
            verify_receipt(nothing, jwks)


def test_no_other_algorithm_type_header_or_key_passes(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    action = decided()
    header, claims, signature = split(action.receipt or "")
    forger = Forger()
    verify_receipt(forger.sign(claims), forger.jwks, content(action))  # theirs is whole but for the key
    with pytest.raises(ImpriReceiptRefused, match="No key of the set"):
        verify_receipt(forger.sign(claims), jwks)
    with pytest.raises(ImpriReceiptRefused, match="signature does not fit"):
        verify_receipt(forger.sign(claims, kid=header["kid"]), jwks)
    for alg in ("none", "None", "HS256", "RS256", "ES256", "Ed25519", "eddsa", "", None, 1):
        with pytest.raises(ImpriReceiptRefused):
            verify_receipt(forger.sign(claims, alg=alg), forger.jwks)
    others: list[dict[str, Any]] = [
        {"typ": "JWT"},
        {"typ": None},
        {"kid": None},
        {"kid": 1},
        {"crit": ["exp"]},
        {"jwk": forger.jwks["keys"][0]},
    ]
    for other in others:
        with pytest.raises(ImpriReceiptRefused):
            verify_receipt(forger.sign(claims, **other), forger.jwks)

    # No signature, and the public key taken for a secret that both sides share.
    payload = (action.receipt or "").split(".")[1]
    with pytest.raises(ImpriReceiptRefused):
        verify_receipt(f"{encoded({**header, 'alg': 'none'})}.{payload}.", jwks)
    with pytest.raises(ImpriReceiptRefused):
        verify_receipt(f"{encoded({**header, 'alg': 'none'})}.{payload}.{signature}", jwks)
    message = f"{encoded({**header, 'alg': 'HS256'})}.{payload}"
    x = str(jwks["keys"][0]["x"])
    for secret in (x.encode(), decoded(x)):
        tag = hmac.new(secret, message.encode(), hashlib.sha256).digest()
        for padded in (encoded(tag), encoded(tag + tag)):
            with pytest.raises(ImpriReceiptRefused):
                verify_receipt(f"{message}.{padded}", jwks)


def test_signed_texts_that_say_less_than_a_receipt_are_refused(decided: Callable[..., Action]) -> None:
    claims, forger = split(decided().receipt or "")[1], Forger()
    wrong: list[Any] = [[], "x", {}, b"\xff", {**claims, "verdict": "maybe"}, {**claims, "approved_sha256": None}]
    wrong += [{**claims, "verdict": "reject"}, {**claims, "iat": "1"}, {**claims, "iat": True}, {**claims, "exp": 1.5}]
    wrong += [
        {name: value for name, value in claims.items() if name != left_out} for left_out in ("sub", "iat", "project")
    ]
    for each in wrong:
        with pytest.raises(ImpriReceiptRefused, match="does not say what one says"):
            verify_receipt(forger.sign(each), forger.jwks)
    assert verify_receipt(forger.sign({**claims, "new": 1}), forger.jwks)["new"] == 1, "a newer server may say more"


def test_keys_of_other_sorts_in_a_set_are_passed_over(decided: Callable[..., Action], jwks: dict[str, Any]) -> None:
    receipt = decided().receipt or ""
    kid, x = jwks["keys"][0]["kid"], jwks["keys"][0]["x"]
    others = [{"kty": "oct", "kid": kid, "k": x}, {"kty": "OKP", "crv": "X25519", "kid": kid, "x": x}, "nonsense"]
    verify_receipt(receipt, {"keys": [*others, *jwks["keys"]]})
    with pytest.raises(ImpriReceiptRefused, match="No key"):
        verify_receipt(receipt, {"keys": others})
    for broken in (
        {"kty": "OKP", "crv": "Ed25519", "kid": kid},
        {"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": "AA"},
    ):
        with pytest.raises(ImpriReceiptRefused, match="signature does not fit"):
            verify_receipt(receipt, {"keys": [broken]})
    nothings: list[Any] = [{}, {"keys": None}, [], None]
    for nothing in nothings:
        with pytest.raises(ImpriProtocolError, match="JWK Set"):
            verify_receipt(receipt, nothing)


def test_keys_that_a_function_gives_are_asked_for_again(
    decided: Callable[..., Action], jwks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    action, asked, now = decided(), [], 1_000.0
    sets: list[dict[str, Any]] = [{"keys": []}]

    def keys() -> dict[str, Any]:
        asked.append(now)
        return sets[0]

    monkeypatch.setattr(time, "monotonic", lambda: now)
    guard = Guard(keys)
    assert asked == [], "nothing is asked before it is needed"
    for _ in range(2):
        with pytest.raises(ImpriReceiptRefused, match="No key"):
            guard.check(action.receipt or "", content(action))
    assert len(asked) == 1, "unknown names don't make it ask all the time"
    now, sets[0] = now + 11, jwks
    for _ in range(2):
        guard.check(action.receipt or "", content(action))
    assert len(asked) == 2
    now, sets[0] = now + 301, {"keys": []}
    with pytest.raises(ImpriReceiptRefused, match="No key"):
        guard.check(action.receipt or "", content(action))
    assert len(asked) == 3, "a key that was withdrawn is forgotten"


def test_no_keys_are_no_permission(
    decided: Callable[..., Action], broken: Callable[..., Broken], server: Server
) -> None:
    action = decided()
    with pytest.raises(ImpriConnectionError):
        Guard(lambda: fetch_jwks("http://127.0.0.1:1")).check(action.receipt or "", content(action))
    with pytest.raises(ImpriProtocolError):
        fetch_jwks(f"{server.url}/inbox")
    Guard(lambda: fetch_jwks(server.url)).check(action.receipt or "", content(action))


def test_without_the_extra_it_says_what_to_install(
    decided: Callable[..., Action], jwks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = decided().receipt or ""
    monkeypatch.setattr(jwt.algorithms, "has_crypto", False)
    with pytest.raises(ImpriConfigError, match=r"impri\[receipts\]"):
        verify_receipt(receipt, jwks)
    monkeypatch.setitem(__import__("sys").modules, "jwt", None)
    with pytest.raises(ImpriConfigError, match=r"impri\[receipts\]"):
        verify_receipt(receipt, jwks)
    assert module.RECEIPT_TYPE == "impri-receipt+jwt"
