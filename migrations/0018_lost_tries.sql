-- Tries of which nobody wrote down what came: whoever made one stopped, or could not write it. They count, so that no message
-- is sent again without end.
alter table outbox add column lost integer not null default 0;
