"""What the two clients share of the network: limits of time and size, and what a failure says."""

from __future__ import annotations

import time

import httpx

from ._wire import Lost, Reply, Send, Settings

# Raised before a byte of the request left.
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


def timeouts(settings: Settings, send: Send) -> httpx.Timeout:
    """For connecting, writing, and the silence before the answer; the whole is measured beside it."""
    return httpx.Timeout(settings.timeout_s, read=send.timeout_s)


def lost(error: httpx.HTTPError, settings: Settings) -> Lost:
    """A failed exchange, as flows hear of it; it names the server, whose address may be the default."""
    reason = f"{settings.base_url}: {type(error).__name__}{f': {error}' if str(error) else ''}"
    return Lost(reason, was_sent=not isinstance(error, _NEVER_SENT))


class Reading:
    """An answer while it arrives: no longer and no larger than allowed."""

    def __init__(self, send: Send) -> None:
        """Begins to count the time."""
        self._send = send
        self._until = time.monotonic() + send.timeout_s
        self._content = bytearray()

    def add(self, chunk: bytes) -> None:
        """Takes a part."""
        self._content += chunk
        if len(self._content) > self._send.max_bytes:
            raise Lost(f"the answer has more than {self._send.max_bytes} bytes", was_sent=True)
        if time.monotonic() > self._until:
            raise Lost(f"the answer took more than {self._send.timeout_s:g} seconds", was_sent=True)

    def end(self, response: httpx.Response) -> Reply:
        """The whole."""
        return Reply(response.status_code, response.headers, bytes(self._content))
