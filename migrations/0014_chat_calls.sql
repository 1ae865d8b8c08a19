-- Signed calls of chat platforms that were heard, whatever they led to, so that none is heard twice by any server. They are
-- good for some minutes; rows go after an hour.
create table chat_call (
    -- SHA-256 of what tells the call from every other one.
    call_sha256 bytea primary key check (octet_length(call_sha256) = 32),
    heard_at    timestamptz not null
);
