-- Receivers outside this database that checkpoints of the history are sent to, and how far each has them.
create table checkpoint_receiver (
    -- SHA-256 of its address, which may hold a secret.
    address_sha256 bytea primary key check (octet_length(address_sha256) = 32),
    -- For people.
    host           text not null,
    -- Of all servers with this receiver one sends, while it holds the lease.
    leased_by      uuid,
    leased_until   timestamptz not null,
    delivered_at   timestamptz,
    -- Since when, and with what, it did not take what was sent.
    failing_since  timestamptz,
    last_error     text check (char_length(last_error) <= 400),
    constraint checkpoint_receiver_fails_for_a_reason check ((failing_since is null) = (last_error is null))
);

create table checkpoint_received (
    address_sha256 bytea not null references checkpoint_receiver,
    project_id     uuid not null references project,
    -- The place of the last event that the last checkpoint it took covers.
    seq            bigint not null check (seq > 0),
    primary key (address_sha256, project_id)
);
