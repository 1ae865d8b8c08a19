//! The composition root: the only place that sees every other part.

pub mod cli;
pub mod database;
pub mod shutdown;
pub mod telemetry;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;

use self::cli::{Cli, Command};
use crate::server::{
    config::{self, Config, DatabaseSource},
    postgres::{ManagedPostgres, PostgresError},
};

/// Runs the program that the command line asks for.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match try_run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("impri: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_run(cli: Cli) -> anyhow::Result<()> {
    config::check_environment(&cli::environment_variables())?;
    // With one worker a page that waits for another deadlocks (leptos#4647).
    let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    runtime.block_on(async move {
        match cli.command {
            Command::Serve(args) => serve(args.into_config()?).await,
            Command::Keys(_) | Command::Users(_) | Command::Project(_) => {
                anyhow::bail!("this command is not there yet")
            }
        }
    })
}

/// Stands in for the server until there is one.
async fn serve(config: Config) -> anyhow::Result<()> {
    telemetry::init(config.log)?;
    let shutdown = shutdown::on_signal().context("Listening for signals failed")?;
    let DatabaseSource::Managed(data_dir) = &config.database else {
        anyhow::bail!("only the managed database is there yet");
    };
    let (postgres, _options) = match ManagedPostgres::start(data_dir, &shutdown).await {
        Err(PostgresError::Interrupted) => return Ok(()),
        started => started?,
    };
    shutdown.cancelled().await;
    postgres.stop().await;
    Ok(())
}
