-- Finding facts of the history: by the agent that proposed, by the kind of action, by the door, by who did it, and
-- those in which something was edited.

-- What a fact is found by although it stands in its action: copies, so that one index has it with the time. They are
-- for finding only; what is sealed and shown is the fact, and what the history says without a filter.
alter table audit_event
    -- The action's kind, or `erased` as soon as the action's is.
    add column action_kind text,
    -- The name of the key that proposed the action.
    add column agent text;

-- The facts that there are. Nothing of them that is sealed changes. Every index would have to follow every row, so they
-- go before and come again after, which is quicker.
drop index audit_event_time_idx;
drop index audit_event_action_idx;
drop index audit_event_kind_idx;
drop index audit_event_person_idx;
drop index audit_event_subject_idx;
alter table audit_event disable trigger user;
update audit_event e set action_kind = a.kind, agent = a.proposed_by_name from action a where a.action_id = e.action_id;
alter table audit_event enable trigger user;
create index audit_event_time_idx on audit_event (project_id, at desc, event_id desc);
create index audit_event_action_idx on audit_event (action_id, event_id) where action_id is not null;
create index audit_event_kind_idx on audit_event (project_id, kind, at desc, event_id desc);
create index audit_event_subject_idx on audit_event (project_id, event_subject(data), at desc, event_id desc)
    where action_id is null;

-- Servers before this version, and whoever writes by hand, leave them out.
create function audit_event_copy() returns trigger language plpgsql as $$
begin
    select a.kind, a.proposed_by_name into new.action_kind, new.agent from action a where a.action_id = new.action_id;
    return new;
end $$;
create trigger audit_event_copy before insert on audit_event
    for each row when (new.action_id is not null and new.agent is null) execute function audit_event_copy();

create index audit_event_agent_idx on audit_event (project_id, agent, at desc, event_id desc) where agent is not null;
create index audit_event_action_kind_idx on audit_event (project_id, action_kind, at desc, event_id desc)
    where action_kind is not null;
create index audit_event_channel_idx on audit_event (project_id, channel, at desc, event_id desc);
-- People and programs alike, instead of an index of people's; ids of both are never the same.
create index audit_event_actor_idx on audit_event (project_id, actor_id, at desc, event_id desc)
    where actor_id is not null;
-- The clock, the operator, nobody that is known.
create index audit_event_nameless_idx on audit_event (project_id, actor_kind, at desc, event_id desc)
    where actor_id is null;

-- Whether a decision changed what was proposed. Erasing leaves the digests, so it goes on to be known.
create function is_edited(kind text, data json) returns boolean language sql immutable as $$
    select kind = 'action.approved' and (data->>'proposed_sha256') is distinct from (data->>'approved_sha256')
$$;
create index audit_event_edited_idx on audit_event (project_id, at desc, event_id desc) where is_edited(kind, data);

-- Where a fact stands in the order of time: microseconds since 2000, which every instant of this database fits, and
-- beyond all of them for those without an end, which somebody who writes by hand can set.
create function audit_place(at timestamptz) returns bigint language sql immutable strict as $$
    select case
        when at = 'infinity' then 9223372036854775807
        when at = '-infinity' then -9223372036854775808
        else least((extract(epoch from at) - 946684800) * 1000000, 9223371331199999999)::bigint
    end
$$;
create function audit_place_at(place bigint) returns timestamptz language sql immutable strict as $$
    select case place
        when 9223372036854775807 then 'infinity'::timestamptz
        when -9223372036854775808 then '-infinity'::timestamptz
        else (timestamp '2000-01-01' + make_interval(days => (place / 86400000000)::integer)
            + (place % 86400000000) * interval '1 microsecond') at time zone 'UTC'
    end
$$;
-- The nearest instant that every program can show.
create function legible_instant(at timestamptz) returns timestamptz language sql immutable strict as $$
    select least(greatest(at, '0001-01-02 00:00:00+00'::timestamptz), '9999-12-30 00:00:00+00'::timestamptz)
$$;

-- An erasure takes the copied kind, too.
create or replace function audit_event_erase_only() returns trigger language plpgsql as $$
declare
    before audit_event := old;
    after audit_event := new;
begin
    before.data := null;
    before.action_kind := null;
    after.data := null;
    after.action_kind := null;
    if old.project_id::text is distinct from current_setting('impri.erasing', true)
        or to_jsonb(before) is distinct from to_jsonb(after)
        or (new.data::text is distinct from old.data::text
            and new.data::text is distinct from erased_data(old.data)::text)
        or (new.action_kind is distinct from old.action_kind and new.action_kind is distinct from 'erased')
    then
        raise exception 'audit_event is append-only: data can be erased, nothing else can change'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
