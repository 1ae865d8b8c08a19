"""A server that answers as broken proxies do, byte for byte as it is told; it remembers what it was asked."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

Answer = Callable[[socket.socket, "Asked"], None]


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Broken:
    """Gives the answers of its list, the last one again and again."""

    answers: list[Answer]
    asked: list[Asked] = field(default_factory=list)
    # Done once, when the first GET arrives and before it is answered.
    before_reading: Callable[[], object] | None = None

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        # Closing alone would leave the thread in accept.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            asked = _read(connection)
            if asked is None:
                return
            self.asked.append(asked)
            if asked.method == "GET" and self.before_reading is not None:
                act, self.before_reading = self.before_reading, None
                act()
            answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
            try:
                answer(connection, asked)
            except OSError:
                return


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    method, path, _ = first.split(" ")
    return Asked(method, path, headers, body)


def raw(status: str, content: bytes, *headers: str, length: int | None = None) -> Answer:
    """This status line, these headers and this body; `length` may lie."""

    def answer(connection: socket.socket, _: Asked) -> None:
        said = len(content) if length is None else length
        lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {said}", "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode() + content)

    return answer


def of_json(value: object, status: str = "200 OK", *headers: str) -> Answer:
    return raw(status, json.dumps(value).encode(), "Content-Type: application/json", *headers)


def hang_up(_connection: socket.socket, _: Asked) -> None:
    """Closes the connection without a word."""


def drip(connection: socket.socket, _: Asked) -> None:
    """Begins an answer and sends a byte of it now and then."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def silence(connection: socket.socket, _: Asked) -> None:
    """Says nothing."""
    connection.recv(1)


def forward(to: str, change: Callable[[Any], Any] | None = None, *, then: Answer | None = None) -> Answer:
    """Passes the request on to a real server; changes its answer, or gives another in its place."""

    def answer(connection: socket.socket, asked: Asked) -> None:
        passed = ("authorization", "content-type")
        headers = {name: value for name, value in asked.headers.items() if name in passed}
        # What is changed is not waited for.
        path = asked.path if change is None else asked.path.split("?")[0]
        got = httpx.request(asked.method, to + path, headers=headers, content=asked.body, timeout=90, trust_env=False)
        if then is not None:
            then(connection, asked)
            return
        value = got.json() if change is None else change(got.json())
        of_json(value, f"{got.status_code} X")(connection, asked)

    return answer
