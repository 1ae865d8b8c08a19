//! `impri users`

use anyhow::Context as _;

use super::keys::printable;
use super::{Desk, explain};
use crate::boot::cli::{RoleArg, UsersArgs, UsersCommand};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::server::service::NewPerson;

/// Runs the command.
///
/// # Errors
/// Says what could not be done.
pub async fn run(args: UsersArgs) -> anyhow::Result<()> {
    let desk = Desk::open(&args.database).await?;
    let outcome = act(&desk, args.command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: UsersCommand) -> anyhow::Result<()> {
    match command {
        UsersCommand::Create { email, name, password_stdin: _, role } => {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).context("The password can't be read from stdin")?;
            let password = line.trim_end_matches(['\r', '\n']).to_owned();
            let person = NewPerson { name, email, password, is_admin: role == RoleArg::Admin };
            let made =
                desk.services.create_person(&desk.project, person, Actor::Operator, Channel::cli()).await;
            let member = made.map_err(explain)?;
            println!("Made an account for {} ({}).", printable(&member.name), member.email);
        }
        UsersCommand::List => {
            println!("{:<30}  {:<8}  {:<20}  NAME", "E-MAIL", "ROLE", "STATE");
            for member in desk.services.list_people(desk.project.id).await.map_err(explain)? {
                let role = if member.is_admin { "admin" } else { "reviewer" };
                let state =
                    member.disabled_at.map_or("active".to_owned(), |at| format!("disabled {}", at.date()));
                println!(
                    "{:<30}  {role:<8}  {state:<20}  {}",
                    printable(&member.email),
                    printable(&member.name)
                );
            }
        }
        UsersCommand::Disable { email } => {
            let disabled =
                desk.services.disable_person(desk.project.id, &email, Actor::Operator, Channel::cli()).await;
            disabled.map_err(explain)?;
            println!("Disabled {}; their sessions are over.", printable(&email));
        }
    }
    Ok(())
}
