//! The composition root: the only place that sees every other part.

pub mod cli;
pub mod commands;
pub mod database;
pub mod router;
mod second_look;
pub mod serve;
pub mod sessions;
pub mod shutdown;
pub mod telemetry;
mod typed;
mod workers;

use std::process::ExitCode;

use clap::Parser as _;

use self::cli::{ChannelsCommand, Cli, Command};
use crate::server::config;

/// Runs the program that the command line asks for.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match try_run(cli) {
        Ok(code) => code,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "the one line that a failed command says")]
            {
                eprintln!("impri: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn try_run(cli: Cli) -> anyhow::Result<ExitCode> {
    if ends_with_its_reader(&cli.command) {
        sigpipe::reset();
    }
    // The host's environment is somebody else's, and may hold settings of clients that this program knows nothing of.
    if !matches!(cli.command, Command::Mcp(_)) {
        config::check_environment(&cli::environment_variables())?;
    }
    // With one worker a page that waits for another deadlocks (leptos#4647).
    let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    runtime.block_on(async move {
        match cli.command {
            Command::Serve(args) => serve::serve(args.into_config()?).await?,
            Command::Keys(args) => commands::keys::run(args).await?,
            Command::Users(args) => commands::users::run(args).await?,
            Command::Project(args) => commands::project::run(args).await?,
            Command::Mcp(args) => commands::mcp::run(args).await?,
            Command::Audit(args) => return commands::audit::run(args).await,
            Command::Channels(args) => return commands::channels::run(*args).await,
            Command::Secrets(args) => commands::secrets::run(args).await?,
            Command::Receipts(args) => commands::receipts::run(args).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Whether a command ends when its reader has gone, as in `impri receipts jwks | head -1`. What serves others goes on, and
/// so does what speaks to others: the same signal would end it when one of these hangs up.
fn ends_with_its_reader(command: &Command) -> bool {
    match command {
        Command::Serve(_) | Command::Mcp(_) => false,
        Command::Channels(args) => matches!(args.command, ChannelsCommand::List),
        Command::Keys(_)
        | Command::Users(_)
        | Command::Project(_)
        | Command::Audit(_)
        | Command::Secrets(_)
        | Command::Receipts(_) => true,
    }
}
