-- Finding actions among many: by kind, and by words.

-- The newest of one kind.
create index action_kind_idx on action (project_id, kind, created_at desc, action_id desc);
-- Words of what was proposed, in any language: no stemming, which would need one. Searches ask for beginnings of words.
create index action_words_idx on action using gin (to_tsvector('simple', title || ' ' || preview_body));
