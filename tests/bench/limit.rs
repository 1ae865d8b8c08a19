//! What Postgres itself can do: a second database of the same server with the same schema, driven without Impri.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool};

use crate::latencies::Latencies;
use crate::load::{CONNECTIONS, Load};
use crate::requests::{BODY, PAYLOAD};
use crate::settings::Settings;

const NAME: &str = "impri_limit";
const PROJECT: &str = "00000000-0000-7000-8000-000000000001";
const KEY: &str = "00000000-0000-7000-8000-000000000002";

/// The action and its event as the server stores them, in the form that asks least of Postgres: one statement, so
/// one round trip and one transaction. Ids grow with time, as the server's do.
const PROPOSE: &str = r"\set r random(1, 9000000000000000)
with proposed as (
  insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format, preview_body,
    payload, target_url, editable, idempotent, undo, content_sha256, created_at, expires_at, status, updated_at)
  values ((lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
      || substr(md5(:r::text), 1, 20))::uuid,
    :project, :key, 'bench-agent', 'email.send', 'Send the plan to Sarah, draft ' || :r, 'markdown', :body,
    :payload, 'https://mail.example.com/send', '{preview.body,payload.subject}', false, 'Recall it within a minute.',
    sha256(:r::text::bytea), now(), now() + interval '3 days', 'pending', now())
  returning action_id)
insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data, action_kind,
  agent)
select :project, now(), 'action.created', action_id, 'key', :key, 'bench-agent', 'api', :event, 'email.send',
  'bench-agent' from proposed;
";

/// The second database.
pub struct Limit {
    url: url::Url,
    pool: PgPool,
}

impl Limit {
    /// Makes it anew.
    pub async fn create(settings: &Settings) -> anyhow::Result<Self> {
        let mut conn = PgConnection::connect(&settings.database).await?;
        sqlx::raw_sql(&format!("drop database if exists {NAME} with (force)")).execute(&mut conn).await?;
        sqlx::raw_sql(&format!("create database {NAME}")).execute(&mut conn).await?;
        let mut url = url::Url::parse(&settings.database)?;
        url.set_path(NAME);
        let pool = PgPoolOptions::new().max_connections(4).connect(url.as_str()).await?;
        sqlx::migrate!("./migrations").run(&pool).await?;
        sqlx::raw_sql(&format!(
            "insert into project (project_id, name, webhook_secret, created_at) values ('{PROJECT}', 'p', 's', now());
             insert into api_key (api_key_id, project_id, name, prefix, key_sha256, scopes, created_at)
             values ('{KEY}', '{PROJECT}', 'bench-agent', 'im_0123456789abc', sha256('k'), '{{actions}}', now())"
        ))
        .execute(&pool)
        .await?;
        Ok(Self { url, pool })
    }

    /// What pgbench reaches with the inserts of a proposal.
    pub async fn propose(&self, pgbench: &Path, time: Duration) -> anyhow::Result<Load> {
        let dir = std::env::temp_dir().join(format!("impri-pgbench-{}", std::process::id()));
        std::fs::create_dir_all(&dir)?;
        let load = self.pgbench(pgbench, &dir, time).await;
        std::fs::remove_dir_all(&dir)?;
        load
    }

    async fn pgbench(&self, program: &Path, dir: &Path, time: Duration) -> anyhow::Result<Load> {
        let script = dir.join("propose.sql");
        std::fs::write(&script, PROPOSE)?;
        let event = format!("{{\"kind\":\"email.send\",\"content_sha256\":\"{}\"}}", "0".repeat(64));
        let mut command = tokio::process::Command::new(program);
        command.args(["--no-vacuum", "--protocol=prepared", "--jobs=2", "--log", "--log-prefix=times"]);
        command.args([format!("--client={CONNECTIONS}"), format!("--time={}", time.as_secs())]);
        for (name, value) in
            [("project", PROJECT), ("key", KEY), ("body", BODY), ("payload", PAYLOAD), ("event", &event)]
        {
            command.arg(format!("--define={name}={value}"));
        }
        command.arg("--file").arg(&script).current_dir(dir).kill_on_drop(true);
        command.env("PGHOST", self.url.host_str().unwrap_or("127.0.0.1"));
        command.env("PGPORT", self.url.port().unwrap_or(5432).to_string()).env("PGDATABASE", NAME);
        command.env("PGUSER", self.url.username()).env("PGPASSWORD", self.url.password().unwrap_or_default());
        let output = command.output().await.context("pgbench does not start")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pgbench failed: {errors}");
        let per_second =
            text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
        Ok(Load {
            per_second: per_second.with_context(|| format!("pgbench gives no rate: {text}"))?,
            latencies: logged(dir)?,
        })
    }

    /// From the beginning of a commit with a notification to whoever listens, `count` times at `pause`.
    pub async fn notify(&self, count: usize, pause: Duration) -> anyhow::Result<Latencies> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen("limit").await?;
        let mut conn = self.pool.acquire().await?;
        let mut ticks = tokio::time::interval(pause);
        let mut times = Vec::new();
        for _ in 0..count {
            ticks.tick().await;
            let began = Instant::now();
            let mut tx = conn.begin().await?;
            sqlx::query("update project set name = name").execute(&mut *tx).await?;
            sqlx::query("select pg_notify('limit', 'x')").execute(&mut *tx).await?;
            tx.commit().await?;
            listener.recv().await?;
            times.push(began.elapsed());
        }
        Ok(Latencies::new(times))
    }

    /// Removes it again.
    pub async fn drop(self, settings: &Settings) -> anyhow::Result<()> {
        self.pool.close().await;
        let mut conn = PgConnection::connect(&settings.database).await?;
        sqlx::raw_sql(&format!("drop database {NAME} with (force)")).execute(&mut conn).await?;
        Ok(())
    }
}

/// The times of pgbench's log: the third word of each line, in microseconds.
fn logged(dir: &Path) -> anyhow::Result<Latencies> {
    let mut times = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("times")) {
            let text = std::fs::read_to_string(path)?;
            let micros = text.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok());
            times.extend(micros.map(Duration::from_micros));
        }
    }
    Ok(Latencies::new(times))
}
