"""A person who decides, in a thread of their own."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from impri import Action, ImpriClient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .server import Server

PATIENCE_S = 120.0


class Person:
    """Looks at the inbox through a key that may decide."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._client = ImpriClient(server.decider_key, base_url=server.url)
        self._worker = ImpriClient(server.agent_key, base_url=server.url)

    def find(self, kind: str, count: int = 1) -> list[Action]:
        """Waits until so many actions of the kind are pending."""
        late = time.monotonic() + PATIENCE_S
        while time.monotonic() < late:
            found: list[Action] = self._client.list_actions(kind=kind, status="pending")["items"]
            if len(found) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"nobody proposed {count} of {kind}:\n{self._server.log[-2000:]}")

    def approve(self, kind: str, **edited: Any) -> Action:
        action = self.find(kind)[0]
        edits = {name.replace("__", "."): value for name, value in edited.items()}
        self._client.decide(action.id, "approve", edited=edits or None, content_sha256=action.content_sha256)
        return action

    def reject(self, kind: str, comment: str = "not on a Friday") -> Action:
        action = self.find(kind)[0]
        self._client.decide(action.id, "reject", comment=comment)
        return action

    def let_expire(self, kind: str) -> Action:
        action = self.find(kind)[0]
        self._server.let_time_pass(action.id, 3_000_000)
        return action

    def run_elsewhere(self, kind: str) -> Action:
        """Approves it, and has another worker run it at once."""
        action = self.claim_elsewhere(kind)
        self._worker.report_result(action.id, "executed")
        return action

    def claim_elsewhere(self, kind: str) -> Action:
        """Approves it, and has another worker claim it at once."""
        action = self.approve(kind)
        return self._worker.claim(action.id)

    def all(self, kind: str) -> list[Action]:
        return list(self._client.iter_actions(kind=kind))

    def read(self, action_id: str) -> Action:
        return self._client.get_action(action_id)

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()
        self._worker.close()


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    """Does something in another thread while the block runs; a failure there is one of the test."""
    failures: list[BaseException] = []
    is_over = False

    def run() -> None:
        try:
            act()
        except BaseException as error:
            if not is_over:
                failures.append(error)
                # The block may wait for what will not happen now.
                _thread.interrupt_main()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:
        if failures:
            raise failures[0] from None
        raise
    except BaseException:
        # Nobody is interested any more in what the thread does.
        is_over = True
        raise
    thread.join(PATIENCE_S)
    if failures:
        raise failures[0]
    assert not thread.is_alive()
