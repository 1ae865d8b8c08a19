//! `impri secrets`

use anyhow::bail;

use super::{Desk, explain};
use crate::boot::cli::{SecretsArgs, SecretsCommand};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or what can't be opened.
pub async fn run(args: SecretsArgs) -> anyhow::Result<()> {
    let desk = Desk::open(&args.database).await?;
    let outcome = act(&desk, args.command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: SecretsCommand) -> anyhow::Result<()> {
    let vault = desk.services.vault();
    if let Err(error) = vault.check() {
        bail!("{error}");
    }
    let state = desk.services.secrets_state().await.map_err(explain)?;
    for lost in &state.lost {
        println!("Lost to this server: {lost}.");
    }
    if matches!(command, SecretsCommand::Rotate) {
        if !state.lost.is_empty() {
            bail!(
                "Nothing was sealed anew: first make every secret readable, or replace it as it says above"
            );
        }
        let is_made = vault.add_key()?;
        let sealed = desk.services.reseal_secrets(desk.project.id, Actor::Operator, Channel::cli()).await;
        let sealed = sealed.map_err(explain)?;
        let key = vault.sealing_id().unwrap_or_default();
        println!("{sealed} secrets were sealed anew; the key is {key}.");
        match (is_made, vault.file()) {
            (true, Some(path)) => println!(
                "The older keys stay in {}: copies of the database need them. Servers read it by themselves.",
                path.display()
            ),
            _ => println!(
                "The older keys of IMPRI_SECRET_KEY are needed for older copies of the database only."
            ),
        }
        return Ok(());
    }
    let ids = vault.ids();
    let key = vault.sealing_id().unwrap_or_default();
    println!(
        "{} with the key {key}, {} with older ones; keys: {}",
        state.current,
        state.older,
        ids.join(", ")
    );
    if state.clear > 0 {
        println!(
            "{} are in the clear, as an earlier version left them: the next start of impri serve seals them, and so does \
             impri secrets rotate",
            state.clear
        );
    }
    match state.lost.len() {
        0 => Ok(()),
        lost => bail!("{lost} secrets can't be opened"),
    }
}
