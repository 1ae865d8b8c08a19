-- The outbox is taken from receiver by receiver, so that thousands of messages to one that hangs hide nobody else's.
alter table outbox
    -- The host that the target names, as the URL standard writes it; set by the server.
    add column target_host text not null default '';
alter table outbox alter column target_host drop default;
-- What is open for each receiver, oldest first. Walking it from host to host costs one look per host.
create index outbox_receiver_idx on outbox (target_host, due_at) where state in ('pending', 'retry');
