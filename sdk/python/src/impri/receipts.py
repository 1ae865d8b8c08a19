"""Receipts: what proves a decision to somebody who does not ask the server, and the guard of whoever runs actions.

Needs `pip install impri[receipts]`: PyJWT with its `crypto` extra. It is what most Python programs have for signed
tokens already, brings nothing but `cryptography`, and knows the algorithm by the name that receipts carry. What it
leaves open is closed here: one algorithm, one type, no other header, and one spelling of each receipt.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

import httpx

from ._content import canonical, content_of, digest
from .errors import (
    ImpriConfigError,
    ImpriConnectionError,
    ImpriProtocolError,
    ImpriReceiptRefused,
)
from .models import Decider, Record

RECEIPT_TYPE = "impri-receipt+jwt"
ALGORITHM = "EdDSA"
# Longer than any receipt.
MAX_CHARS = 8 * 1024
# By how much the clocks of the server and of an executor may differ.
CLOCKS_S = 60
# Keys that a function gives are asked for anew after this time, and for an unknown name, but not more often than that.
REFRESH_S = 300.0
REFRESH_UNKNOWN_S = 10.0

# 64 bytes are 86 characters, of which the last carries two bits: every other last one would be a second spelling.
_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]")
_CONTENT = {"kind", "title", "preview", "payload", "target_url"}

Jwks = Mapping[str, Any]


class Receipt(Record):
    """What a receipt says."""

    nested = {"decided_by": Decider}  # noqa: RUF012 - declared in Record
    iss: str
    sub: str
    jti: str
    iat: int
    exp: int | None
    project: str
    kind: str
    verdict: str
    proposed_sha256: str
    approved_sha256: str | None
    edited: bool
    decided_by: Decider
    channel: str

    @property
    def action_id(self) -> str:
        """The action that was decided: claim this one, whatever else anybody calls it."""
        return str(self["sub"])


class Permission(Receipt):
    """What a guard lets through: run `content` and nothing else, once the claim of `action_id` succeeded."""

    def __init__(self, receipt: Receipt, content: dict[str, Any]) -> None:
        """Takes the receipt and what hashes to its `approved_sha256`."""
        super().__init__(receipt)
        self.content = content


def verify_receipt(receipt: str, jwks: Jwks, content: Mapping[str, Any] | None = None) -> Receipt:
    """What a receipt says, if one of these keys signed it; else `ImpriReceiptRefused`.

    With `content` (`{kind, title, preview, payload, target_url}`, or an action) it has to be what was decided: what
    was approved, or what was rejected as it was proposed. Time plays no role: a receipt proves for ever, also that its
    approval ended. Whoever runs actions uses a `Guard`.
    """
    found = _verified(receipt, jwks)
    if content is not None:
        _covered(found, content)
    return found


class Guard:
    """Lets through what may be run, with nothing but the server's public keys.

    `jwks` is the JWK Set, or a function that gives it, which is asked again every five minutes and when a receipt
    names a key that is not in it: `Guard(lambda: fetch_jwks("https://impri.example.com"))`.

    The keys are those of a whole server. `project`, `issuer` and `kinds` narrow down what this executor runs; name the
    project at least where a server has several. An agent chooses how long its approvals last (`valid_for`), or that
    they last for ever; with `max_age_s` the executor has a word in it.
    """

    def __init__(
        self,
        jwks: Jwks | Callable[[], Jwks],
        *,
        project: str | None = None,
        issuer: str | None = None,
        kinds: Collection[str] | None = None,
        max_age_s: float | None = None,
    ) -> None:
        """Asks for no keys yet."""
        self._source = jwks if callable(jwks) else None
        self._jwks: Jwks = {} if callable(jwks) else jwks
        self._fetched_at: float | None = None
        self._project = project
        self._issuer = None if issuer is None else issuer.rstrip("/")
        self._kinds = None if kinds is None else {kinds} if isinstance(kinds, str) else set(kinds)
        self._max_age_s = max_age_s

    def check(self, receipt: str, content: Mapping[str, Any], *, action_id: str | None = None) -> Permission:
        """Returns only for a receipt that verifies, approves exactly this content, and is in time.

        That leaves the claim: run `content` of what this returns, and only if the claim of its `action_id` succeeded.
        Everything else raises `ImpriReceiptRefused`. `content` is `{kind, title, preview, payload, target_url}` with
        no other member, or an action as the server answers it, of which the other members are left out.
        """
        found = _verified(receipt, self._keys(_header(receipt)["kid"]))
        for name, expected, said in (
            ("project", self._project, found.project),
            ("issuer", self._issuer, found.iss),
            ("action", action_id, found.action_id),
        ):
            if expected is not None and said != expected:
                raise ImpriReceiptRefused(f"The receipt is of the {name} {said!r}, and {expected!r} is run here.")
        if self._kinds is not None and found.kind not in self._kinds:
            raise ImpriReceiptRefused(f"Actions of the kind {found.kind!r} are not run here.")
        if found.verdict != "approve" or not found.approved_sha256:
            raise ImpriReceiptRefused(f"Action {found.action_id} was rejected.")
        self._in_time(found)
        return Permission(found, _covered(found, content))

    def _in_time(self, receipt: Receipt) -> None:
        now = time.time()
        if receipt.iat > now + CLOCKS_S:
            raise ImpriReceiptRefused("The receipt is from the future: the clock here or at the server is wrong.")
        if receipt.exp is not None and now >= receipt.exp:
            raise ImpriReceiptRefused(f"The approval of action {receipt.action_id} ended. Propose it again.")
        if self._max_age_s is not None and now >= receipt.iat + self._max_age_s:
            raise ImpriReceiptRefused(f"The approval of action {receipt.action_id} is too old to be run here.")

    def _keys(self, kid: str) -> Jwks:
        if self._source is None:
            return self._jwks
        now = time.monotonic()
        age = None if self._fetched_at is None else now - self._fetched_at
        is_known = any(key.get("kid") == kid for key in _keys_of(self._jwks)) if age is not None else False
        if age is None or age >= (REFRESH_S if is_known else REFRESH_UNKNOWN_S):
            self._jwks = self._source()
            self._fetched_at = now
        return self._jwks


def fetch_jwks(base_url: str, *, timeout_s: float = 10.0) -> dict[str, Any]:
    """The public keys of a server, from `/.well-known/jwks.json`. Use https: whoever forges these forges receipts."""
    url = f"{base_url.rstrip('/')}/.well-known/jwks.json"
    try:
        answer = httpx.get(url, timeout=timeout_s, follow_redirects=False)
    except httpx.HTTPError as error:
        raise ImpriConnectionError(f"The keys can't be fetched from {url}: {type(error).__name__}") from error
    try:
        jwks = answer.json() if answer.status_code == httpx.codes.OK else None
    except ValueError:
        jwks = None
    if not isinstance(jwks, dict):
        raise ImpriProtocolError(f"{url} answered {answer.status_code}, and no keys.")
    _keys_of(jwks)
    return jwks


def _keys_of(jwks: Jwks) -> list[Mapping[str, Any]]:
    keys = jwks.get("keys") if isinstance(jwks, Mapping) else None
    if not isinstance(keys, list):
        raise ImpriProtocolError("That is no JWK Set: an object with a list 'keys'.")
    return [key for key in keys if isinstance(key, Mapping)]


def _header(receipt: str) -> dict[str, Any]:
    """The header, which has to be a receipt's. Nothing in it is believed before the signature fits."""
    if not isinstance(receipt, str) or len(receipt) > MAX_CHARS or not _SHAPE.fullmatch(receipt):
        raise ImpriReceiptRefused("That is no receipt.")
    jwt = _library()
    try:
        header: dict[str, Any] = jwt.get_unverified_header(receipt)
    except jwt.PyJWTError as error:
        raise ImpriReceiptRefused(f"That is no receipt: {error}") from error
    if header.get("alg") != ALGORITHM:
        raise ImpriReceiptRefused(f"A receipt is signed with {ALGORITHM}, and this says {header.get('alg')!r}.")
    if header.get("typ") != RECEIPT_TYPE or header.keys() != {"alg", "kid", "typ"}:
        raise ImpriReceiptRefused("That is signed, and no receipt.")
    if not isinstance(header["kid"], str):
        raise ImpriReceiptRefused("The receipt names no key.")
    return header


def _verified(receipt: str, jwks: Jwks) -> Receipt:
    header, jwt = _header(receipt), _library()
    named = [key for key in _keys_of(jwks) if key.get("kid") == header["kid"]]
    key = next((key for key in named if key.get("kty") == "OKP" and key.get("crv") == "Ed25519"), None)
    if key is None:
        raise ImpriReceiptRefused(
            f"No key of the set is called {header['kid']!r}: the set is too old, the key was withdrawn, or somebody "
            "else signed the receipt."
        )
    try:
        public = jwt.PyJWK.from_dict({name: key.get(name) for name in ("kty", "crv", "x")}, algorithm=ALGORITHM)
        payload = jwt.PyJWS().decode(receipt, public, algorithms=[ALGORITHM])
    except jwt.PyJWTError as error:
        raise ImpriReceiptRefused("The signature does not fit: it was changed, or somebody else signed it.") from error
    return _read(payload)


def _read(payload: bytes) -> Receipt:
    """The claims, with those that are relied upon of the right type."""
    try:
        claims = json.loads(payload)
    except ValueError as error:
        raise ImpriReceiptRefused("The receipt is signed, and does not say what one says.") from error
    texts = ("iss", "sub", "project", "kind", "verdict", "proposed_sha256", "channel")
    is_whole = (
        isinstance(claims, dict)
        and all(isinstance(claims.get(name), str) for name in texts)
        and type(claims.get("iat")) is int
        and (claims.get("exp") is None or type(claims["exp"]) is int)
        and isinstance(claims.get("decided_by"), dict)
        and (claims["verdict"], type(claims.get("approved_sha256"))) in (("approve", str), ("reject", type(None)))
    )
    if not is_whole:
        raise ImpriReceiptRefused("The receipt is signed, and does not say what one says.")
    return Receipt(claims)


def _covered(receipt: Receipt, content: Mapping[str, Any]) -> dict[str, Any]:
    """The content as its digest sees it, if it is what was decided: no other member, and nobody else's object."""
    if not isinstance(content, Mapping):
        raise ImpriReceiptRefused("The content is no object.")
    named = content.get("id")
    if isinstance(named, str) and named.startswith("act_"):
        if named != receipt.action_id:
            raise ImpriReceiptRefused(f"The receipt is of action {receipt.action_id}, and that is {named}.")
    else:
        preview = content.get("preview")
        more = content.keys() - _CONTENT
        more |= preview.keys() - {"format", "body"} if isinstance(preview, Mapping) else set()
        if more:
            raise ImpriReceiptRefused(f"Nobody approved {sorted(map(str, more))}: no receipt covers it.")
    try:
        covered: dict[str, Any] = json.loads(canonical(content_of(content)))
        found = digest(covered)
    except (ValueError, RecursionError, ImpriProtocolError) as error:
        raise ImpriReceiptRefused(f"The content has no digest: {error}") from error
    decided = receipt.approved_sha256 if receipt.verdict == "approve" else receipt.proposed_sha256
    if found != decided:
        raise ImpriReceiptRefused(f"The content is not the one that was decided: action {receipt.action_id}.")
    return covered


def _library() -> Any:
    try:
        import jwt
        from jwt.algorithms import has_crypto
    except ImportError:
        has_crypto = False
    if not has_crypto:
        raise ImpriConfigError("Verifying receipts needs PyJWT and cryptography: pip install 'impri[receipts]'")
    return jwt
