-- The approval loop: who may propose and decide, what was proposed, what was decided, and the history of it all.
--
-- Conventions: table names are singular, keys are <table>_id, instants are timestamptz set by the server's clock
-- (never by a default, so that a row, its event and its receipt carry the same instant), status texts are those of
-- the JSON and of the style sheets. Ids are version 7 UUIDs, so that new rows land at the right edge of an index.

-- A project is the wall between tenants: every other row belongs to exactly one.
create table project (
    project_id          uuid primary key,
    name                text not null check (char_length(name) between 1 and 200),
    timezone            text not null default 'UTC',
    -- The key of callback signatures, used as UTF-8 text.
    webhook_secret      text not null,
    -- Lets a person or key decide what it proposed itself; off, because the agent is the thing being guarded.
    allow_self_approval boolean not null default false,
    created_at          timestamptz not null
);

-- A person who decides. Rows are disabled, never deleted: history names them.
create table reviewer (
    reviewer_id   uuid primary key,
    email         text not null check (char_length(email) between 3 and 254),
    name          text not null check (char_length(name) between 1 and 100),
    password_hash text not null,
    created_at    timestamptz not null,
    disabled_at   timestamptz
);
create unique index reviewer_email_key on reviewer (lower(email));

create table membership (
    project_id  uuid not null references project,
    reviewer_id uuid not null references reviewer,
    role        text not null check (role in ('reviewer', 'admin')),
    created_at  timestamptz not null,
    primary key (reviewer_id, project_id)
);

-- What an agent, or a program that decides for people, calls with. Only the SHA-256 of the key is kept: a key is
-- 256 random bits, so a slow password hash would add nothing but load.
create table api_key (
    api_key_id   uuid primary key,
    project_id   uuid not null references project,
    name         text not null check (char_length(name) between 1 and 100),
    prefix       text not null check (char_length(prefix) = 16),
    key_sha256   bytea not null check (octet_length(key_sha256) = 32),
    scopes       text[] not null check (
                     cardinality(scopes) > 0 and scopes <@ array['actions', 'decide', 'audit', 'admin', 'watch']),
    created_at   timestamptz not null,
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz
);
create unique index api_key_sha256_key on api_key (key_sha256);
create index api_key_project_idx on api_key (project_id, created_at);

-- A proposed action. What was proposed never changes; only the state columns at the end do.
create table action (
    action_id        uuid primary key,
    project_id       uuid not null references project,
    proposed_by      uuid not null references api_key,
    proposed_by_name text not null,
    kind             text not null check (char_length(kind) between 1 and 100),
    title            text not null check (char_length(title) between 1 and 500),
    preview_format   text not null check (preview_format in ('markdown', 'plain', 'diff')),
    preview_body     text not null check (octet_length(preview_body) <= 262144),
    -- json, not jsonb: the agent's key order and spelling of numbers are part of what a person reads.
    payload          json,
    target_url       text,
    callback_url     text,
    idempotency_key  text check (char_length(idempotency_key) between 1 and 255),
    editable         text[] not null check (cardinality(editable) <= 50),
    idempotent       boolean,
    undo             text check (char_length(undo) <= 2000),
    -- SHA-256 over the RFC 8785 form of {kind, title, preview, payload, target_url}: what a reviewer was shown.
    content_sha256   bytea not null check (octet_length(content_sha256) = 32),
    -- How long after its approval the action may still be claimed.
    valid_for_secs   integer check (valid_for_secs > 0),
    created_at       timestamptz not null,
    expires_at       timestamptz not null,

    status           text not null check (status in
                         ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'executed', 'execute_failed')),
    updated_at       timestamptz not null,
    claimed_at       timestamptz,
    claimed_by       uuid references api_key,
    result_at        timestamptz,
    result_by        uuid references api_key,
    result_detail    text,
    result_payload   json,
    constraint action_claim_is_whole check ((claimed_at is null) = (claimed_by is null)),
    constraint action_claim_needs_approval check (
        claimed_at is null or status in ('approved', 'executed', 'execute_failed')),
    constraint action_result_fits_status check (
        (result_at is not null) = (status in ('executed', 'execute_failed')))
);
-- Every list: one status of one project, newest first, by keyset.
create index action_list_idx on action (project_id, status, created_at desc, action_id desc);
-- What the clock has to look at.
create index action_expiry_idx on action (expires_at) where status = 'pending';
create unique index action_idempotency_key on action (project_id, idempotency_key)
    where idempotency_key is not null;
-- An identical proposal of the same agent that still waits.
create index action_same_content_idx on action (proposed_by, content_sha256) where status = 'pending';

-- The one decision of an action; its primary key is what makes a second one impossible.
create table decision (
    action_id       uuid primary key references action,
    verdict         text not null check (verdict in ('approve', 'reject')),
    decided_at      timestamptz not null,
    decider_kind    text not null check (decider_kind in ('reviewer', 'key')),
    decider_id      uuid not null,
    decider_name    text not null,
    channel         text not null check (channel ~ '^[A-Za-z0-9_-]{1,64}$'),
    comment         text check (char_length(comment) <= 2000),
    -- [{"path": …, "value": …}]: the approved version is the proposal with these applied.
    edits           json not null,
    proposed_sha256 bytea not null check (octet_length(proposed_sha256) = 32),
    approved_sha256 bytea check (octet_length(approved_sha256) = 32),
    constraint decision_digest_fits_verdict check ((approved_sha256 is not null) = (verdict = 'approve'))
);

-- The history: one row per fact, written in the transaction of the fact.
create table audit_event (
    event_id   bigint generated always as identity primary key,
    project_id uuid not null references project,
    at         timestamptz not null,
    kind       text not null,
    action_id  uuid references action,
    actor_kind text not null check (actor_kind in ('reviewer', 'key', 'clock', 'operator', 'anonymous')),
    actor_id   uuid,
    actor_name text not null,
    channel    text not null,
    data       json not null
);
create index audit_event_time_idx on audit_event (project_id, at desc, event_id desc);
create index audit_event_action_idx on audit_event (action_id, event_id) where action_id is not null;
create index audit_event_kind_idx on audit_event (project_id, kind, at desc, event_id desc);
create index audit_event_person_idx on audit_event (project_id, actor_id, at desc, event_id desc)
    where actor_kind = 'reviewer';

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;
create trigger audit_event_append_only before update or delete or truncate on audit_event
    for each statement execute function refuse_change();
create trigger decision_append_only before update or delete or truncate on decision
    for each statement execute function refuse_change();

-- What has to leave the house: rows written with their cause, sent by workers that hold a lease while they send.
create table outbox (
    outbox_id    bigint generated always as identity primary key,
    -- Named to the receiver, so that it can recognise a repeated delivery.
    event_id     uuid not null unique,
    project_id   uuid not null references project,
    action_id    uuid not null references action,
    channel      text not null check (channel in ('callback')),
    target       text not null,
    body         text not null,
    state        text not null check (state in ('pending', 'retry', 'delivered', 'gone', 'dlq')),
    attempt      integer not null default 0,
    last_status  integer,
    last_error   text,
    created_at   timestamptz not null,
    due_at       timestamptz not null,
    leased_until timestamptz,
    done_at      timestamptz
);
create index outbox_due_idx on outbox (due_at) where state in ('pending', 'retry');
create index outbox_action_idx on outbox (action_id, outbox_id);

-- Browser sessions, in the shape that tower-sessions' Postgres store reads and writes.
create table session (
    id          text primary key,
    data        bytea not null,
    expiry_date timestamptz not null
);
create index session_expiry_idx on session (expiry_date);

-- Failed sign-ins of the last minutes, by account, by address and by both.
create table sign_in_failure (
    subject   text not null,
    failed_at timestamptz not null
);
create index sign_in_failure_idx on sign_in_failure (subject, failed_at);

-- The one-time link that a server with nobody in it prints; at most one row.
create table setup_link (
    only_one     boolean primary key default true check (only_one),
    token_sha256 bytea not null check (octet_length(token_sha256) = 32),
    created_at   timestamptz not null
);
