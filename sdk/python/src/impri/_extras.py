"""The calls about notification channels and watchers, as flows. A server without them refuses with what it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._actions import read_page
from ._wire import Flow, Reply, Send, Settings, call, encode, members, parse, query, segment
from .errors import ImpriProtocolError
from .models import (
    ChannelTestResult,
    ChannelType,
    NotificationChannel,
    PagedResult,
    Watcher,
    WatcherKind,
    WatcherPresetList,
)

CHANNELS = "/v1/notification-channels"
WATCHERS = "/v1/watchers"


def list_notification_channels(settings: Settings) -> Flow[list[NotificationChannel]]:
    """List where the project's news go; secrets are masked."""
    send = Send("GET", CHANNELS, settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, _channels))


def _channels(reply: Reply) -> list[NotificationChannel]:
    channels = parse(reply).get("channels")
    if not isinstance(channels, list):
        raise ImpriProtocolError("The answer has no list 'channels': it does not come from Impri.")
    return [NotificationChannel(channel) for channel in channels]


def create_notification_channel(
    settings: Settings,
    name: str,
    type: ChannelType,  # noqa: A002 - the member's name in the API
    config: Mapping[str, Any],
    *,
    enabled: bool = True,
    digest_window_sec: int = 60,
) -> Flow[NotificationChannel]:
    """Add a place for news to go."""
    body = {
        "name": name,
        "type": type,
        "config": dict(config),
        "enabled": enabled,
        "digest_window_sec": digest_window_sec,
    }
    send = Send("POST", CHANNELS, settings.timeout_s, body=encode(body), repeatable=False)
    return (yield from call(send, settings.retry_for_s, _channel))


def get_notification_channel(settings: Settings, channel_id: str) -> Flow[NotificationChannel]:
    """Read a channel."""
    send = Send("GET", f"{CHANNELS}/{segment(channel_id)}", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, _channel))


def update_notification_channel(
    settings: Settings,
    channel_id: str,
    *,
    name: str | None = None,
    config: Mapping[str, Any] | None = None,
    enabled: bool | None = None,
    digest_window_sec: int | None = None,
) -> Flow[NotificationChannel]:
    """Change what is given of a channel."""
    body = members({"name": name, "config": config, "enabled": enabled, "digest_window_sec": digest_window_sec})
    send = Send("PATCH", f"{CHANNELS}/{segment(channel_id)}", settings.timeout_s, body=encode(body))
    return (yield from call(send, settings.retry_for_s, _channel))


def delete_notification_channel(settings: Settings, channel_id: str) -> Flow[None]:
    """Remove a channel."""
    send = Send("DELETE", f"{CHANNELS}/{segment(channel_id)}", settings.timeout_s, repeatable=False)
    yield from call(send, settings.retry_for_s, parse)


def test_notification_channel(settings: Settings, channel_id: str) -> Flow[ChannelTestResult]:
    """Send a test message through a channel."""
    path = f"{CHANNELS}/{segment(channel_id)}/test"
    send = Send("POST", path, settings.timeout_s, repeatable=False)
    return (yield from call(send, settings.retry_for_s, lambda reply: ChannelTestResult(parse(reply))))


def _channel(reply: Reply) -> NotificationChannel:
    return NotificationChannel(parse(reply))


def create_watcher(
    settings: Settings,
    name: str,
    kind: WatcherKind,
    config: Mapping[str, Any],
    schedule: Mapping[str, Any],
    *,
    keywords: Sequence[Mapping[str, Any]] = (),
    keywords_none: Sequence[str] = (),
    min_score: int = 1,
) -> Flow[Watcher]:
    """Make a watcher, on a server that runs them."""
    body = {
        "name": name,
        "kind": kind,
        "config": dict(config),
        "schedule": dict(schedule),
        "keywords": list(keywords),
        "keywords_none": list(keywords_none),
        "min_score": min_score,
    }
    send = Send("POST", WATCHERS, settings.timeout_s, body=encode(body), repeatable=False)
    return (yield from call(send, settings.retry_for_s, _watcher))


def list_watchers(
    settings: Settings,
    *,
    status: str | None = None,
    kind: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Flow[PagedResult]:
    """List watchers, newest first, a page at a time."""
    filters = query({"status": status, "kind": kind, "limit": limit, "cursor": cursor})
    send = Send("GET", WATCHERS, settings.timeout_s, filters)
    return (yield from call(send, settings.retry_for_s, lambda reply: read_page(reply, Watcher)))


def get_watcher(settings: Settings, watcher_id: str) -> Flow[Watcher]:
    """Read a watcher."""
    send = Send("GET", f"{WATCHERS}/{segment(watcher_id)}", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, _watcher))


def update_watcher(
    settings: Settings,
    watcher_id: str,
    *,
    name: str | None = None,
    config: Mapping[str, Any] | None = None,
    keywords: Sequence[Mapping[str, Any]] | None = None,
    keywords_none: Sequence[str] | None = None,
    min_score: int | None = None,
    schedule: Mapping[str, Any] | None = None,
    status: str | None = None,
) -> Flow[Watcher]:
    """Change what is given of a watcher."""
    body = members(
        {
            "name": name,
            "config": config,
            "keywords": keywords,
            "keywords_none": keywords_none,
            "min_score": min_score,
            "schedule": schedule,
            "status": status,
        }
    )
    send = Send("PATCH", f"{WATCHERS}/{segment(watcher_id)}", settings.timeout_s, body=encode(body))
    return (yield from call(send, settings.retry_for_s, _watcher))


def delete_watcher(settings: Settings, watcher_id: str) -> Flow[None]:
    """Remove a watcher."""
    send = Send("DELETE", f"{WATCHERS}/{segment(watcher_id)}", settings.timeout_s, repeatable=False)
    yield from call(send, settings.retry_for_s, parse)


def list_watcher_presets(settings: Settings) -> Flow[WatcherPresetList]:
    """List ready-made watchers."""
    send = Send("GET", "/v1/watcher-presets", settings.timeout_s)
    return (yield from call(send, settings.retry_for_s, lambda reply: WatcherPresetList(parse(reply))))


def create_watcher_from_preset(
    settings: Settings,
    /,
    preset_id: str,
    *,
    params: Mapping[str, str] | None = None,
    name: str | None = None,
    schedule: Mapping[str, Any] | None = None,
    **more: Any,
) -> Flow[Watcher]:
    """Make a watcher from a ready-made one."""
    body = {
        "preset_id": preset_id,
        "params": dict(params or {}),
        **members({"name": name, "schedule": schedule}),
        **more,
    }
    send = Send("POST", f"{WATCHERS}/from-preset", settings.timeout_s, body=encode(body), repeatable=False)
    return (yield from call(send, settings.retry_for_s, _watcher))


def _watcher(reply: Reply) -> Watcher:
    return Watcher(parse(reply))
