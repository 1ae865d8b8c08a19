"""Flows as methods: one signature and one documentation for the blocking client and the other."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from ._wire import Flow, Settings
from .errors import ImpriProtocolError
from .models import PagedResult

P = ParamSpec("P")
T = TypeVar("T")


class Blocking(Protocol):
    """A client that blocks."""

    settings: Settings

    def run(self, flow: Flow[T]) -> T:
        """Drives a flow to its end."""


class Awaiting(Protocol):
    """A client that is awaited."""

    settings: Settings

    async def run(self, flow: Flow[T]) -> T:
        """Drives a flow to its end."""


def blocking(flow: Callable[Concatenate[Settings, P], Flow[T]]) -> Callable[Concatenate[Blocking, P], T]:
    """The flow as a method of a blocking client."""

    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(flow(self.settings, *args, **kwargs))

    return present(method, flow)


def awaiting(
    flow: Callable[Concatenate[Settings, P], Flow[T]],
) -> Callable[Concatenate[Awaiting, P], Awaitable[T]]:
    """The flow as a method of a client that is awaited."""

    async def method(self: Awaiting, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(flow(self.settings, *args, **kwargs))

    return present(method, flow)


def iterating(
    flow: Callable[Concatenate[Settings, P], Flow[PagedResult]], name: str, kind: type[T]
) -> Callable[Concatenate[Blocking, P], Iterator[T]]:
    """A list's entries over all its pages."""

    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        while True:
            page = self.run(flow(self.settings, *args, **kwargs))
            yield from page["items"]
            if not page.has_more:
                return
            kwargs.update(_next(page, kwargs))

    return present(method, flow, name, f"Every {kind.__name__} of the list, page by page.")


def iterating_async(
    flow: Callable[Concatenate[Settings, P], Flow[PagedResult]], name: str, kind: type[T]
) -> Callable[Concatenate[Awaiting, P], AsyncIterator[T]]:
    """The same, to be awaited."""

    async def method(self: Awaiting, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        while True:
            page = await self.run(flow(self.settings, *args, **kwargs))
            for item in page["items"]:
                yield item
            if not page.has_more:
                return
            kwargs.update(_next(page, kwargs))

    return present(method, flow, name, f"Every {kind.__name__} of the list, page by page.")


def _next(page: PagedResult, asked: Any) -> dict[str, Any]:
    if page.next_cursor == asked.get("cursor"):
        raise ImpriProtocolError("The list leads back to the same page.")
    return {"cursor": page.next_cursor}


M = TypeVar("M", bound=Callable[..., Any])


def present(method: M, flow: Callable[..., Any], name: str | None = None, doc: str | None = None) -> M:
    """Shows the method to `help` and to editors as the flow, with `self` for the settings."""
    signature = inspect.signature(flow)
    first, *rest = signature.parameters.values()
    method.__name__ = name or flow.__name__
    method.__qualname__ = f"client.{method.__name__}"
    method.__doc__ = doc or flow.__doc__
    shown = signature.replace(parameters=[first.replace(name="self", annotation=inspect.Parameter.empty), *rest])
    method.__signature__ = shown  # type: ignore[attr-defined]
    return method
