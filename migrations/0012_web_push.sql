-- Web push: devices of people (and of programs that decide) that are told when an action waits, and the key that their
-- browsers' push services know this server by.

-- One key for all servers, made at the first start. Subscriptions are bound to it, so it is never made anew.
create table push_key (
    push_key_id uuid primary key,
    -- The private part, sealed for this column and row; the database never sees it.
    sealed      text not null,
    created_at  timestamptz not null,
    -- There is one.
    is_the_one  boolean not null default true unique check (is_the_one)
);

create table push_device (
    push_device_id uuid primary key,
    project_id     uuid not null references project,
    reviewer_id    uuid references reviewer,
    api_key_id     uuid references api_key,
    -- The browser in words of ours, such as "Firefox on Android".
    name           text not null check (char_length(name) between 1 and 100),
    -- Where its push service listens, and what is encrypted for; gone with the device.
    endpoint       text check (char_length(endpoint) between 1 and 2000),
    p256dh         bytea check (octet_length(p256dh) = 65),
    auth           bytea check (octet_length(auth) = 16),
    -- A notification says only that something waits.
    hides_content  boolean not null,
    created_at     timestamptz not null,
    last_told_at   timestamptz,
    -- Failures since the last success.
    fail_count     integer not null default 0,
    last_error     text,
    -- The history goes on to name it.
    gone_at        timestamptz,
    constraint push_device_has_one_owner check ((reviewer_id is null) <> (api_key_id is null)),
    constraint push_device_is_whole_or_gone check (
        (gone_at is null) = (endpoint is not null) and (endpoint is null) = (p256dh is null) and (p256dh is null) = (auth is null))
);
create unique index push_device_endpoint_key on push_device (endpoint) where gone_at is null;
create index push_device_project_idx on push_device (project_id) where gone_at is null;
create index push_device_reviewer_idx on push_device (reviewer_id) where gone_at is null;

-- The outbox carries these, too. One device is told one thing after the other.
alter table outbox drop constraint outbox_channel_check;
alter table outbox add constraint outbox_channel_check check (channel in ('callback', 'notice', 'push'));
alter table outbox add column push_device_id uuid references push_device;
alter table outbox add constraint outbox_push_has_a_device
    check ((channel = 'push') = (push_device_id is not null));
create index outbox_push_idx on outbox (push_device_id, done_at) where push_device_id is not null;
