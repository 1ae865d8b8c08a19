"""Both clients as one: the same test calls the blocking one, or the other through an event loop in a thread."""

from __future__ import annotations

import functools
import inspect
from contextlib import AbstractContextManager
from typing import Any

from anyio.from_thread import BlockingPortal

from impri import ApprovedAction, AsyncImpriClient, ImpriClient


class Either:
    """A client of either sort; every attribute is the client's."""

    def __init__(self, client: ImpriClient | AsyncImpriClient, portal: BlockingPortal | None) -> None:
        self.client = client
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)
        portal = self._portal
        if portal is None or not callable(method):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            return portal.call(functools.partial(_settle, method, args, kwargs))

        return call

    def gate(self, *args: Any, **kwargs: Any) -> AbstractContextManager[ApprovedAction]:
        if isinstance(self.client, ImpriClient):
            return self.client.gate(*args, **kwargs)
        assert self._portal is not None
        return self._portal.wrap_async_context_manager(self.client.gate(*args, **kwargs))


async def _settle(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = method(*args, **kwargs)
    if inspect.isawaitable(result):
        return await result
    if inspect.isasyncgen(result):
        return [item async for item in result]
    return result
