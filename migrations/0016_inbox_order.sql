-- Two more orders of the inbox: what waits by the time that is left, and what is past deciding by when it came to that.

-- Since when an action is in its status; null while it waits. updated_at is not that: a claim moves it on.
alter table action add column ended_at timestamptz;
update action a set ended_at = coalesce(
    (select d.decided_at from decision d where a.status = 'approved' and d.action_id = a.action_id), a.updated_at)
where status <> 'pending';
-- Written here and not by the statements that end an action: whatever version of the program writes the status, and
-- however many run on one database, no row is left out of a list.
create function action_ended() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' or old.status <> new.status then
        new.ended_at := new.updated_at;
    end if;
    return new;
end
$$;
create trigger action_ended before insert or update of status on action
    for each row when (new.status <> 'pending') execute function action_ended();

create index action_ended_idx on action (project_id, status, ended_at desc, action_id desc) where ended_at is not null;
-- The clock goes project by project, too: a proposal pays for no index more than before. One without the project would be
-- taken for lists as well, and lead through what waits elsewhere.
create index action_due_idx on action (project_id, expires_at, action_id) where status = 'pending';
drop index action_expiry_idx;
