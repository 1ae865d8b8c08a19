"""The client that is awaited, under asyncio or trio."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import anyio
import anyio.to_thread
import httpx

from . import _actions, _admin, _extras, _shell, _waiting
from ._gate import ApprovedAction, Plan, plan
from ._methods import awaiting, iterating_async, present
from ._network import Reading, lost, timeouts
from ._wire import Flow, Lost, Pause, Reply, Send, Settings
from ._wrapping import FromPreview, wrap_awaiting
from .models import Action, AuditEvent, Watcher

__all__ = ["AsyncGate", "AsyncImpriClient"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class AsyncGate:
    """A block that only an approval enters: `async with client.gate(…) as approved:`."""

    def __init__(self, client: AsyncImpriClient, plan: Plan) -> None:
        """Does nothing yet."""
        self._client = client
        self._plan = plan
        self._approved: ApprovedAction | None = None

    async def __aenter__(self) -> ApprovedAction:
        """Proposes, waits and claims; raises unless the answer is an approval that nobody used before."""
        try:
            await self._client.run(self._plan.propose())
            self._approved = await self._client.run(self._plan.obtain())
        except BaseException as error:
            # A task that is cancelled still says that nobody waits.
            with anyio.CancelScope(shield=True):
                await self._client.run(self._plan.abandon(error))
            raise
        return self._approved

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Reports what came of it, also when the task is cancelled."""
        if self._approved is not None:
            with anyio.CancelScope(shield=True):
                await self._client.run(self._plan.report(self._approved, error))


def _gate(
    made: Callable[Concatenate[Settings, P], Plan],
) -> Callable[Concatenate[AsyncImpriClient, P], AsyncGate]:
    def method(self: AsyncImpriClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGate:
        return AsyncGate(self, made(self.settings, *args, **kwargs))

    return present(method, made, "gate")


class AsyncImpriClient:
    """The calls of `ImpriClient`, to be awaited. Belongs to the event loop that it is first used in."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout_s: float = 15.0,
        retry_for_s: float = 30.0,
        outage_s: float = 300.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Reads the settings; nothing is sent."""
        self.settings = Settings.read(
            api_key, base_url, os.environ, timeout_s=timeout_s, retry_for_s=retry_for_s, outage_s=outage_s
        )
        self._http = httpx.AsyncClient(headers=self.settings.headers(), transport=transport, follow_redirects=False)

    async def __aenter__(self) -> AsyncImpriClient:
        """Is itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the connections."""
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def run(self, flow: Flow[T]) -> T:
        """Drives a flow: sends what it yields and hands it the answers."""
        reply: Reply | None = None
        failure: Lost | None = None
        try:
            while True:
                step = flow.throw(failure) if failure else flow.send(reply)
                reply, failure = None, None
                if isinstance(step, Pause):
                    await anyio.sleep(step.seconds)
                    continue
                try:
                    reply = await self._send(step)
                except Lost as error:
                    failure = error
        except StopIteration as end:
            result: T = end.value
            return result

    async def _send(self, send: Send) -> Reply:
        reading = Reading(send)
        try:
            async with self._http.stream(
                send.method,
                self.settings.base_url + send.path,
                params=send.query or None,
                content=send.body,
                headers={"Content-Type": "application/json"} if send.body is not None else None,
                timeout=timeouts(self.settings, send),
            ) as response:
                async for chunk in response.aiter_bytes():
                    reading.add(chunk)
                return reading.end(response)
        except httpx.HTTPError as error:
            raise lost(error, self.settings) from error

    create_action = awaiting(_actions.create_action)
    get_action = awaiting(_actions.get_action)
    list_actions = awaiting(_actions.list_actions)
    iter_actions = iterating_async(_actions.list_actions, "iter_actions", Action)
    await_decision = awaiting(_waiting.await_decision)
    await_any = awaiting(_waiting.await_any)
    claim = awaiting(_waiting.claim)
    cancel = awaiting(_actions.cancel)
    report_result = awaiting(_actions.report_result)
    replay_callback = awaiting(_actions.replay_callback)
    decide = awaiting(_actions.decide)
    bulk_decide = awaiting(_actions.bulk_decide)

    gate = _gate(plan)
    approval_gate = gate

    async def gated_shell(self, command: str, purpose: str, **options: Any) -> str:
        """Run a shell command if a person approves it, and return what it printed; see `impri.gated_shell`."""
        job = _shell.Job(command, purpose, **options)
        async with AsyncGate(self, plan(self.settings, **job.proposal())) as approved:
            # A command that has begun is waited for, whatever becomes of the task: its result is to be reported.
            return await anyio.to_thread.run_sync(job.run, approved)

    def requires_approval(
        self,
        kind: str,
        title: str | Callable[..., str],
        *,
        preview: Any = None,
        editable: Sequence[str] = (),
        timeout_s: float | None = None,
        **proposal: Any,
    ) -> Callable[[Callable[..., Awaitable[R]]], Callable[..., Awaitable[R]]]:
        """Decorate a coroutine function, as `ImpriClient.requires_approval` does a function."""
        preparing = FromPreview(kind, title, preview, editable, timeout_s, proposal)
        return lambda function: wrap_awaiting(function, preparing, self.gate)

    create_key = awaiting(_admin.create_key)
    list_keys = awaiting(_admin.list_keys)
    revoke_key = awaiting(_admin.revoke_key)
    get_project = awaiting(_admin.get_project)
    update_project = awaiting(_admin.update_project)
    rotate_webhook_secret = awaiting(_admin.rotate_webhook_secret)
    export_project = awaiting(_admin.export_project)
    erase_project_data = awaiting(_admin.erase_project_data)
    list_audit = awaiting(_admin.list_audit)
    iter_audit = iterating_async(_admin.list_audit, "iter_audit", AuditEvent)
    export_audit = awaiting(_admin.export_audit)

    list_notification_channels = awaiting(_extras.list_notification_channels)
    create_notification_channel = awaiting(_extras.create_notification_channel)
    get_notification_channel = awaiting(_extras.get_notification_channel)
    update_notification_channel = awaiting(_extras.update_notification_channel)
    delete_notification_channel = awaiting(_extras.delete_notification_channel)
    test_notification_channel = awaiting(_extras.test_notification_channel)

    create_watcher = awaiting(_extras.create_watcher)
    list_watchers = awaiting(_extras.list_watchers)
    iter_watchers = iterating_async(_extras.list_watchers, "iter_watchers", Watcher)
    get_watcher = awaiting(_extras.get_watcher)
    update_watcher = awaiting(_extras.update_watcher)
    delete_watcher = awaiting(_extras.delete_watcher)
    list_watcher_presets = awaiting(_extras.list_watcher_presets)
    create_watcher_from_preset = awaiting(_extras.create_watcher_from_preset)
