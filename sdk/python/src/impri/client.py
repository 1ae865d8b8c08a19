"""The blocking client."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from . import _actions, _admin, _extras, _shell, _waiting
from ._gate import ApprovedAction, Plan, plan
from ._methods import blocking, iterating, present
from ._network import Reading, lost, timeouts
from ._wire import Flow, Lost, Pause, Reply, Send, Settings
from ._wrapping import FromPreview, wrap_blocking
from .models import Action, AuditEvent, Watcher
from .webhook import verify_webhook

__all__ = ["Gate", "ImpriClient", "verify_webhook"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Gate:
    """A block that only an approval enters: `with client.gate(…) as approved:`."""

    def __init__(self, client: ImpriClient, plan: Plan) -> None:
        """Does nothing yet."""
        self._client = client
        self._plan = plan
        self._approved: ApprovedAction | None = None

    def __enter__(self) -> ApprovedAction:
        """Proposes, waits and claims; raises unless the answer is an approval that nobody used before."""
        try:
            self._client.run(self._plan.propose())
            self._approved = self._client.run(self._plan.obtain())
        except BaseException as error:
            self._client.run(self._plan.abandon(error))
            raise
        return self._approved

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Reports what came of it."""
        if self._approved is not None:
            self._client.run(self._plan.report(self._approved, error))


def _gate(made: Callable[Concatenate[Settings, P], Plan]) -> Callable[Concatenate[ImpriClient, P], Gate]:
    def method(self: ImpriClient, /, *args: P.args, **kwargs: P.kwargs) -> Gate:
        return Gate(self, made(self.settings, *args, **kwargs))

    return present(method, made, "gate")


class ImpriClient:
    """Calls that block. Safe to share between threads; close it, or use it as a context manager.

    `api_key` and `base_url` default to `IMPRI_API_KEY` and `IMPRI_BASE_URL`, the latter to `http://localhost:8484`.
    A request may take `timeout_s`; a call is tried again for `retry_for_s` while the server can't be reached, a wait
    for `outage_s`. `transport` is httpx's, for a certificate authority or a proxy of your own.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout_s: float = 15.0,
        retry_for_s: float = 30.0,
        outage_s: float = 300.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Reads the settings; nothing is sent."""
        self.settings = Settings.read(
            api_key, base_url, os.environ, timeout_s=timeout_s, retry_for_s=retry_for_s, outage_s=outage_s
        )
        self._http = httpx.Client(headers=self.settings.headers(), transport=transport, follow_redirects=False)

    def __enter__(self) -> ImpriClient:
        """Is itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def run(self, flow: Flow[T]) -> T:
        """Drives a flow: sends what it yields and hands it the answers."""
        reply: Reply | None = None
        failure: Lost | None = None
        try:
            while True:
                step = flow.throw(failure) if failure else flow.send(reply)
                reply, failure = None, None
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    continue
                try:
                    reply = self._send(step)
                except Lost as error:
                    failure = error
        except StopIteration as end:
            result: T = end.value
            return result

    def _send(self, send: Send) -> Reply:
        reading = Reading(send)
        try:
            with self._http.stream(
                send.method,
                self.settings.base_url + send.path,
                params=send.query or None,
                content=send.body,
                headers={"Content-Type": "application/json"} if send.body is not None else None,
                timeout=timeouts(self.settings, send),
            ) as response:
                for chunk in response.iter_bytes():
                    reading.add(chunk)
                return reading.end(response)
        except httpx.HTTPError as error:
            raise lost(error, self.settings) from error

    create_action = blocking(_actions.create_action)
    get_action = blocking(_actions.get_action)
    list_actions = blocking(_actions.list_actions)
    iter_actions = iterating(_actions.list_actions, "iter_actions", Action)
    await_decision = blocking(_waiting.await_decision)
    await_any = blocking(_waiting.await_any)
    claim = blocking(_waiting.claim)
    cancel = blocking(_actions.cancel)
    report_result = blocking(_actions.report_result)
    replay_callback = blocking(_actions.replay_callback)
    decide = blocking(_actions.decide)
    bulk_decide = blocking(_actions.bulk_decide)

    gate = _gate(plan)
    approval_gate = gate

    def gated_shell(self, command: str, purpose: str, **options: Any) -> str:
        """Run a shell command if a person approves it, and return what it printed; see `impri.gated_shell`."""
        job = _shell.Job(command, purpose, **options)
        with Gate(self, plan(self.settings, **job.proposal())) as approved:
            return job.run(approved)

    def requires_approval(
        self,
        kind: str,
        title: str | Callable[..., str],
        *,
        preview: Any = None,
        editable: Sequence[str] = (),
        timeout_s: float | None = None,
        **proposal: Any,
    ) -> Callable[[Callable[..., R]], Callable[..., R]]:
        """Decorate a function so that each call is proposed first. The new code's decorator is `impri.gate`.

        If `preview.body` is editable, the approved text is passed as the argument `body` where the function has one,
        else the decision as `_decision`.
        """
        preparing = FromPreview(kind, title, preview, editable, timeout_s, proposal)
        return lambda function: wrap_blocking(function, preparing, self.gate)

    create_key = blocking(_admin.create_key)
    list_keys = blocking(_admin.list_keys)
    revoke_key = blocking(_admin.revoke_key)
    get_project = blocking(_admin.get_project)
    update_project = blocking(_admin.update_project)
    rotate_webhook_secret = blocking(_admin.rotate_webhook_secret)
    export_project = blocking(_admin.export_project)
    erase_project_data = blocking(_admin.erase_project_data)
    list_audit = blocking(_admin.list_audit)
    iter_audit = iterating(_admin.list_audit, "iter_audit", AuditEvent)
    export_audit = blocking(_admin.export_audit)

    list_notification_channels = blocking(_extras.list_notification_channels)
    create_notification_channel = blocking(_extras.create_notification_channel)
    get_notification_channel = blocking(_extras.get_notification_channel)
    update_notification_channel = blocking(_extras.update_notification_channel)
    delete_notification_channel = blocking(_extras.delete_notification_channel)
    test_notification_channel = blocking(_extras.test_notification_channel)

    create_watcher = blocking(_extras.create_watcher)
    list_watchers = blocking(_extras.list_watchers)
    iter_watchers = iterating(_extras.list_watchers, "iter_watchers", Watcher)
    get_watcher = blocking(_extras.get_watcher)
    update_watcher = blocking(_extras.update_watcher)
    delete_watcher = blocking(_extras.delete_watcher)
    list_watcher_presets = blocking(_extras.list_watcher_presets)
    create_watcher_from_preset = blocking(_extras.create_watcher_from_preset)
