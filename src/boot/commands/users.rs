//! `impri users`

use anyhow::{Context as _, bail};

use super::keys::printable;
use super::{Desk, explain};
use crate::boot::cli::{RoleArg, UsersArgs, UsersCommand};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::domain::ids::ReviewerId;
use crate::domain::role::Role;
use crate::server::error::ServiceError;
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
            let person = NewPerson { name, email, password: read_password()?, role: self::role(role) };
            let made =
                desk.services.create_person(&desk.project, person, Actor::Operator, Channel::cli()).await;
            let member = made.map_err(explain)?;
            println!("Made an account for {} ({}).", printable(&member.name), member.email);
        }
        UsersCommand::List => {
            println!("{:<30}  {:<8}  {:<20}  NAME", "E-MAIL", "ROLE", "STATE");
            for member in desk.services.list_people(desk.project.id).await.map_err(explain)? {
                let role = member.role.as_str();
                let state =
                    member.disabled_at.map_or("active".to_owned(), |at| format!("disabled {}", at.date()));
                println!(
                    "{:<30}  {role:<8}  {state:<20}  {}",
                    printable(&member.email),
                    printable(&member.name)
                );
            }
        }
        UsersCommand::SetRole { email, role } => {
            let id = desk.person(&email).await?;
            let (role, project) = (self::role(role), desk.project.id);
            let set = desk.services.set_role(project, id, role, Actor::Operator, Channel::cli());
            set.await.map_err(explain)?;
            println!("{} has the role {}.", printable(&email), role.as_str());
        }
        UsersCommand::SetPassword { email, password_stdin: _ } => {
            desk.person(&email).await?;
            let (project, new) = (desk.project.id, read_password()?);
            let set = desk.services.reset_password(project, &email, new, Actor::Operator, Channel::cli());
            set.await.map_err(explain)?;
            println!("{} has a new password, and their sessions are over.", printable(&email));
        }
        UsersCommand::Disable { email } => {
            let id = desk.person(&email).await?;
            let disabled = desk.services.disable_person(desk.project.id, id, Actor::Operator, Channel::cli());
            disabled.await.map_err(explain)?;
            println!("Disabled {}; their sessions are over.", printable(&email));
        }
        UsersCommand::Enable { email } => {
            let id = desk.person(&email).await?;
            let enabled = desk.services.enable_person(desk.project.id, id, Actor::Operator, Channel::cli());
            enabled.await.map_err(explain)?;
            println!("{} can sign in again.", printable(&email));
        }
    }
    Ok(())
}

impl Desk {
    async fn person(&self, email: &str) -> anyhow::Result<ReviewerId> {
        match self.services.person_behind(self.project.id, email).await {
            Ok(member) => Ok(member.id),
            Err(ServiceError::NotFound) => {
                bail!("Nobody has an account with {}: impri users list shows who has", printable(email))
            }
            Err(error) => Err(explain(error)),
        }
    }
}

fn read_password() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("The password can't be read from stdin")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn role(arg: RoleArg) -> Role {
    match arg {
        RoleArg::Viewer => Role::Viewer,
        RoleArg::Reviewer => Role::Reviewer,
        RoleArg::Admin => Role::Admin,
    }
}
