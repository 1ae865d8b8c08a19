"""One call of the API without the network: what to send, when to send it again, and what an answer means.

A *flow* is a generator: it yields requests and pauses, is sent the replies, and returns a result. The two clients
drive the same flows, one blocking and one not, so that there is one place for each rule.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeVar
from urllib.parse import quote

from ._version import __version__
from .errors import (
    ImpriApiError,
    ImpriConfigError,
    ImpriConflict,
    ImpriConnectionError,
    ImpriExpired,
    ImpriHttpError,
    ImpriNotFound,
    ImpriProtocolError,
    ImpriQuotaExceeded,
    ImpriRateLimited,
    ImpriUnauthorized,
    ImpriValidationError,
)

T = TypeVar("T")

# Longest pause between two tries, in seconds.
BACKOFF_MAX_S = 10.0
# The largest answer that is read; an export may be larger.
ANSWER_MAX_BYTES = 16 * 1024 * 1024
EXPORT_MAX_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True)
class Settings:
    """What every call of a client shares."""

    base_url: str
    api_key: str = field(repr=False)
    # Seconds that one request may take, besides the time that it asks the server to wait.
    timeout_s: float = 15.0
    # Seconds that a call is tried again while the server can't be reached.
    retry_for_s: float = 30.0
    # The same while a decision is waited for: long enough for the server to be moved or mended.
    outage_s: float = 300.0

    @classmethod
    def read(
        cls,
        api_key: str | None,
        base_url: str | None,
        environment: Mapping[str, str],
        *,
        timeout_s: float,
        retry_for_s: float,
        outage_s: float,
    ) -> Settings:
        """Takes what was given, else what the environment says."""
        key = api_key or environment.get("IMPRI_API_KEY")
        if not key:
            raise ImpriConfigError("There is no API key: pass api_key or set IMPRI_API_KEY.")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ImpriConfigError("The API key holds characters that no key has: check how it was copied.")
        url = (base_url or environment.get("IMPRI_BASE_URL") or "http://localhost:8484").rstrip("/")
        if not url.startswith(("http://", "https://")):
            raise ImpriConfigError(f"The base URL {url!r} does not begin with http:// or https://.")
        return cls(url.removesuffix("/v1"), key, timeout_s, retry_for_s, outage_s)

    def within(self, seconds: float) -> Settings:
        """The same, for whoever has only so much time."""
        return replace(self, timeout_s=min(self.timeout_s, seconds), retry_for_s=min(self.retry_for_s, seconds))

    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {
            "Authorization": f"Bearer {self.api_key}",
            "Accept": "application/json",
            "Cache-Control": "no-store",
            "User-Agent": f"impri-python/{__version__}",
        }


@dataclass(frozen=True)
class Send:
    """A request."""

    method: str
    path: str
    timeout_s: float
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    # Whether sending it twice is the same as sending it once.
    repeatable: bool = True
    max_bytes: int = ANSWER_MAX_BYTES


@dataclass(frozen=True)
class Pause:
    """Nothing, for a while."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """An answer, whoever gave it."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Lost(Exception):
    """Thrown into a flow in place of a reply."""

    def __init__(self, reason: str, *, was_sent: bool) -> None:
        """Says why, and whether the server may have acted on the request."""
        super().__init__(reason)
        self.was_sent = was_sent


Flow = Generator[Send | Pause, Reply | None, T]


def encode(body: Mapping[str, Any]) -> bytes:
    """Writes JSON that means to the server what it means here; refuses what would not."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def segment(text: str) -> str:
    """An id as one segment of a path, whatever is in it."""
    if not isinstance(text, str) or text in ("", ".", ".."):
        raise ImpriConfigError(f"{text!r} is no id.")
    return quote(text, safe="")


def query(values: Mapping[str, object]) -> dict[str, str]:
    """The parameters that have a value."""
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
    return {name: text for name, text in texts.items() if values[name] is not None}


def members(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members that have a value."""
    return {name: value for name, value in values.items() if value is not None}


def call(send: Send, patience_s: float, read: Callable[[Reply], T]) -> Flow[T]:
    """Sends until a success can be read, with pauses that grow, for at most `patience_s`.

    A request that must not be repeated is sent again only if it never left, or if the server says that it did nothing.
    """
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        failure: Exception
        pause: float | None
        try:
            reply = yield send
            assert reply is not None  # noqa: S101 - a request is answered with a reply
            if reply.status in (200, 201, 202, 204):
                return read(reply)
            failure, pause = refusal(reply), _pause_after(reply, send, tries)
        except Lost as lost:
            failure = _unreachable(send, lost)
            pause = backoff(tries) if send.repeatable or not lost.was_sent else None
        except ImpriProtocolError as garbled:
            failure = garbled
            pause = backoff(tries) if send.repeatable else None
        if pause is None or time.monotonic() - began + pause > patience_s:
            raise failure
        yield Pause(pause)


def backoff(tries: int) -> float:
    """Seconds until the next try: longer each time, and not the same for everybody."""
    return min(BACKOFF_MAX_S, 0.1 * float(2 ** min(tries, 10))) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _unreachable(send: Send, lost: Lost) -> ImpriConnectionError:
    unknown = lost.was_sent and not send.repeatable
    hint = " Whether the server acted on it is unknown: look before you do it again." if unknown else ""
    error = ImpriConnectionError(f"{send.method} {send.path} got no answer: {lost}.{hint}")
    error.__cause__ = lost
    return error


def _pause_after(reply: Reply, send: Send, tries: int) -> float | None:
    """When to send again what was answered so; never, for most answers."""
    # Too many requests: the server did nothing. A proxy's 502…504 says nothing about what happened behind it.
    may_repeat = reply.status == 429 or (reply.status in (502, 503, 504) and send.repeatable)
    if not may_repeat:
        return None
    asked = retry_after(reply)
    return backoff(tries) if asked is None else max(asked, 0.05)


def retry_after(reply: Reply) -> int | None:
    """After how many seconds the server wants to hear from us again: from its header, or from the body."""
    text = reply.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return int(text)
    value = _loose_object(reply.content).get("retry_after")
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _loose_object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def refusal(reply: Reply) -> Exception:
    """The exception for an answer that is no success."""
    status, body = reply.status, _loose_object(reply.content)
    told = body.get("message") or body.get("error")
    message = told if isinstance(told, str) else ""
    if status < 400:
        where = reply.headers.get("location")
        to = f", to {where!r}: if that is your server, make it the base URL" if where else ""
        return ImpriProtocolError(f"The answer is HTTP {status}{to}. Redirects are not followed.")
    if not message:
        message = f"HTTP {status}, from something that does not speak as Impri does."
    match status:
        case 401 | 403:
            return ImpriUnauthorized(message, status, body)
        case 402:
            return ImpriQuotaExceeded(message, status, body)
        case 404:
            return ImpriNotFound(message, status, body)
        case 409:
            return ImpriConflict(message, status, body)
        case 410:
            return ImpriExpired("", "expired", message)
        case 429:
            return ImpriRateLimited(message, status, body, retry_after=retry_after(reply))
        case 400 | 422:
            return ImpriValidationError(message, status, body)
        case _:
            return ImpriApiError(f"HTTP {status}: {message}", status, body)


def parse(reply: Reply) -> dict[str, Any]:
    """The JSON object of a success."""
    if reply.status == 204:
        return {}
    try:
        value = json.loads(reply.content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ImpriProtocolError(f"The answer is not JSON: {_excerpt(reply.content)}") from error
    if not isinstance(value, dict):
        raise ImpriProtocolError(f"The answer is no JSON object: {_excerpt(reply.content)}")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _excerpt(content: bytes) -> str:
    return repr(content[:80].decode(errors="replace"))


def texts(value: Mapping[str, Any], names: Sequence[str]) -> None:
    """Makes sure that these members are there and are texts."""
    for name in names:
        if not isinstance(value.get(name), str):
            raise ImpriProtocolError(f"The answer has no text {name!r}: it does not come from Impri.")


def is_outage(error: Exception) -> bool:
    """Whether the server was not there, rather than refused; a wait goes on through that."""
    if isinstance(error, ImpriHttpError):
        return error.status_code >= 500 or error.status_code == 429
    return isinstance(error, ImpriConnectionError | ImpriProtocolError)
