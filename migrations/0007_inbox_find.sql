-- Finding in the inbox: every tab by kind, by agent and by words, and what was decided before about the same content.

-- Lists go status by status, so the kind stands before the status and the time after both.
drop index action_kind_idx;
create index action_kind_idx on action (project_id, kind, status, created_at desc, action_id desc);
create index action_agent_idx on action (project_id, proposed_by_name, status, created_at desc, action_id desc);

-- The words themselves, kept: a common word is found by reading the newest actions one after the other, and taking the
-- words out of a text costs a hundred times what looking one up in them does.
drop index action_words_idx;
alter table action add column words tsvector not null
    generated always as (to_tsvector('simple', title || ' ' || preview_body)) stored;
create index action_words_idx on action using gin (words);

-- What was decided about one content, the latest first.
create index decision_content_idx on decision (proposed_sha256, decided_at desc);
