//! Where the server is and what to measure.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// What can be measured, in the order in which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measurement {
    Idle,
    Sizes,
    Read,
    Propose,
    Sealing,
    Wake,
    Callbacks,
    Channels,
    Parked,
    Inbox,
}

impl Measurement {
    pub const ALL: [Self; 10] = [
        Self::Idle,
        Self::Sizes,
        Self::Read,
        Self::Propose,
        Self::Sealing,
        Self::Wake,
        Self::Callbacks,
        Self::Channels,
        Self::Parked,
        Self::Inbox,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Idle => "The server's memory, idle",
            Self::Sizes => "What a first visit loads",
            Self::Read => "Reading one action",
            Self::Propose => "Proposing",
            Self::Sealing => "What sealing the history costs",
            Self::Wake => "From a decision to the waiting agent",
            Self::Callbacks => "From a decision to its callback",
            Self::Channels => "From a proposal to the messages about it",
            Self::Parked => "Many parked agents",
            Self::Inbox => "The inbox page",
        }
    }
}

/// The server under test and the extent of the run.
#[derive(Debug, Parser)]
pub struct Settings {
    /// Where the server listens
    #[arg(long, env = "BENCH_ADDRESS")]
    pub address: SocketAddr,
    /// The server's process
    #[arg(long, env = "BENCH_PID")]
    pub pid: u32,
    /// The database of the server, as a role that may do everything
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database: String,
    /// A key with the scope `actions`
    #[arg(long, env = "BENCH_AGENT_KEY", hide_env_values = true)]
    pub agent_key: String,
    /// A key with the scope `decide`
    #[arg(long, env = "BENCH_DECIDE_KEY", hide_env_values = true)]
    pub decide_key: String,
    /// A key with the scope `admin`
    #[arg(long, env = "BENCH_ADMIN_KEY", hide_env_values = true)]
    pub admin_key: String,
    /// The account that reads the inbox
    #[arg(long, env = "BENCH_EMAIL")]
    pub email: String,
    /// Its password
    #[arg(long, env = "BENCH_PASSWORD", hide_env_values = true)]
    pub password: String,
    /// The program pgbench
    #[arg(long, env = "BENCH_PGBENCH")]
    pub pgbench: PathBuf,
    /// Shorter and smaller
    #[arg(long)]
    pub quick: bool,
    /// The inbox with 2,000,000 actions as well
    #[arg(long)]
    pub full: bool,
    /// Only this; repeat it for more
    #[arg(long, value_enum)]
    pub only: Vec<Measurement>,
    /// Write the numbers there as JSON, too
    #[arg(long)]
    pub json: Option<PathBuf>,
}

impl Settings {
    pub fn wants(&self, measurement: Measurement) -> bool {
        self.only.is_empty() || self.only.contains(&measurement)
    }

    /// How many times limit and measurement alternate, and how long each takes.
    pub fn rounds(&self) -> (usize, Duration) {
        if self.quick { (1, Duration::from_secs(2)) } else { (3, Duration::from_secs(5)) }
    }
}
