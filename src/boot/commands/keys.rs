//! `impri keys`

use anyhow::{bail, ensure};

use super::{Desk, explain};
use crate::boot::cli::{KeysArgs, KeysCommand, ScopeArg};
use crate::domain::Instant;
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::domain::scope::Scope;
use crate::server::db::keys::StoredKey;
use crate::server::service::NewKey;

/// Runs the command.
///
/// # Errors
/// Says what could not be done.
pub async fn run(args: KeysArgs) -> anyhow::Result<()> {
    let desk = Desk::open(&args.database).await?;
    let outcome = act(&desk, args.command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: KeysCommand) -> anyhow::Result<()> {
    let project = desk.project.id;
    match command {
        KeysCommand::Create { name, scopes, expires_in } => {
            let scopes = scopes.into_iter().map(scope).collect();
            let new = NewKey { name, scopes, lasts: expires_in };
            let made = desk.services.create_key(project, new, Actor::Operator, Channel::cli()).await;
            println!("{}", made.map_err(explain)?.key);
        }
        KeysCommand::List => {
            println!("{:<26}  {:<16}  {:<14}  {:<20}  NAME", "ID", "BEGINS WITH", "SCOPES", "STATE");
            for key in desk.services.list_keys(project).await.map_err(explain)? {
                let scopes: Vec<&str> = key.scopes.iter().map(Scope::as_str).collect();
                let (id, prefix, scopes) = (key.id, &key.prefix, scopes.join(","));
                println!(
                    "{id:<26}  {prefix:<16}  {scopes:<14}  {:<20}  {}",
                    state(&key),
                    printable(&key.name)
                );
            }
        }
        KeysCommand::Revoke { key } => {
            let keys = desk.services.list_keys(project).await.map_err(explain)?;
            let fits = |stored: &&StoredKey| {
                stored.revoked_at.is_none() && (stored.id.to_string() == key || stored.prefix == key)
            };
            let mut found = keys.iter().filter(fits);
            let Some(first) = found.next() else {
                bail!("There is no valid key {key}: impri keys list shows ids and beginnings");
            };
            ensure!(found.next().is_none(), "More than one key begins so: name it by its id");
            desk.services
                .revoke_key(project, first.id, Actor::Operator, Channel::cli())
                .await
                .map_err(explain)?;
            println!("Revoked {} ({}).", printable(&first.name), first.id);
        }
    }
    Ok(())
}

fn scope(arg: ScopeArg) -> Scope {
    match arg {
        ScopeArg::Actions => Scope::Actions,
        ScopeArg::Decide => Scope::Decide,
        ScopeArg::Audit => Scope::Audit,
        ScopeArg::Admin => Scope::Admin,
    }
}

fn state(key: &StoredKey) -> String {
    let day = |at: Instant| at.date().to_string();
    match (key.revoked_at, key.expires_at, key.last_used_at) {
        (Some(at), _, _) => format!("revoked {}", day(at)),
        (None, Some(at), _) => format!("until {}", day(at)),
        (None, None, Some(at)) => format!("used {}", day(at)),
        (None, None, None) => "never used".to_owned(),
    }
}

/// A text that can do nothing to a terminal and stays in its line.
pub(super) fn printable(text: &str) -> String {
    crate::server::text::reveal_text(text).replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_others_said_stays_in_its_line_and_moves_no_cursor() {
        assert_eq!(printable("no\r\nok      forged"), "no  ok      forged");
        assert!(
            !printable("\u{1b}[2J\u{7}\u{9b}\u{202e}").chars().any(|c| c.is_control() || c == '\u{202e}')
        );
    }
}
