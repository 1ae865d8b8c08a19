"""What the server answers with: dictionaries whose members can be read as attributes, too.

Code written for this API indexes dictionaries, and a newer server may send members that this client does not know;
both rule out dataclasses. The annotations are for editors and type checkers: an annotated member that the server left
out reads as `None`, and one that nobody knows is an `AttributeError`.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Literal

ActionStatus = Literal["pending", "approved", "rejected", "expired", "cancelled", "executed", "execute_failed"]
ChannelType = Literal["slack", "discord", "telegram", "ntfy", "email", "webhook"]
Scope = Literal["actions", "decide", "audit", "admin", "watch"]
Verdict = Literal["approve", "reject"]
WatcherKind = Literal["rss", "reddit_search", "url_diff"]

# What is sent for these is what the caller writes.
ScoringRule = dict[str, Any]
WatcherConfig = dict[str, Any]
WatcherSchedule = dict[str, Any]


class Record(dict[str, Any]):
    """A JSON object. `record["id"]` and `record.id` are the same."""

    nested: ClassVar[dict[str, type[Record]]] = {}
    known: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        """Notes which members are annotated."""
        cls.known = cls.known | frozenset(inspect.get_annotations(cls))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what `dict` takes; members that are objects themselves become records."""
        super().__init__(*args, **kwargs)
        for name, kind in self.nested.items():
            value = self.get(name)
            if isinstance(value, dict) and not isinstance(value, kind):
                self[name] = kind(value)
            elif isinstance(value, list):
                self[name] = [kind(item) if isinstance(item, dict) else item for item in value]

    def __getattr__(self, name: str) -> Any:
        """Reads a member; only called for what is no method or attribute."""
        if name in self:
            return self[name]
        if name in self.known:
            return None
        raise AttributeError(f"{type(self).__name__} has no member {name!r}")


class Preview(Record):
    """What a person reads."""

    format: str
    body: str


class Decider(Record):
    """Who decided."""

    type: str
    id: str
    name: str


class Decision(Record):
    """A decision."""

    nested = {"final_preview": Preview, "decided_by": Decider}  # noqa: RUF012 - declared in Record
    verdict: str
    decided_at: int
    decided_by: Decider | None
    channel: str | None
    comment: str | None
    final_preview: Preview | None
    edited: list[str] | None
    diff: str | None


class Original(Record):
    """What was proposed, where the approved version differs."""

    nested = {"preview": Preview}  # noqa: RUF012
    title: str
    preview: Preview
    payload: Any


class WebhookDelivery(Record):
    """How far the delivery to `callback_url` has come."""

    status: str
    attempt: int
    last_status_code: int | None
    last_error: str | None


class Action(Record):
    """An action. After an edited approval `title`, `preview` and `payload` are the approved version."""

    nested = {  # noqa: RUF012
        "preview": Preview,
        "decision": Decision,
        "original": Original,
        "webhook_delivery": WebhookDelivery,
    }
    id: str
    status: str
    kind: str
    title: str
    preview: Preview
    payload: Any
    target_url: str | None
    callback_url: str | None
    idempotency_key: str | None
    editable: list[str]
    idempotent: bool | None
    undo: str | None
    agent: str | None
    content_sha256: str | None
    approved_sha256: str | None
    inbox_url: str | None
    created_at: int
    updated_at: int
    expires_at: int
    valid_until: int | None
    original: Original | None
    decision: Decision | None
    receipt: str | None
    claimed_at: int | None
    result_at: int | None
    result_detail: str | None
    result_payload: Any
    webhook_delivery: WebhookDelivery | None
    duplicate_of: str | None
    is_untrusted: bool

    @property
    def action_id(self) -> str:
        """The id, under the name that callbacks use."""
        return self.id


class DecisionResult(Decision):
    """The answer to a decision."""

    id: str
    status: str
    receipt: str | None


class BulkDecisionResult(Record):
    """What became of one action of many."""

    id: str
    ok: bool
    status: str | None
    error: str | None
    current_status: str | None


class BulkDecisionResponse(Record):
    """What became of many actions; some may have failed."""

    nested = {"results": BulkDecisionResult}  # noqa: RUF012
    results: list[BulkDecisionResult]
    succeeded: int
    failed: int


class ResultAck(Record):
    """The answer to a report."""

    id: str
    status: str
    updated_at: int


class PagedResult(Record):
    """One page of a list. Its entries are `page["items"]`: `items` itself is a method of dictionaries."""

    has_more: bool
    next_cursor: str | None


class AuditEvent(Record):
    """One entry of the history."""

    id: int
    event: str
    action_id: str | None
    actor: str | None
    actor_name: str | None
    actor_type: str | None
    channel: str | None
    data: Any
    created_at: int


class ApiKey(Record):
    """A key, without its secret."""

    id: str
    project_id: str
    prefix: str
    name: str
    scopes: list[str]
    created_at: int
    last_used_at: int | None
    expires_at: int | None
    revoked: bool


class ApiKeyCreated(ApiKey):
    """A new key. `key` is told this once."""

    key: str
    note: str | None


class Project(Record):
    """A project, with the secret that signs its callbacks."""

    id: str
    name: str
    timezone: str
    allow_self_approval: bool | None
    webhook_secret: str | None
    created_at: int


class ProjectExport(Record):
    """Everything that a project holds. Its keys are `export["keys"]`: `keys` itself is a method of dictionaries."""

    exported_at: int
    project: Any
    people: list[Any]
    actions: list[Any]
    decisions: list[Any]
    watchers: list[Any]
    audit_log: list[Any]


class Watcher(Record):
    """A poller of a server that has them."""

    id: str
    name: str
    kind: str
    config: dict[str, Any]
    keywords: list[Any]
    keywords_none: list[str]
    min_score: int
    schedule: dict[str, Any]
    status: str
    fail_count: int
    last_error: str | None
    last_run_at: int | None
    next_run_at: int | None
    item_count: int | None


class WatcherPreset(Record):
    """A ready-made watcher."""

    id: str
    title: str
    description: str
    category: str
    kind: str
    params: list[Any]


class WatcherPresetList(Record):
    """The ready-made watchers."""

    nested = {"presets": WatcherPreset}  # noqa: RUF012
    presets: list[WatcherPreset]


class NotificationChannel(Record):
    """Where news of a project go; secrets are masked."""

    id: str
    project_id: str
    name: str
    type: str
    enabled: bool
    config: dict[str, Any]
    digest_window_sec: int
    fail_count: int
    last_fired_at: int | None
    last_error: str | None
    created_at: int
    updated_at: int


class ChannelTestResult(Record):
    """Whether a test message went out."""

    ok: bool
    error: str | None


# The answer to a proposal is the whole action.
ActionCreated = Action
