//! Measures a running server over HTTP, each number beside a limit taken in the same run on the same machine.
//!
//! `scripts/bench` starts the server and its Postgres and says where they are. Rows are seeded and cleared through
//! SQL, everything else goes through the API and the pages. Ratios are medians over rounds that alternate between
//! limit and measurement, because machines are noisy.

mod callbacks;
mod channels;
mod http;
mod idle;
mod inbox;
mod latencies;
mod limit;
mod load;
mod parked;
mod propose;
mod read;
mod report;
mod requests;
mod sealing;
mod seed;
mod settings;
mod sizes;
mod waiters;
mod wake;

use std::process::ExitCode;

use clap::Parser as _;

use report::{Report, Row};
use settings::{Measurement, Settings};

fn main() -> anyhow::Result<ExitCode> {
    // One thread: the server and PostgreSQL need the others.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
}

async fn run() -> anyhow::Result<ExitCode> {
    let settings = Settings::parse();
    let mut report = Report::new();
    let mut outcome = ExitCode::SUCCESS;
    // What the server weighs before it has done anything comes first; what needs much seeding comes last.
    for measurement in Measurement::ALL {
        if !settings.wants(measurement) {
            continue;
        }
        eprintln!("· {}", measurement.title());
        match measure(measurement, &settings).await {
            Ok(rows) => report.add(rows),
            // The others are worth having nevertheless.
            Err(error) => {
                eprintln!("✗ {} could not be measured: {error:#}", measurement.title());
                outcome = ExitCode::FAILURE;
            }
        }
    }
    report.print()?;
    if let Some(file) = &settings.json {
        report.write_json(file)?;
    }
    Ok(outcome)
}

async fn measure(measurement: Measurement, settings: &Settings) -> anyhow::Result<Vec<Row>> {
    match measurement {
        Measurement::Idle => idle::measure(settings).await,
        Measurement::Sizes => sizes::measure(settings).await,
        Measurement::Read => read::measure(settings).await,
        Measurement::Propose => propose::measure(settings).await,
        Measurement::Sealing => sealing::measure(settings).await,
        Measurement::Wake => wake::measure(settings).await,
        Measurement::Callbacks => callbacks::measure(settings).await,
        Measurement::Channels => channels::measure(settings).await,
        Measurement::Parked => parked::measure(settings).await,
        Measurement::Inbox => inbox::measure(settings).await,
    }
}
