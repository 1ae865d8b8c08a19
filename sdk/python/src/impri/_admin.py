"""The calls about keys, the project and its history, as flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._actions import read_page
from ._wire import (
    EXPORT_MAX_BYTES,
    Flow,
    Reply,
    Send,
    Settings,
    call,
    encode,
    members,
    parse,
    query,
    segment,
)
from .errors import ImpriProtocolError
from .models import ApiKey, ApiKeyCreated, AuditEvent, PagedResult, Project, ProjectExport, Record, Scope

# An export is written while it is read, and may be long.
EXPORT_TIMEOUT_S = 600.0


def create_key(
    settings: Settings, name: str, scopes: Sequence[Scope], *, expires_in: int | None = None
) -> Flow[ApiKeyCreated]:
    """Make an API key, valid for so many seconds or without end. Its secret is in the answer, this once."""
    body = encode(members({"name": name, "scopes": list(scopes), "expires_in": expires_in}))
    send = Send("POST", "/v1/keys", settings.timeout_s, body=body, repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: ApiKeyCreated(parse(reply))))


def list_keys(settings: Settings) -> Flow[list[ApiKey]]:
    """List the project's keys, revoked ones among them."""
    send = Send("GET", "/v1/keys", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, _keys))


def _keys(reply: Reply) -> list[ApiKey]:
    items: list[ApiKey] = read_page(reply, ApiKey)["items"]
    return items


def revoke_key(settings: Settings, key_id: str) -> Flow[None]:
    """Revoke a key; it is refused from then on."""
    send = Send("DELETE", f"/v1/keys/{segment(key_id)}", settings.timeout_s, repeatable=False)
    yield from call(send, settings.retry_for_s, parse)


def get_project(settings: Settings) -> Flow[Project]:
    """Read the project that the key belongs to."""
    send = Send("GET", "/v1/project", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, lambda reply: Project(parse(reply))))


def update_project(
    settings: Settings,
    *,
    name: str | None = None,
    timezone: str | None = None,
    allow_self_approval: bool | None = None,
) -> Flow[Project]:
    """Change what is given of the project's settings."""
    body = encode(members({"name": name, "timezone": timezone, "allow_self_approval": allow_self_approval}))
    send = Send("PATCH", "/v1/project", settings.timeout_s, body=body)
    return (yield from call(send, settings.retry_for_s, lambda reply: Project(parse(reply))))


def rotate_webhook_secret(settings: Settings) -> Flow[Record]:
    """Replace the secret that signs callbacks; the old one signs nothing any more."""
    send = Send("POST", "/v1/project/rotate-webhook-secret", settings.timeout_s, repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: Record(parse(reply))))


def export_project(settings: Settings) -> Flow[ProjectExport]:
    """Everything that the project holds."""
    send = Send("GET", "/v1/project/export", EXPORT_TIMEOUT_S, max_bytes=EXPORT_MAX_BYTES)
    return (yield from call(send, settings.retry_for_s, lambda reply: ProjectExport(parse(reply))))


def erase_project_data(settings: Settings) -> Flow[Record]:
    """Erase what was written in the project; that it happened stays. There is no way back."""
    send = Send("DELETE", "/v1/project/data", settings.timeout_s, repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: Record(parse(reply))))


def list_audit(
    settings: Settings,
    *,
    type: str | None = None,  # noqa: A002 - the parameter's name in the API
    actor: str | None = None,
    entity_id: str | None = None,
    agent: str | None = None,
    kind: str | None = None,
    channel: str | None = None,
    verdict: Literal["approve", "reject"] | None = None,
    edited: bool | None = None,
    since: int | None = None,
    until: int | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Flow[PagedResult]:
    """List the history, newest first, a page at a time. A `type` that ends with a dot means all that begin so."""
    filters = query(
        {
            "type": type,
            "actor": actor,
            "entity_id": entity_id,
            "agent": agent,
            "kind": kind,
            "channel": channel,
            "verdict": verdict,
            "edited": edited,
            "since": since,
            "until": until,
            "limit": limit,
            "cursor": cursor,
        }
    )
    send = Send("GET", "/v1/audit", settings.timeout_s, filters)
    return (yield from call(send, settings.retry_for_s, lambda reply: read_page(reply, AuditEvent)))


def export_audit(
    settings: Settings,
    *,
    format: Literal["json", "csv"] = "json",  # noqa: A002 - the parameter's name in the API
    type: str | None = None,  # noqa: A002 - the same
    actor: str | None = None,
    entity_id: str | None = None,
    agent: str | None = None,
    kind: str | None = None,
    channel: str | None = None,
    verdict: Literal["approve", "reject"] | None = None,
    edited: bool | None = None,
    since: int | None = None,
    until: int | None = None,
) -> Flow[str]:
    """Get the history as text: one JSON object per line, or CSV."""
    filters = {
        "format": format,
        "type": type,
        "actor": actor,
        "entity_id": entity_id,
        "agent": agent,
        "kind": kind,
        "channel": channel,
        "verdict": verdict,
        "edited": edited,
        "since": since,
        "until": until,
    }
    send = Send("GET", "/v1/audit/export", EXPORT_TIMEOUT_S, query(filters), max_bytes=EXPORT_MAX_BYTES)
    return (yield from call(send, settings.retry_for_s, _text))


def _text(reply: Reply) -> str:
    if "html" in reply.headers.get("content-type", ""):
        raise ImpriProtocolError("The answer is a web page, not an export.")
    try:
        return reply.content.decode()
    except UnicodeDecodeError as error:
        raise ImpriProtocolError("The export is not UTF-8.") from error
