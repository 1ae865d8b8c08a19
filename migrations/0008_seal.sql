-- The seal of the history: every event of a project gets a place in a chain of hashes, and signed checkpoints say how
-- far the chain is. docs/audit.md has the format. The sealer does it after the facts; they are written as before.

-- A transaction gets its number before it takes a number for an event. With the numbers in the usual order (the
-- identity column took the event's first) nobody could say when no event with a lower number can appear any more.
-- CASE is what SQL has to evaluate one thing before another.
create sequence audit_event_number as bigint owned by audit_event.event_id;
alter table audit_event alter column event_id drop identity;
do $$ begin
    perform setval('audit_event_number', coalesce(max(event_id), 0) + 1, false) from audit_event;
end $$;
alter table audit_event alter column event_id set default
    case when pg_current_xact_id() is not null then nextval('audit_event_number') end;

-- An instant in the form that is hashed. Those before the year 1 have the same digits as others, but not the same end.
create function audit_instant(at timestamptz) returns text language sql stable as $$
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
        || case when extract(year from at at time zone 'UTC') < 1 then ' BC' else '' end
$$;

-- One link of a project's chain. Neither it nor the event refer to each other: a check of that would lock events, and
-- whoever verifies looks for both.
create table audit_seal (
    project_id       uuid not null,
    -- Its place in the chain: 1, 2, 3, …
    seq              bigint not null check (seq > 0),
    -- What no event has twice.
    event_id         bigint not null unique,
    -- SHA-256 of the event's canonical form.
    digest           bytea not null check (octet_length(digest) = 32),
    -- Inside that, for the particulars that an erasure takes away: SHA-256 over them and the salt.
    erasable_sha256  bytea not null check (octet_length(erasable_sha256) = 32),
    -- Goes with the particulars, so that nobody can try out what they were.
    salt             bytea check (octet_length(salt) = 16),
    -- SHA-256 over digest, place, instant and the hash before.
    hash             bytea not null check (octet_length(hash) = 32),
    sealed_at        timestamptz not null,
    erased_at        timestamptz,
    primary key (project_id, seq),
    constraint audit_seal_salt_goes_when_erased check ((salt is null) = (erased_at is not null))
);

-- What a server signed about a chain: so many events, and this is the last hash.
create table audit_checkpoint (
    project_id uuid not null references project,
    -- The place of the last event that it covers.
    seq        bigint not null check (seq > 0),
    signed_at  timestamptz not null,
    -- A compact JWS.
    jws        text not null check (char_length(jws) between 1 and 8192),
    primary key (project_id, seq)
);

-- Where the sealer is. Of all servers on this database the one that locks the row seals.
create table audit_sealer (
    only_one      boolean primary key default true check (only_one),
    -- Every event up to this number is sealed, and none can appear any more.
    settled_to    bigint not null default 0 check (settled_to >= 0),
    -- The next such number, …
    settling_to   bigint not null default 0,
    -- … once no transaction is under way that is older than this one.
    settling_xact bigint not null default 0
);
insert into audit_sealer default values;

-- Chains are append-only, too. The one change: an erasing transaction takes a salt away.
create trigger audit_seal_append_only before update or delete or truncate on audit_seal
    for each statement execute function refuse_change();

create function audit_seal_erase_only() returns trigger language plpgsql as $$
declare
    before audit_seal := old;
    after audit_seal := new;
begin
    before.salt := null;
    before.erased_at := null;
    after.salt := null;
    after.erased_at := null;
    if old.project_id::text is distinct from current_setting('impri.erasing', true)
        or to_jsonb(before) is distinct from to_jsonb(after)
        or old.erased_at is not null
        or new.salt is not null
    then
        raise exception 'audit_seal is append-only: the salt can be erased, nothing else can change'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
create trigger audit_seal_erase_only before update on audit_seal
    for each row execute function audit_seal_erase_only();

create function refuse_every_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;
-- Without its row nothing would be sealed.
create trigger audit_sealer_stays before delete or truncate on audit_sealer
    for each statement execute function refuse_every_change();
create trigger audit_checkpoint_append_only before update or delete or truncate on audit_checkpoint
    for each statement execute function refuse_every_change();
