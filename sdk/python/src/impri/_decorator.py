"""`@impri.gate`: a function that runs only with arguments that a person approved."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from string import Formatter
from typing import Any, TypeVar, cast

from ._content import canonical
from ._gate import ApprovedAction
from ._wrapping import Admit, Call, is_async, wrap_awaiting, wrap_blocking
from .aio import AsyncImpriClient
from .client import ImpriClient
from .errors import ImpriIntegrityError

F = TypeVar("F", bound=Callable[..., Any])

TITLE_MAX_CHARS = 500
# What is made of the arguments: a text with {names} in it, or a function that is called with them.
Template = str | Callable[..., str]


def gate(
    kind: str,
    title: Template,
    *,
    editable: Sequence[str] = (),
    exclude: Sequence[str] = (),
    preview: Callable[..., str | Mapping[str, Any]] | None = None,
    target_url: Template | None = None,
    undo: Template | None = None,
    idempotency_key: Template | None = None,
    idempotent: bool | None = None,
    callback_url: str | None = None,
    expires_in: int | None = None,
    valid_for: int | None = None,
    timeout_s: float | None = None,
    withdraw: bool | None = None,
    client: ImpriClient | AsyncImpriClient | None = None,
) -> Callable[[F], F]:
    """Decorate a function so that each call waits for a person, and runs with the arguments that they approved.

    The arguments are the proposal's payload, so they have to be JSON: texts, numbers, booleans, None, lists and
    dictionaries of such (a tuple arrives as a list). `editable` names those that the person may change. `exclude`
    names those that are nobody's business, like connections; `self` and `cls` always are. `title`, `target_url`,
    `undo` and `idempotency_key` are texts with the arguments' names in braces, or functions of the arguments; so is
    `preview`, which is a listing of the arguments without it. The rest is as in `client.gate`.

    A coroutine function is awaited meanwhile, any other blocks. Without `client` each call opens one of its own, from
    `IMPRI_API_KEY` and `IMPRI_BASE_URL`.
    """
    fixed = {
        "kind": kind,
        "idempotent": idempotent,
        "callback_url": callback_url,
        "expires_in": expires_in,
        "valid_for": valid_for,
        "timeout_s": timeout_s,
        "withdraw": withdraw,
    }
    templates = {"target_url": target_url, "undo": undo, "idempotency_key": idempotency_key}

    def decorate(function: F) -> F:
        preparing = FromArguments(title, preview, editable, exclude, templates, fixed)
        if is_async(function):
            if isinstance(client, ImpriClient):
                raise TypeError("A coroutine function needs an AsyncImpriClient.")
            async_gate = _own_async_gate if client is None else client.gate
            wrapped: Callable[..., Any] = wrap_awaiting(function, preparing, async_gate)
        else:
            if isinstance(client, AsyncImpriClient):
                raise TypeError("A function that is no coroutine function needs an ImpriClient.")
            wrapped = wrap_blocking(function, preparing, _own_gate if client is None else client.gate)
        return cast("F", wrapped)

    return decorate


@contextmanager
def _own_gate(**proposal: Any) -> Iterator[ApprovedAction]:
    with ImpriClient() as client, client.gate(**proposal) as approved:
        yield approved


@asynccontextmanager
async def _own_async_gate(**proposal: Any) -> AsyncIterator[ApprovedAction]:
    async with AsyncImpriClient() as client, client.gate(**proposal) as approved:
        yield approved


class FromArguments:
    """The proposals of `gate`: what is passed is what is approved."""

    def __init__(
        self,
        title: Template,
        preview: Callable[..., str | Mapping[str, Any]] | None,
        editable: Sequence[str],
        exclude: Sequence[str],
        templates: Mapping[str, Template | None],
        fixed: Mapping[str, Any],
    ) -> None:
        """Takes the arguments of the decorator."""
        if isinstance(editable, str) or isinstance(exclude, str):
            raise TypeError("editable and exclude are lists of names.")
        self._title = title
        self._preview = preview
        self._editable = list(editable)
        self._exclude = set(exclude)
        self._templates = {name: template for name, template in templates.items() if template is not None}
        self._fixed = dict(fixed)

    def check(self, function: Callable[..., Any]) -> None:
        """Every name has to be a parameter's, those in the texts as well."""
        names = list(inspect.signature(function).parameters)
        if names[:1] in (["self"], ["cls"]):
            self._exclude.add(names[0])
        unknown = [name for name in self._exclude if name not in names]
        unknown += [path for path in self._editable if path.split(".")[0] not in set(names) - self._exclude]
        texts = [text for text in (self._title, *self._templates.values()) if isinstance(text, str)]
        unknown += [name for text in texts for name in _named_in(text) if name not in set(names) - self._exclude]
        if unknown:
            raise TypeError(f"{', '.join(unknown)}: no such argument to approve; there are {', '.join(names)}.")

    def prepare(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[dict[str, Any], Admit]:
        """Shows the arguments, and lets the function have what comes back of them."""
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = {name: value for name, value in bound.arguments.items() if name not in self._exclude}
        for name, value in arguments.items():
            try:
                canonical(value)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"The argument {name} can't be shown to a person, as it is not JSON: {error}"
                ) from error
        # A copy: whoever holds the arguments may change them while they are waited for.
        shown = json.loads(json.dumps(arguments, allow_nan=False))
        proposal = {
            **self._fixed,
            **{name: _fill(template, shown) for name, template in self._templates.items()},
            "title": _one_line(_fill(self._title, shown)),
            "preview": self._show(function, shown),
            "payload": shown,
            "editable": [f"payload.{path}" for path in self._editable],
        }

        def admit(approved: ApprovedAction) -> Call:
            payload = approved.payload
            if not isinstance(payload, dict) or payload.keys() != shown.keys():
                raise ImpriIntegrityError("The approved arguments are not the arguments of the function.")
            bound.arguments.update(payload)
            return bound.args, bound.kwargs

        return proposal, admit

    def _show(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._preview is not None:
            preview = self._preview(**arguments)
            return {"format": "markdown", "body": preview} if isinstance(preview, str) else preview
        lines = [f"  {name} = {json.dumps(value, ensure_ascii=False)},\n" for name, value in arguments.items()]
        name = getattr(function, "__name__", "call")
        return {"format": "plain", "body": f"{name}(\n{''.join(lines)})" if lines else f"{name}()"}


def _fill(template: Template, arguments: Mapping[str, Any]) -> str:
    return template.format(**arguments) if isinstance(template, str) else template(**arguments)


def _named_in(template: str) -> list[str]:
    """The arguments that a text names in braces: of `{order.id!r:>5}`, order."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    except ValueError as error:
        raise TypeError(f"{template!r} can't be filled with arguments: {error}.") from error
    return [re.split(r"[.\[]", field)[0] or "{}" for field in fields]


def _one_line(text: str) -> str:
    """A title: arguments may be long and have lines, and are shown whole elsewhere."""
    text = " ".join(text.split())
    return text if len(text) <= TITLE_MAX_CHARS else text[: TITLE_MAX_CHARS - 1] + "…"
