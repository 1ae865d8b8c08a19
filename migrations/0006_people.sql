-- People: a role that only reads, invitations, sessions that can be listed and ended, and what each person prefers.

alter table membership
    drop constraint membership_role_check,
    add constraint membership_role_check check (role in ('viewer', 'reviewer', 'admin'));

alter table reviewer
    add column theme        text not null default 'system' check (theme in ('system', 'light', 'dark')),
    add column shortcuts    boolean not null default true,
    -- An IANA name; the project's time zone if absent.
    add column time_zone    text check (char_length(time_zone) between 1 and 64),
    -- To the minute; kept when the session that it was seen in ends.
    add column last_seen_at timestamptz;

-- Where a person is signed in. The browser's cookie leads to one of these rows by way of the session store, so deleting
-- the row ends the session, whatever the store still holds.
create table reviewer_session (
    reviewer_session_id uuid primary key,
    reviewer_id         uuid not null references reviewer,
    -- The browser in words of ours, such as "Firefox on Linux".
    device              text not null check (char_length(device) between 1 and 100),
    address             text not null check (char_length(address) between 1 and 100),
    created_at          timestamptz not null,
    last_seen_at        timestamptz not null,
    expires_at          timestamptz not null
);
create index reviewer_session_reviewer_idx on reviewer_session (reviewer_id, last_seen_at desc);
create index reviewer_session_expiry_idx on reviewer_session (expires_at);

-- A link that makes one account. Only the SHA-256 of its token is kept. Rows stay: they say who invited whom.
create table invite (
    invite_id    uuid primary key,
    project_id   uuid not null references project,
    token_sha256 bytea not null check (octet_length(token_sha256) = 32),
    -- If present, the account gets this address and no other.
    email        text check (char_length(email) between 3 and 254),
    role         text not null check (role in ('viewer', 'reviewer', 'admin')),
    made_by      uuid not null references reviewer,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    withdrawn_at timestamptz,
    used_at      timestamptz,
    used_by      uuid references reviewer,
    constraint invite_use_is_whole check ((used_at is null) = (used_by is null)),
    constraint invite_ends_once check (used_at is null or withdrawn_at is null)
);
create unique index invite_token_key on invite (token_sha256);
create index invite_open_idx on invite (project_id, created_at) where used_at is null and withdrawn_at is null;
