-- Erasing what people and agents wrote, without breaking the history: content goes; ids, digests, verdicts, names of
-- deciders and instants stay.

alter table action
    -- When its content was erased; what stands in the content columns since then is a placeholder.
    add column erased_at timestamptz,
    add constraint action_erased_is_empty check (erased_at is null or (
        kind = 'erased' and title = '(erased)' and preview_body = '' and payload is null and target_url is null
        and callback_url is null and idempotency_key is null and undo is null and editable = '{}'));

-- What is left of a fact's particulars: names of rows, digests, numbers and switches that the server itself wrote.
-- Every member that is not listed here goes, those of later versions too, until somebody lists them.
create function erased_data(data json) returns json language sql immutable strict as $$
    select json_object_agg(key, value order by key collate "C")
    from (
        select key, value from json_each(data)
        where key in (
            'content_sha256', 'proposed_sha256', 'approved_sha256', 'event_id', 'key_id', 'reviewer_id', 'rule_id',
            'channel_id', 'watcher_id', 'scopes', 'role', 'expires_at', 'prefix', 'attempts', 'last_status',
            'allow_self_approval', 'timezone', 'format', 'actions', 'by_erasure')
        union all
        select 'erased', 'true'::json) kept
$$;

-- The row that a fact without an action is about.
create function event_subject(data json) returns text language sql immutable strict as $$
    select coalesce(data->>'key_id', data->>'reviewer_id', data->>'rule_id', data->>'channel_id', data->>'watcher_id')
$$;
-- Proposals and decisions have an action, so this costs the approval loop nothing.
create index audit_event_subject_idx on audit_event (project_id, event_subject(data), at desc, event_id desc)
    where action_id is null;

-- What was given up, for whoever counts it or sends it again.
create index outbox_dead_idx on outbox (project_id) where state = 'dlq';

-- History and decisions stay append-only with one exception: a transaction that says whose data it erases may turn
-- content into its erased form, and nothing else. The statement's trigger asks for the word, the row's trigger looks
-- at what is done.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and current_setting('impri.erasing', true) <> '' then
        return null;
    end if;
    raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;

create function audit_event_erase_only() returns trigger language plpgsql as $$
declare
    before audit_event := old;
    after audit_event := new;
begin
    before.data := null;
    after.data := null;
    if old.project_id::text is distinct from current_setting('impri.erasing', true)
        or to_jsonb(before) is distinct from to_jsonb(after)
        or new.data::text is distinct from erased_data(old.data)::text
    then
        raise exception 'audit_event is append-only: data can be erased, nothing else can change'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
create trigger audit_event_erase_only before update on audit_event
    for each row execute function audit_event_erase_only();

create function decision_erase_only() returns trigger language plpgsql as $$
declare
    before decision := old;
    after decision := new;
begin
    before.comment := null;
    before.edits := null;
    after.comment := null;
    after.edits := null;
    if (select project_id::text from action where action_id = old.action_id)
            is distinct from current_setting('impri.erasing', true)
        or to_jsonb(before) is distinct from to_jsonb(after)
        or new.comment is not null
        or new.edits::text is distinct from '[]'
    then
        raise exception 'decision is append-only: comment and edits can be erased, nothing else can change'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
create trigger decision_erase_only before update on decision
    for each row execute function decision_erase_only();
