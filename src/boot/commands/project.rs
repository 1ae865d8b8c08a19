//! `impri project`

use super::keys::printable;
use super::{Desk, explain};
use crate::boot::cli::{ProjectArgs, ProjectCommand, ProjectSetting, SwitchArg};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::server::service::ProjectChange;

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
        ProjectCommand::Show { secret } => {
            let project = &desk.project;
            println!("id                   {}", project.id);
            println!("name                 {}", printable(&project.name));
            println!("time zone            {}", printable(&project.timezone));
            println!("allow_self_approval  {}", switch(project.allow_self_approval));
            println!("since                {}", project.created_at.date());
            if secret {
                let secret = desk.services.webhook_secret(project.id).await.map_err(explain)?;
                println!("webhook secret       {}", printable(&secret));
            }
        }
        ProjectCommand::RotateWebhookSecret { lost } => {
            // A shell with another key than the server would seal what the server can't open.
            if !lost {
                desk.services.webhook_secret(desk.project.id).await.map_err(explain)?;
            }
            let rotated =
                desk.services.rotate_webhook_secret(desk.project.id, Actor::Operator, Channel::cli());
            println!("{}", rotated.await.map_err(explain)?);
        }
        ProjectCommand::Set { setting: ProjectSetting::AllowSelfApproval, value } => {
            let allow = value == SwitchArg::On;
            let change = ProjectChange { allow_self_approval: Some(allow), ..ProjectChange::default() };
            let changed =
                desk.services.change_project(desk.project.id, change, Actor::Operator, Channel::cli()).await;
            let is_on = changed.map_err(explain)?.allow_self_approval;
            println!("allow_self_approval is {}.", switch(is_on));
        }
    }
    Ok(())
}

fn switch(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}
