//! What is kept sealed in the database: nobody reads it there, what earlier versions left in the clear is sealed, and
//! what can't be opened stops what takes it and nothing else.

mod lost;
mod sealed;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use impri::server::secrets::{Place, Vault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::VAULT_KEY;

/// A key that sealed nothing before.
pub(crate) const OTHER_KEY: &str = "abababababababababababababababababababababababababababababababab";

pub(crate) fn vault(key: &str) -> Vault {
    Vault::from_setting(key).expect("a key")
}

/// Both secrets of a database, with the places that they are sealed for.
pub(crate) struct Secrets {
    /// The text that signs callbacks.
    pub(crate) webhook: String,
    /// The seed of the key that signs receipts.
    pub(crate) seed: Vec<u8>,
    project: Place,
    key: Place,
}

impl Secrets {
    /// Opens what the tests' key sealed.
    pub(crate) async fn of(db: &PgPool) -> Self {
        let (project, webhook): (Uuid, String) =
            sqlx::query_as("select project_id, sealed_webhook_secret from project")
                .fetch_one(db)
                .await
                .expect("a project");
        let (public, seed): (Vec<u8>, String) =
            sqlx::query_as("select public_key, sealed_key from receipt_key where retired_at is null")
                .fetch_one(db)
                .await
                .expect("a key");
        let project = Place { column: "project.sealed_webhook_secret", row: project };
        let row = Uuid::from_slice(&public[..16]).expect("half of it");
        let key = Place { column: "receipt_key.sealed_key", row };
        let vault = vault(VAULT_KEY);
        let webhook = vault.open(project, &webhook).expect("opened");
        let seed = STANDARD.decode(vault.open(key, &seed).expect("opened")).expect("base64");
        assert_eq!(seed.len(), 32);
        Self { webhook, seed, project, key }
    }

    /// Leaves them as earlier versions did.
    pub(crate) async fn leave_in_the_clear(&self, db: &PgPool) {
        let done = sqlx::query("update project set webhook_secret = $1, sealed_webhook_secret = null")
            .bind(&self.webhook)
            .execute(db)
            .await;
        assert_eq!(done.expect("a database").rows_affected(), 1);
        let sql = "update receipt_key set private_key = $1, sealed_key = null where retired_at is null";
        let done = sqlx::query(sql).bind(&self.seed).execute(db).await;
        assert_eq!(done.expect("a database").rows_affected(), 1);
    }

    /// Seals them with another key, as if the one that sealed them were lost.
    pub(crate) async fn lose(&self, db: &PgPool) {
        let other = vault(OTHER_KEY);
        let webhook = other.seal(self.project, &self.webhook).expect("sealed");
        let seed = other.seal(self.key, &STANDARD.encode(&self.seed)).expect("sealed");
        sqlx::query("update project set sealed_webhook_secret = $1")
            .bind(webhook)
            .execute(db)
            .await
            .expect("a database");
        sqlx::query("update receipt_key set sealed_key = $1 where retired_at is null")
            .bind(seed)
            .execute(db)
            .await
            .expect("a database");
    }

    /// How either could be written.
    fn spellings(&self) -> Vec<String> {
        let webhook = self.webhook.as_bytes();
        let token = URL_SAFE_NO_PAD.decode(webhook).expect("a token");
        // The token in base64url is its text.
        let mut all = vec![self.webhook.clone(), hex::encode(&token), STANDARD.encode(&token)];
        for bytes in [webhook, self.seed.as_slice()] {
            all.extend([hex::encode(bytes), STANDARD.encode(bytes), URL_SAFE_NO_PAD.encode(bytes)]);
        }
        all
    }

    /// Which of the spellings stand in the database, whatever the table and column.
    pub(crate) async fn found_in(&self, db: &PgPool) -> Vec<String> {
        let dump = dump(db).await;
        self.spellings().into_iter().filter(|spelling| dump.contains(spelling.as_str())).collect()
    }
}

/// Every row of every table as text; bytes are hexadecimal digits there.
async fn dump(db: &PgPool) -> String {
    let tables: Vec<String> =
        sqlx::query_scalar("select quote_ident(tablename) from pg_tables where schemaname = 'public'")
            .fetch_all(db)
            .await
            .expect("tables");
    assert!(tables.len() > 15, "{tables:?}");
    let mut all = String::new();
    for table in tables {
        let rows: Vec<String> =
            sqlx::query_scalar(&format!("select t::text from {table} t")).fetch_all(db).await.expect("rows");
        all.extend(rows.into_iter().map(|row| row + "\n"));
    }
    all
}

/// How many secrets lie in the columns of earlier versions.
pub(crate) async fn in_the_clear(db: &PgPool) -> i64 {
    let sql =
        "select (select count(webhook_secret) from project) + (select count(private_key) from receipt_key)";
    sqlx::query_scalar(sql).fetch_one(db).await.expect("a number")
}
