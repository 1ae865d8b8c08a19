//! The commands of an operator with a shell on the server's machine. They work on the project that was made first.

#![expect(clippy::print_stdout, reason = "a command's answer belongs on stdout")]

pub mod audit;
pub mod channels;
mod doctor;
pub mod keys;
pub mod mcp;
pub mod project;
mod proof;
pub mod receipts;
pub mod secrets;
pub mod users;
mod verify;

use anyhow::{Context as _, anyhow};

use super::cli::DatabaseArgs;
use super::database::{OpenDatabase, open_database};
use crate::server::clock::Clock;
use crate::server::db::MIGRATOR;
use crate::server::db::projects::Project;
use crate::server::error::ServiceError;
use crate::server::secrets::Vault;
use crate::server::service::Services;

/// A command's way to the services.
pub(super) struct Desk {
    database: OpenDatabase,
    services: Services,
    project: Project,
}

impl Desk {
    async fn open(args: &DatabaseArgs) -> anyhow::Result<Self> {
        Self::open_at(args, "").await
    }

    /// For a command that tells people where to look: `public_url` is what the server is reached at.
    async fn open_at(args: &DatabaseArgs, public_url: &str) -> anyhow::Result<Self> {
        let database = open_database(args).await?;
        match Self::prepare(args, &database, public_url).await {
            Ok((services, project)) => Ok(Self { database, services, project }),
            Err(error) => {
                database.close().await;
                Err(error)
            }
        }
    }

    async fn prepare(
        args: &DatabaseArgs,
        database: &OpenDatabase,
        public_url: &str,
    ) -> anyhow::Result<(Services, Project)> {
        MIGRATOR.run(&database.pool).await.context("The database's schema can't be brought up to date")?;
        let vault = args.vault().open_existing().unwrap_or_else(|error| Vault::closed(error.to_string()));
        let services = Services::new(database.pool.clone(), Clock::System, public_url).with_vault(vault);
        let project = services.first_project().await.map_err(explain)?;
        let project = project
            .context("Nobody has an account yet: start impri serve and open the link that it prints")?;
        Ok((services, project))
    }

    async fn close(self) {
        self.database.close().await;
    }
}

/// An error as a sentence for the terminal.
fn explain(error: ServiceError) -> anyhow::Error {
    match error {
        ServiceError::Invalid(errors) => {
            let sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow!(sentences.join("\n"))
        }
        other => other.into(),
    }
}
