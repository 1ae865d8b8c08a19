"""Functions behind a gate: what wraps them, and the wrapping that `requires_approval` asks for."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, ParamSpec, Protocol, TypeVar

from ._gate import ApprovedAction
from .errors import ImpriIntegrityError
from .models import Decision

P = ParamSpec("P")
R = TypeVar("R")

# How a function is called in the end.
Call = tuple[tuple[Any, ...], dict[str, Any]]
# What makes that of the approval.
Admit = Callable[[ApprovedAction], Call]


class Prepares(Protocol):
    """What knows how a call becomes a proposal."""

    def check(self, function: Callable[..., Any]) -> None:
        """Refuses a function that it can't prepare, when it is decorated and not when it is called."""

    def prepare(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], Admit]:
        """The arguments of `client.gate`, and what makes the call of the approval."""


def wrap_blocking(
    function: Callable[P, R], preparing: Prepares, gate: Callable[..., AbstractContextManager[ApprovedAction]]
) -> Callable[P, R]:
    """A function that blocks until it may run."""
    _refuse(function, awaited=False)
    preparing.check(function)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        proposal, admit = preparing.prepare(function, args, kwargs)
        with gate(**proposal) as approved:
            approved_args, approved_kwargs = admit(approved)
            return function(*approved_args, **approved_kwargs)

    return _disguise(call, function)


def wrap_awaiting(
    function: Callable[P, Awaitable[R]],
    preparing: Prepares,
    gate: Callable[..., AbstractAsyncContextManager[ApprovedAction]],
) -> Callable[P, Awaitable[R]]:
    """A coroutine function that is awaited until it may run."""
    _refuse(function, awaited=True)
    preparing.check(function)

    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        proposal, admit = preparing.prepare(function, args, kwargs)
        async with gate(**proposal) as approved:
            approved_args, approved_kwargs = admit(approved)
            return await function(*approved_args, **approved_kwargs)

    return _disguise(call, function)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call of it is to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _refuse(function: Callable[..., Any], *, awaited: bool) -> None:
    name = getattr(function, "__qualname__", repr(function))
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name} is a generator: it would run after its gate was closed. Gate what it calls.")
    if inspect.isclass(function) or not callable(function):
        raise TypeError(f"{name} is no function.")
    if is_async(function) != awaited:
        kind = "a coroutine function" if awaited else "no coroutine function"
        raise TypeError(f"{name} has to be {kind}, to fit its client.")


def _disguise(call: Callable[P, R], function: Callable[..., Any]) -> Callable[P, R]:
    """Gives the wrapper the function's name, documentation and signature, from which frameworks make a tool.

    There is no `__wrapped__`: whoever unwraps would get past the gate.
    """
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(function, name):
            setattr(call, name, getattr(function, name))
    signature = inspect.signature(function)
    # Annotations that are texts mean something in the function's module only.
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:
        hints = dict(getattr(function, "__annotations__", {}))
    parameters = [
        parameter.replace(annotation=hints.get(name, parameter.annotation))
        for name, parameter in signature.parameters.items()
    ]
    call.__annotations__ = hints
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=hints.get("return", signature.return_annotation)
    )
    return call


class FromPreview:
    """The proposals of `requires_approval`: what the caller shows, not what is passed."""

    def __init__(
        self,
        kind: str,
        title: str | Callable[..., str],
        preview: Mapping[str, Any] | Callable[..., Mapping[str, Any]] | None,
        editable: Sequence[str],
        timeout_s: float | None,
        proposal: Mapping[str, Any],
    ) -> None:
        """Takes the arguments of the decorator."""
        self._kind = kind
        self._title = title
        self._preview = preview
        self._fixed = {**proposal, "kind": kind, "editable": list(editable), "timeout_s": timeout_s}
        self._takes_body = "preview.body" in editable

    def check(self, function: Callable[..., Any]) -> None:
        """The edited text needs somewhere to go."""
        parameters = inspect.signature(function).parameters
        if self._takes_body and not ("body" in parameters or _accepts(parameters, "_decision")):
            raise TypeError("preview.body is editable: the function needs a parameter body, or _decision.")

    def prepare(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], Admit]:
        """Shows the title and preview that were made of the arguments."""
        signature = inspect.signature(function)
        sees_decision = self._takes_body and "body" not in signature.parameters

        def call(approved: ApprovedAction | None) -> Call:
            """The call, or what it will be like: that it does not fit is to be known before anything is proposed."""
            if sees_decision:
                bound = signature.bind(*args, **kwargs, _decision=approved and (approved.decision or Decision()))
            elif self._takes_body:
                bound = signature.bind_partial(*args, **kwargs)
                bound.arguments["body"] = approved and approved.preview.body
                bound = signature.bind(*bound.args, **bound.kwargs)
            else:
                bound = signature.bind(*args, **kwargs)
            return bound.args, bound.kwargs

        def admit(approved: ApprovedAction) -> Call:
            edited = (approved.decision or Decision()).edited or []
            unseen = [path for path in edited if path != "preview.body"]
            if unseen and not sees_decision:
                raise ImpriIntegrityError(f"{', '.join(unseen)} was edited, and the function can't see it.")
            return call(approved)

        call(None)
        preview = self._preview(*args, **kwargs) if callable(self._preview) else self._preview
        title = self._title(*args, **kwargs) if callable(self._title) else self._title
        proposal = {**self._fixed, "title": title, "preview": preview or {"format": "plain", "body": ""}}
        return proposal, admit


def _accepts(parameters: Mapping[str, inspect.Parameter], name: str) -> bool:
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
