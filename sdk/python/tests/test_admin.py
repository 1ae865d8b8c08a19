"""Keys, the project, its history, and what this server leaves out, with both clients."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest

from impri import (
    ImpriApiError,
    ImpriNotFound,
    ImpriUnauthorized,
    ImpriValidationError,
)

from .conftest import Make
from .support.either import Either
from .support.server import Server

PREVIEW = {"format": "plain", "body": "b"}


def test_keys_are_made_listed_and_revoked(admin: Either, make: Make, server: Server, kind: str) -> None:
    made = admin.create_key(kind, ["actions"], expires_in=3600)
    assert made.key.startswith("im_")
    assert (made.name, made["scopes"], made.expires_at - made.created_at) == (kind, ["actions"], 3600)
    agent = make(made.key, server.url)
    assert agent.create_action(kind, "t", PREVIEW).agent == kind
    (listed,) = [key for key in admin.list_keys() if key["id"] == made.id]
    assert (listed.name, listed.revoked, listed.prefix) == (kind, False, made.key[:16])
    assert "key" not in listed
    assert admin.revoke_key(made.id) is None
    with pytest.raises(ImpriUnauthorized, match="not valid"):
        agent.list_actions()
    with pytest.raises(ImpriNotFound):
        admin.revoke_key(made.id)
    with pytest.raises(ImpriValidationError):
        admin.create_key(kind, ["everything"])


def test_an_agent_makes_no_keys(agent: Either) -> None:
    calls: list[Callable[[], object]] = [
        lambda: agent.create_key("k", ["decide"]),
        agent.list_keys,
        agent.get_project,
        lambda: agent.update_project(allow_self_approval=True),
        agent.list_audit,
        agent.export_audit,
        agent.export_project,
        agent.erase_project_data,
        agent.rotate_webhook_secret,
    ]
    for call in calls:
        with pytest.raises(ImpriUnauthorized, match="scope"):
            call()


def test_the_project_is_read_and_changed(admin: Either, server: Server) -> None:
    project = admin.get_project()
    assert project.webhook_secret == server.webhook_secret()
    assert admin.update_project(name="Harbour", timezone="Europe/Berlin").name == "Harbour"
    assert (admin.get_project().name, admin.get_project()["timezone"]) == ("Harbour", "Europe/Berlin")
    with pytest.raises(ImpriValidationError, match="timezone"):
        admin.update_project(timezone="Middle/Earth")
    fresh = admin.rotate_webhook_secret()
    assert fresh.webhook_secret == server.webhook_secret() != project.webhook_secret


def test_a_key_decides_its_own_only_where_that_is_allowed(
    admin: Either, make: Make, own_server: Server, kind: str
) -> None:
    all_powerful = make(own_server.admin_key, own_server.url)
    action = all_powerful.create_action(kind, "t", PREVIEW)
    with pytest.raises(ImpriUnauthorized, match="proposed"):
        all_powerful.decide(action.id, "approve")
    all_powerful.update_project(allow_self_approval=True)
    assert all_powerful.decide(action.id, "approve").status == "approved"


def test_the_history_is_listed_and_exported(admin: Either, agent: Either, decider: Either, kind: str) -> None:
    action = agent.create_action(kind, "t", PREVIEW)
    decider.decide(action.id, "reject")
    page = admin.list_audit(entity_id=action.id, limit=1)
    assert ([event.event for event in page["items"]], page.has_more) == (["action.rejected"], True)
    events = list(admin.iter_audit(entity_id=action.id, limit=1))
    assert [event["event"] for event in events] == ["action.rejected", "action.created"]
    assert (events[0].actor_name, events[0].action_id) == ("sdk-decider", action.id)
    assert list(admin.iter_audit(entity_id=action.id, type="action.cre"))[:1] == []
    assert [each.event for each in admin.iter_audit(entity_id=action.id, type="action.created")] == ["action.created"]

    found = list(admin.iter_audit(kind=kind, agent="sdk-agent", verdict="reject", edited=False))
    assert [each.action_id for each in found] == [action.id]
    assert list(admin.iter_audit(kind=kind, edited=True, channel="api")) == []

    lines = admin.export_audit(entity_id=action.id).splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["action.rejected", "action.created"]
    rows = list(csv.DictReader(io.StringIO(admin.export_audit(format="csv", entity_id=action.id))))
    assert [row["event"] for row in rows] == ["action.rejected", "action.created"]


def test_everything_is_exported_and_erased(make: Make, own_server: Server, kind: str) -> None:
    admin, agent = (make(key, own_server.url) for key in (own_server.admin_key, own_server.agent_key))
    action = agent.create_action(kind, "t", {"format": "plain", "body": "a secret"})
    export = admin.export_project()
    assert [each["id"] for each in export["actions"]] == [action.id]
    assert {key["name"] for key in export["keys"]} >= {"sdk-agent", "sdk-admin"}
    assert own_server.admin_key not in json.dumps(export)
    erased = admin.erase_project_data()
    assert (erased["erased"], erased.actions) == (True, 1)
    left = agent.get_action(action.id)
    assert left.status == "cancelled"  # without its content there is nothing to decide
    assert "a secret" not in json.dumps(left)


def test_channels_are_made_changed_and_deleted(admin: Either, kind: str) -> None:
    config = {"url": "https://ntfy.example.org", "topic": "impri", "token": "tk_secret_9876"}
    made = admin.create_notification_channel(kind, "ntfy", config, enabled=False)
    assert (made.name, made.type, made.enabled) == (kind, "ntfy", False)
    assert "secret" not in json.dumps(made.config)
    assert made.id in [channel.id for channel in admin.list_notification_channels()]
    changed = admin.update_notification_channel(made.id, name=f"{kind} two", digest_window_sec=90)
    assert (changed.name, changed.digest_window_sec) == (f"{kind} two", 90)
    assert admin.get_notification_channel(made.id).name == f"{kind} two"
    admin.delete_notification_channel(made.id)
    with pytest.raises(ImpriNotFound):
        admin.get_notification_channel(made.id)
    with pytest.raises(ImpriValidationError, match="IMPRI_SMTP_HOST"):
        admin.create_notification_channel("n", "email", {"address": "a@example.org"})


def test_what_this_server_leaves_out_is_empty_and_says_so(admin: Either) -> None:
    assert admin.list_watchers()["items"] == []
    assert list(admin.iter_watchers()) == []
    assert admin.list_watcher_presets().presets == []
    makers: list[Callable[[], object]] = [
        lambda: admin.create_watcher("n", "rss", {"url": "https://example.org/"}, {"every": "8h"}),
        lambda: admin.create_watcher_from_preset("hn", params={"a": "b"}, more=1),
    ]
    for call in makers:
        with pytest.raises(ImpriApiError, match="This server") as refused:
            call()
        assert refused.value.status_code == 501
    readers: list[Callable[[], object]] = [
        lambda: admin.get_watcher("wat_1"),
        lambda: admin.update_watcher("wat_1", status="paused"),
        lambda: admin.delete_watcher("wat_1"),
        lambda: admin.get_notification_channel("nchan_1"),
        lambda: admin.update_notification_channel("nchan_1", enabled=False),
        lambda: admin.delete_notification_channel("nchan_1"),
        lambda: admin.test_notification_channel("nchan_1"),
    ]
    for call in readers:
        with pytest.raises(ImpriNotFound):
            call()
