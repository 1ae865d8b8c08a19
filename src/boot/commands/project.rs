//! `impri project`

use super::keys::printable;
use super::{Desk, explain};
use crate::boot::cli::{ProjectArgs, ProjectCommand, ProjectSetting, SwitchArg};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;

/// Runs the command.
///
/// # Errors
/// Says what could not be done.
pub async fn run(args: ProjectArgs) -> anyhow::Result<()> {
    let desk = Desk::open(&args.database).await?;
    let outcome = act(&desk, args.command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: ProjectCommand) -> anyhow::Result<()> {
    match command {
        ProjectCommand::Show => {
            let project = &desk.project;
            let switch = if project.allow_self_approval { "on" } else { "off" };
            println!("id                   {}", project.id);
            println!("name                 {}", printable(&project.name));
            println!("allow-self-approval  {switch}");
        }
        ProjectCommand::Set { setting: ProjectSetting::AllowSelfApproval, value } => {
            let allow = value == SwitchArg::On;
            let set = desk
                .services
                .set_self_approval(desk.project.id, allow, Actor::Operator, Channel::cli())
                .await;
            set.map_err(explain)?;
            println!("allow-self-approval is {}.", if allow { "on" } else { "off" });
        }
    }
    Ok(())
}
