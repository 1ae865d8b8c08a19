//! Rows that the API would take too long to make.

use sqlx::{Connection as _, PgConnection};

use crate::settings::Settings;

/// A session that may empty tables that only grow and need not check what points where.
async fn connect(settings: &Settings) -> anyhow::Result<PgConnection> {
    let mut conn = PgConnection::connect(&settings.database).await?;
    sqlx::raw_sql("set session_replication_role = replica; set synchronous_commit = off")
        .execute(&mut conn)
        .await?;
    Ok(conn)
}

/// Empties the tables that measurements fill.
pub async fn clear(settings: &Settings) -> anyhow::Result<()> {
    let mut conn = connect(settings).await?;
    sqlx::raw_sql("truncate action, decision, audit_event, outbox cascade").execute(&mut conn).await?;
    Ok(())
}

/// The columns of `action` that say what was proposed: from `x.i`, its number, and `x.at`, when it was proposed.
const ACTION: &str = "
    (lpad(to_hex((extract(epoch from x.at) * 1000)::bigint), 12, '0') || substr(md5(x.i::text || x.at), 1, 20))::uuid
      as action_id,
    k.project_id, k.api_key_id as proposed_by, k.name as proposed_by_name,
    (array['email.send', 'git.push', 'invoice.pay', 'db.migrate', 'post.publish'])[1 + x.i % 5] as kind,
    (array['Send the plan to', 'Push the fix for', 'Pay the invoice of', 'Migrate the table of', 'Publish the post of'])
      [1 + x.i % 5] || ' customer ' || x.i as title,
    (array['markdown', 'markdown', 'plain', 'diff'])[1 + x.i % 4] as preview_format,
    'Hi Sarah,' || e'\\n\\n' || repeat('thank you for the call on **Tuesday**. As promised, here is what we would change \
    in the first four weeks, with [the guide](https://docs.example.com/log) beside it. ', 2 + (x.i % 12)::int)
      || e'\\n\\n- one thing\\n- another thing\\n' || x.i as preview_body,
    json_build_object('to', 'sarah@example.com', 'amount', x.i, 'note', repeat('n', (x.i % 200)::int)) as payload,
    'https://mail.example.com/send' as target_url, '{preview.body}'::text[] as editable, x.i % 3 > 0 as idempotent,
    'Recall it within a minute.' as undo, sha256(('s' || x.i || x.at)::bytea) as content_sha256,
    x.at as created_at, x.at + interval '3 days' as expires_at";

/// What was not written by the server is not sealed by it: it would be busy with that when something else is measured.
const SKIP_SEALING: &str = "select pg_advisory_xact_lock(7596851783308501356);
    update audit_sealer set settled_to = s.last, settling_to = s.last
    from (select coalesce(max(event_id), 0) as last from audit_event) s";

/// Stores actions of the last months that were decided, most of them run, with their decisions and history.
pub async fn decided(settings: &Settings, count: i64) -> anyhow::Result<()> {
    let mut conn = connect(settings).await?;
    let first: i64 = sqlx::query_scalar("select count(*) from action").fetch_one(&mut conn).await?;
    let last = first + count;
    let sql = format!(
        "create temporary table seeded as
         select {ACTION},
           (array['executed', 'executed', 'executed', 'executed', 'executed', 'executed', 'approved', 'rejected',
             'rejected', 'expired'])[1 + x.i % 10] as status
         from (select i, now() - interval '3 days' - (({last} - i) * interval '90 days' / {count}) as at
               from generate_series({first} + 1, {last}) i) x,
           api_key k where k.name = 'bench-agent';
         insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format,
           preview_body, payload, target_url, editable, idempotent, undo, content_sha256, created_at, expires_at,
           status, updated_at, ended_at, result_at, result_by, result_detail)
         select s.*, created_at + interval '1 hour', created_at + interval '1 hour',
           case when status = 'executed' then created_at + interval '1 hour' end,
           case when status = 'executed' then proposed_by end, case when status = 'executed' then 'done' end
         from seeded s;
         insert into decision (action_id, verdict, decided_at, decider_kind, decider_id, decider_name, channel, edits,
           proposed_sha256, approved_sha256)
         select action_id, case when status = 'rejected' then 'reject' else 'approve' end,
           s.created_at + interval '30 minutes', 'reviewer', reviewer_id, r.name, 'web', '[]', content_sha256,
           case when status = 'rejected' then null else content_sha256 end
         from seeded s, reviewer r where status <> 'expired';
         insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data,
           action_kind, agent)
         select project_id, created_at, 'action.created', action_id, 'key', proposed_by, proposed_by_name, 'api',
           json_build_object('kind', kind), kind, proposed_by_name from seeded
         union all
         select project_id, s.created_at + interval '30 minutes',
           case when status = 'rejected' then 'action.rejected' else 'action.approved' end, action_id, 'reviewer',
           reviewer_id, r.name, 'web', '{{}}', kind, proposed_by_name from seeded s, reviewer r where status <> 'expired';
         drop table seeded;
         {SKIP_SEALING}"
    );
    sqlx::raw_sql(&sql).execute(&mut conn).await?;
    Ok(())
}

/// Stores actions of the last day that wait.
pub async fn waiting(settings: &Settings, count: i64) -> anyhow::Result<()> {
    let mut conn = connect(settings).await?;
    let sql = format!(
        "create temporary table seeded as
         select {ACTION}
         from (select i, now() - (({count} - i) * interval '1 day' / {count}) as at from generate_series(1, {count}) i) x,
           api_key k where k.name = 'bench-agent';
         insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format,
           preview_body, payload, target_url, editable, idempotent, undo, content_sha256, created_at, expires_at,
           status, updated_at)
         select s.*, 'pending', created_at from seeded s;
         insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data,
           action_kind, agent)
         select project_id, created_at, 'action.created', action_id, 'key', proposed_by, proposed_by_name, 'api',
           json_build_object('kind', kind), kind, proposed_by_name from seeded;
         drop table seeded;
         {SKIP_SEALING}"
    );
    sqlx::raw_sql(&sql).execute(&mut conn).await?;
    Ok(())
}

/// Does at once what Postgres does by itself a while after so many rows.
pub async fn settle(settings: &Settings) -> anyhow::Result<()> {
    let mut conn = connect(settings).await?;
    for statement in
        ["vacuum analyze action", "vacuum analyze decision", "vacuum analyze audit_event", "checkpoint"]
    {
        sqlx::raw_sql(statement).execute(&mut conn).await?;
    }
    Ok(())
}
