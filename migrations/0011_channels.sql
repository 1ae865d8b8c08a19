-- Channels: where people are told that something waits, and from where they may answer. What is secret of a channel is
-- sealed by the server (server/secrets); the database never sees a key.

create table notification_channel (
    channel_id         uuid primary key,
    project_id         uuid not null references project,
    name               text not null check (char_length(name) between 1 and 200),
    type               text not null check (type in ('slack', 'discord', 'telegram', 'ntfy', 'email', 'webhook')),
    enabled            boolean not null,
    -- More than a few new cards within this become one message.
    digest_window_secs integer not null check (digest_window_secs between 10 and 3600),
    -- What it hears about: kinds, of which one may end with *, and names of agents. Empty is all.
    kinds              text[] not null default '{}' check (cardinality(kinds) <= 50),
    agents             text[] not null default '{}' check (cardinality(agents) <= 50),
    config             jsonb not null,
    -- The secret part of the configuration: a JSON object, sealed for this column and row.
    secrets            text,
    -- Hears about what this one could not deliver.
    fallback_id        uuid references notification_channel,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    -- Its messages and the history go on to name it.
    deleted_at         timestamptz,
    last_fired_at      timestamptz,
    last_failed_at     timestamptz,
    -- Failures since the last success.
    fail_count         integer not null default 0,
    last_error         text,
    -- Until then one server sends; if it dies, another one does afterwards.
    busy_until         timestamptz,
    constraint notification_channel_is_not_its_own_fallback check (fallback_id <> channel_id),
    constraint notification_channel_forgets_secrets check (deleted_at is null or secrets is null)
);
create index notification_channel_project_idx on notification_channel (project_id) where deleted_at is null;

-- One message about one action in one channel, so that it can be kept true.
create table channel_message (
    channel_id uuid not null references notification_channel,
    action_id  uuid not null references action,
    -- sending: handed over, or about to be; held: waits to become part of a list; listed: is part of one.
    state      text not null check (state in ('sending', 'sent', 'held', 'listed', 'skipped')),
    -- What the platform calls it.
    reference  text,
    -- The list that it is part of.
    list_id    uuid,
    -- SHA-256 of what it shows.
    shown      bytea check (octet_length(shown) = 32),
    held_until timestamptz,
    sent_at    timestamptz,
    primary key (channel_id, action_id),
    constraint channel_message_held_has_an_end check ((state = 'held') = (held_until is not null)),
    constraint channel_message_listed_has_a_list check ((state = 'listed') = (list_id is not null))
);
create index channel_message_action_idx on channel_message (action_id);
create index channel_message_sent_idx on channel_message (channel_id, sent_at);
create index channel_message_held_idx on channel_message (channel_id) where state = 'held';
create index channel_message_list_idx on channel_message (list_id) where list_id is not null;

-- The outbox carries messages to channels, too: each says "make what this channel shows about this action true".
alter table outbox drop constraint outbox_channel_check;
alter table outbox add constraint outbox_channel_check check (channel in ('callback', 'notice'));
alter table outbox add column channel_id uuid references notification_channel;
alter table outbox add constraint outbox_notice_has_a_channel
    check ((channel = 'notice') = (channel_id is not null));
create index outbox_notice_idx on outbox (channel_id) where channel_id is not null and state in ('pending', 'retry');

-- An account on a chat platform that stands for a person.
create table chat_account (
    platform      text not null,
    platform_user text not null check (char_length(platform_user) between 1 and 64),
    reviewer_id   uuid not null references reviewer,
    -- What the platform called it when it was linked.
    name          text not null check (char_length(name) <= 200),
    linked_at     timestamptz not null,
    primary key (platform, platform_user)
);
create index chat_account_reviewer_idx on chat_account (reviewer_id);

-- A code that links an account to whoever made it, once.
create table chat_code (
    code_sha256 bytea primary key check (octet_length(code_sha256) = 32),
    reviewer_id uuid not null references reviewer,
    platform    text not null,
    expires_at  timestamptz not null,
    used_at     timestamptz
);
create index chat_code_reviewer_idx on chat_code (reviewer_id);

-- A question for the reason of a rejection, and who may answer it.
create table chat_question (
    channel_id    uuid not null references notification_channel,
    reference     text not null,
    action_id     uuid not null references action,
    platform_user text not null,
    asked_at      timestamptz not null,
    answered_at   timestamptz,
    primary key (channel_id, reference)
);

-- A connection to a platform that one server at a time may hold.
create table connection_lease (
    name       text primary key,
    holder     uuid not null,
    held_until timestamptz not null,
    -- How far the platform's news were read.
    cursor     bigint not null default 0
);
