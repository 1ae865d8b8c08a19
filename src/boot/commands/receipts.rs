//! `impri receipts`

use anyhow::bail;

use super::{Desk, explain, verify};
use crate::boot::cli::{ReceiptsArgs, ReceiptsCommand};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::server::db::receipt_keys::Withdrawal;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or why a receipt is not genuine.
pub async fn run(args: ReceiptsArgs) -> anyhow::Result<()> {
    let command = match args.command {
        ReceiptsCommand::Verify(what) => return verify::run(&args.database, what).await,
        command => command,
    };
    let desk = Desk::open(&args.database).await?;
    let outcome = act(&desk, command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: ReceiptsCommand) -> anyhow::Result<()> {
    let project = desk.project.id;
    match command {
        // Needs no database, and has run before one was opened.
        ReceiptsCommand::Verify(_) => {}
        ReceiptsCommand::Jwks => {
            let keys = desk.services.receipt_keys().await.map_err(explain)?;
            println!("{}", serde_json::to_string_pretty(&keys.set().to_jwks())?);
        }
        ReceiptsCommand::RotateKey { lost } => {
            // A shell with another key than the server would seal what the server can't open.
            if !lost {
                desk.services.receipt_keys().await.map_err(explain)?.signing()?;
            }
            let rotated = desk.services.rotate_receipt_key(project, Actor::Operator, Channel::cli()).await;
            let rotated = rotated.map_err(explain)?;
            println!("Receipts are signed with {} from now on.", rotated.signing);
            if let Some(kid) = rotated.retired {
                println!("{kid} signs no more, its private part is gone, and its receipts go on to verify.");
            }
        }
        ReceiptsCommand::WithdrawKey { kid } => {
            let done =
                desk.services.withdraw_receipt_key(project, &kid, Actor::Operator, Channel::cli()).await;
            match done.map_err(explain)? {
                Withdrawal::Done => println!("Nothing that {kid} signed verifies any more."),
                Withdrawal::StillSigns => {
                    bail!("{kid} is the key that signs: run impri receipts rotate-key first")
                }
                Withdrawal::Unknown => bail!(
                    "There is no key {kid}: impri receipts jwks shows their kids; one that was withdrawn is gone"
                ),
            }
        }
    }
    Ok(())
}
