-- Receipts: what proves a decision to somebody who does not ask this server.

-- The keys that sign them. Of all servers on this database one key signs. A key that signs no more has lost its
-- private part and verifies what it signed; one that was withdrawn does not even do that.
create table receipt_key (
    -- The RFC 7638 thumbprint of the public part: a receipt names its key by it.
    kid          text primary key check (char_length(kid) = 43),
    public_key   bytea not null check (octet_length(public_key) = 32),
    -- The Ed25519 seed.
    private_key  bytea check (octet_length(private_key) = 32),
    created_at   timestamptz not null,
    retired_at   timestamptz,
    withdrawn_at timestamptz,
    constraint receipt_key_signs_until_retired check ((private_key is null) = (retired_at is not null)),
    constraint receipt_key_withdrawn_is_retired check (withdrawn_at is null or retired_at is not null)
);
-- Of several servers that start at once one makes the key.
create unique index receipt_key_signing on receipt_key ((true)) where retired_at is null;
-- Whatever this database grants to everybody by default: private keys are the server's alone.
revoke all on receipt_key from public;

-- A compact JWS, made with its decision. Decisions that are older than receipts have none.
alter table decision add column receipt text check (char_length(receipt) between 1 and 8192);

-- A receipt names the kind of action, so it goes where content is erased. The digests of the decision stay.
create or replace function decision_erase_only() returns trigger language plpgsql as $$
declare
    before decision := old;
    after decision := new;
begin
    before.comment := null;
    before.edits := null;
    before.receipt := null;
    after.comment := null;
    after.edits := null;
    after.receipt := null;
    if (select project_id::text from action where action_id = old.action_id)
            is distinct from current_setting('impri.erasing', true)
        or to_jsonb(before) is distinct from to_jsonb(after)
        or new.comment is not null
        or new.edits::text is distinct from '[]'
        or new.receipt is not null
    then
        raise exception 'decision is append-only: comment, edits and receipt can be erased, nothing else can change'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
