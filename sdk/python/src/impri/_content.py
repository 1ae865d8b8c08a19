"""What is proposed and approved, and whether what came back is that.

The digest is SHA-256 over the RFC 8785 form of `{kind, title, preview, payload, target_url}`, as the server computes
it. The client computes it anew, so that neither a proxy nor a cache nor a mix-up can put another content under an
approval.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rfc8785

from .errors import ImpriIntegrityError, ImpriProtocolError

_MISSING = object()


def content_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a proposal or an action that the digest covers, as the server fills it in."""
    preview = values.get("preview")
    if not isinstance(preview, Mapping):
        raise ImpriProtocolError("There is no preview: it does not come from Impri.")
    shown = preview.get("format")
    content: dict[str, Any] = {
        "kind": values.get("kind"),
        "title": values.get("title"),
        "preview": {"format": "plain" if shown in (None, "text") else shown, "body": preview.get("body")},
    }
    for name in ("payload", "target_url"):
        if values.get(name) is not None:
            content[name] = values[name]
    return content


def digest(value: object) -> str:
    """SHA-256 of a JSON value's canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def canonical(value: Any) -> bytes:
    """The one way to write a JSON value; a `ValueError` for what is none."""
    return rfc8785.dumps(value)


def require_digest(action: Mapping[str, Any], name: str, content: Mapping[str, Any]) -> None:
    """Makes sure that the action's digest `name` is that of this content."""
    try:
        found = digest(content)
    except ValueError as error:
        raise ImpriIntegrityError(f"The content that came back has no digest: {error}") from error
    if action.get(name) != found:
        raise ImpriIntegrityError(
            f"{name} of action {action.get('id')} is not the digest of its content. Nothing was run; look at the "
            "action in the inbox, and at what stands between here and the server."
        )


def require_only_allowed_edits(
    proposed: Mapping[str, Any], approved: Mapping[str, Any], editable: Sequence[str]
) -> None:
    """Makes sure that the approved content differs from the proposed one only where the proposal allows it."""
    allowed = [tuple(path.split(".")) for path in editable]
    for path in _differences(proposed, approved, ()):
        if not any(path[: len(prefix)] == prefix for prefix in allowed):
            name = ".".join(path) or "the content"
            raise ImpriIntegrityError(f"{name} was changed, which the proposal does not allow. Nothing was run.")


def _differences(before: object, after: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The innermost places where two JSON values differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted(before.keys() | after.keys()):
            yield from _differences(before.get(name, _MISSING), after.get(name, _MISSING), (*path, name))
    elif isinstance(before, list | tuple) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, (*path, str(index)))
    elif before is _MISSING or after is _MISSING or canonical(before) != canonical(after):
        yield path
