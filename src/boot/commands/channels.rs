//! `impri channels`

use anyhow::{Context as _, bail};

use super::{Desk, explain};
use crate::boot::cli::{ChannelsArgs, ChannelsCommand};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::server::notify::notice;
use crate::server::service::SeenChannel;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or that a channel does not work.
pub async fn run(args: ChannelsArgs) -> anyhow::Result<()> {
    let settings = args.platforms.settings()?;
    let mut desk = Desk::open(&args.database).await?;
    desk.services = desk.services.clone().with_platforms(settings);
    let outcome = act(&desk, args.command).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, command: ChannelsCommand) -> anyhow::Result<()> {
    let project = desk.project.id;
    let channels = desk.services.list_channels(project).await.map_err(explain)?;
    match command {
        ChannelsCommand::List => {
            for channel in &channels {
                println!("{}", line(channel));
            }
        }
        ChannelsCommand::Doctor => {
            if channels.is_empty() {
                println!("There are no channels: people hear of actions in the inbox only.");
            }
            let mut broken = 0;
            for channel in &channels {
                let stored = &channel.stored;
                let found = match notice::open(&desk.services, stored) {
                    Ok(platform) => platform.check().await,
                    Err(failure) => Err(failure),
                };
                let state = if stored.enabled { "" } else { " (paused)" };
                let head = format!("{} “{}”{state}", stored.kind.label(), stored.name);
                match found {
                    Ok(found) => println!("ok      {head}: {found}"),
                    Err(failure) => {
                        broken += 1;
                        println!("broken  {head}: {}", failure.reason);
                    }
                }
                if let Some(error) = &stored.health.error {
                    println!("        last failure: {error}");
                }
            }
            if broken > 0 {
                bail!("{broken} of {} channels do not work", channels.len());
            }
        }
        ChannelsCommand::Test { channel } => {
            let found = channels
                .iter()
                .find(|one| one.stored.id.to_string() == channel || one.stored.name == channel);
            let found = found.context("There is no such channel: impri channels list shows them")?;
            let (id, actor) = (found.stored.id, Actor::Operator);
            let tested =
                desk.services.test_channel(project, id, actor, Channel::cli()).await.map_err(explain)?;
            match tested.ok {
                true => println!("The test message was taken. {}", tested.answer),
                false => bail!("The test message was not taken: {}", tested.answer),
            }
        }
    }
    Ok(())
}

fn line(channel: &SeenChannel) -> String {
    let stored = &channel.stored;
    let state = match (stored.enabled, &stored.health.error) {
        (false, _) => "paused".to_owned(),
        (true, None) => "works".to_owned(),
        (true, Some(error)) => format!("fails: {error}"),
    };
    format!(
        "{}  {:<9} {}  {} waiting, {state}",
        stored.id,
        stored.kind.as_str(),
        stored.name,
        channel.pending
    )
}
