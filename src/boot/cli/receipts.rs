//! The flags of `impri receipts`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DatabaseArgs;

/// `impri receipts`
#[derive(Debug, Args)]
pub struct ReceiptsArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: ReceiptsCommand,
}

/// What can be done with receipts and their keys.
#[derive(Debug, Subcommand)]
pub enum ReceiptsCommand {
    /// Say whether a receipt is genuine, and what it says; ends with 1 if it is not
    Verify(VerifyArgs),
    /// Print the public keys that verify receipts, as a JWK Set
    Jwks,
    /// Let a new key sign from now on; receipts of the one before go on to verify
    RotateKey {
        /// Do it although the key before can't be opened here, because what it was sealed with is lost for good
        #[arg(long)]
        lost: bool,
    },
    /// Let nothing verify any more that a key signed, because somebody else may have it
    WithdrawKey {
        /// The key's name: its kid
        kid: String,
    },
}

/// `impri receipts verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The receipt, or an action as the API answers it; - or nothing reads stdin
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,

    /// The public keys: a file, or an address such as `https://impri.example.com/.well-known/jwks.json`
    /// [default: those in this server's database]
    #[arg(long, value_name = "FILE-OR-URL")]
    pub jwks: Option<String>,

    /// Compare with this content: JSON with kind, title, preview and, where there are, payload and `target_url`; or an
    /// action as the API answers it
    #[arg(long, value_name = "FILE")]
    pub content: Option<PathBuf>,

    /// End with 0 only if it permits running the content now: approved, the same content, in time
    #[arg(long, requires = "content")]
    pub to_run: bool,
}
